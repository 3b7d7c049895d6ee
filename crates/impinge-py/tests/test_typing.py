"""The type stubs agree with the package, and mean to type checkers what users expect."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import impinge
from conftest import needs

FOLDER = Path(__file__).parent / "typing"
ROOT = Path(__file__).parents[3]


def wrong_lines() -> list[int]:
    lines = (FOLDER / "wrong_code.py").read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if "# wrong:" in line]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_mypy() -> None:
    needs("mypy")
    found = run("mypy", "--strict", str(FOLDER / "user_code.py"))
    assert found.returncode == 0, found.stdout + found.stderr


def test_mypy_refuses() -> None:
    needs("mypy")
    found = run("mypy", "--strict", str(FOLDER / "wrong_code.py"))
    lines = {int(line) for line in re.findall(r"wrong_code\.py:(\d+): error", found.stdout)}
    assert sorted(lines) == wrong_lines(), found.stdout + found.stderr


def test_pyright() -> None:
    needs("pyright")
    package = Path(impinge.__file__).parent
    found = run("pyright", "--outputjson", "--pythonpath", sys.executable, str(FOLDER), str(package))
    try:
        report = json.loads(found.stdout)
    except json.JSONDecodeError:
        assert os.environ.get("CI") != "true", found.stdout + found.stderr
        pytest.skip(f"pyright could not fetch itself: {found.stdout}{found.stderr}")
    errors = [it for it in report["generalDiagnostics"] if it["severity"] == "error"]
    # Without stubs of these packages, pyright finds nothing in them.
    untyped = re.compile(r"/(_ocp_\w+\.py|_trimesh_\w+\.py|ray/\w+\.py)$")
    errors = [it for it in errors if not untyped.search(it["file"])]
    refused = [it["range"]["start"]["line"] + 1 for it in errors if it["file"].endswith("wrong_code.py")]
    others = [it for it in errors if not it["file"].endswith("wrong_code.py")]
    assert not others, json.dumps(others, indent=1)
    assert sorted(set(refused)) == wrong_lines(), json.dumps(errors, indent=1)


def test_stubs_agree_with_the_module() -> None:
    needs("mypy")
    allowed = str(FOLDER / "stubtest.txt")
    found = run("mypy.stubtest", "impinge._impinge", "--allowlist", allowed, "--ignore-unused-allowlist")
    assert found.returncode == 0, found.stdout + found.stderr


def test_names_of_methods() -> None:
    text = (Path(impinge.__file__).parent / "_impinge.pyi").read_text()
    found = re.search(r"_Method: TypeAlias = Literal\[(.*?)\]", text, re.DOTALL)
    assert found
    listed = re.findall(r'"(.*?)"', found.group(1))
    assert listed == [name for name, _ in impinge.methods()]


def test_literals_of_clash() -> None:
    """The literal types of options are those that the options accept."""
    from impinge import _clash

    mesh = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assembly = impinge.Assembly()
    assembly.add("a", mesh)
    for order in get_args(_clash.Sort):
        impinge.clash(assembly, sort=order)
    for choice in get_args(_clash.SameGroup):
        impinge.clash(assembly, same_group=choice)
    with pytest.raises(impinge.ArgumentError, match="size"):
        impinge.clash(assembly, sort="size")  # type: ignore[arg-type]
