"""The examples in docstrings, in the READMEs and in the guides run as they are written."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import impinge
from conftest import needs

ROOT = Path(__file__).parents[3]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def examples_of(name: str, text: str, names: dict[str, Any], file: str | None = None) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(text, names, name, file, 0)


def run(test: doctest.DocTest) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def public_modules() -> list[Any]:
    """The package and the modules of it that users import, as far as the packages that these need are there."""
    names = [module.name for module in pkgutil.iter_modules(impinge.__path__) if not module.name.startswith("_")]
    modules = [impinge]
    for name in names:
        try:
            modules.append(__import__(f"impinge.{name}", fromlist=["*"]))
        except ImportError as error:
            # Only packages of others may be missing.
            assert "impinge" not in (error.name or ""), error
    return modules


def public_objects() -> Iterator[tuple[str, Any]]:
    """Everything that users can name: modules, functions, classes, methods and properties."""
    for module in public_modules():
        yield module.__name__, module
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or callable(thing)):
                continue
            home = getattr(thing, "__module__", None)
            if not (home or "").startswith("impinge"):
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if inspect.ismemberdescriptor(value):
                        continue  # A slot, which the docstring of the class documents.
                    if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                        yield f"{module.__name__}.{name}.{member}", value
                    elif isinstance(value, classmethod | staticmethod) and not member.startswith("_"):
                        yield f"{module.__name__}.{name}.{member}", value.__func__


OBJECTS = dict(public_objects())


def shared_names() -> dict[str, Any]:
    """The names that examples in docstrings use: those that the docstring of the package defines."""
    test = examples_of("impinge", impinge.__doc__ or "", {})
    run(test)
    return {name: test.globs[name] for name in ("impinge", "np", "cube")}


NAMES = shared_names()


def test_there_are_objects() -> None:
    assert {"impinge.Mesh.vertices", "impinge.clash", "impinge.Assembly.load", "impinge.MeshError"} <= set(OBJECTS)


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_docstring(name: str) -> None:
    text = inspect.getdoc(OBJECTS[name])
    assert text, f"{name} has no docstring"
    own = getattr(OBJECTS[name], "__doc__", None)
    assert own, f"the docstring of {name} is that of its base class"
    run(examples_of(name, text, dict(NAMES)))


def test_a_wrong_example_fails() -> None:
    with pytest.raises(AssertionError, match="Expected"):
        run(examples_of("wrong", ">>> impinge.intersects(cube, cube)\nFalse\n", dict(NAMES)))


def blocks(path: Path) -> list[tuple[int, str]]:
    """The blocks of Python in a file of Markdown, each with its line."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^```(?:python|pycon|py)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: block.start()].count("\n") + 1, block.group(1)) for block in found]


DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "crates/impinge-py/README.md",
    *sorted((ROOT / "docs").glob("python*.md")),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_document(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one document share their names, as a reader would run them. Those without `>>>` are programs."""
    monkeypatch.chdir(tmp_path)
    found = blocks(path)
    assert found, f"{path} has no block of Python"
    for name in ("ray", "trimesh", "OCP", "scipy"):
        if any(re.search(rf">>> (import|from) (impinge\.)?{name}\b", text) for _, text in found):
            needs(name)
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, text in found:
        if ">>>" in text:
            test = examples_of(f"{path.name}:{line}", text, names, str(path))
            run(test)
            names = test.globs
        else:
            program = compile("\n" * line + text, str(path), "exec")
            # Programs in the other guides read files of the reader.
            if path.name in ("README.md", "python.md"):
                exec(program, names)
