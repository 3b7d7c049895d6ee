"""The option `--ray` of the command: as the wheel's program, as `python -m impinge.ray`, and without Ray."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

import pytest

import impinge
from conftest import needs
from meshes import cube, open_cube, sphere

ray = needs("ray")

# The program that comes with the wheel, and the two modules.
PROGRAMS = {
    "program": [str(Path(sysconfig.get_path("scripts"), "impinge"))],
    "module": [sys.executable, "-m", "impinge"],
    "ray module": [sys.executable, "-m", "impinge.ray"],
}


def command(
    *arguments: str | Path, program: str = "module", folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAMS[program], *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=200,
        cwd=folder,
    )


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Cubes in a row, each reaching into the next; some are open."""
    for number in range(5):
        mesh = [cube(), open_cube()][number % 2]
        impinge.Mesh(mesh.vertices + [0.9 * number, 0, 0], mesh.faces).save(tmp_path / f"part{number}.obj")
    return sorted(tmp_path.glob("*.obj"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_cluster_on_this_machine(program: str, files: list[Path]) -> None:
    """`--ray local` starts a cluster for the command: the same JSON and exit code, and nothing else is printed."""
    here = command("clash", *files, "--json", "--clearance", "0.2", program=program)
    there = command("clash", *files, "--json", "--clearance", "0.2", "--ray", "local", program=program)
    assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)
    assert here.returncode == 1 and len(json.loads(here.stdout)["clashes"]) >= 4


def test_without_clashes_the_exit_code_is_0(files: list[Path]) -> None:
    there = command("clash", files[0], files[3], "--json", "--ray", "local")
    assert there.returncode == 0, there.stderr
    assert there.stdout == command("clash", files[0], files[3], "--json").stdout


def test_a_running_cluster_gives_the_same_output(cluster: Any, files: list[Path], tmp_path: Path) -> None:
    tables = [tmp_path / "a.csv", tmp_path / "b.csv"]
    options = ["--json", "--clearance", "0.2", "--csv"]
    here = command("clash", *files, *options, tables[0])
    there = command("clash", *files, *options, tables[1], "--ray", cluster.address)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    assert here.returncode == 1 and tables[0].read_bytes() == tables[1].read_bytes()
    # The table, with the number of faces, and an assembly that is generated here.
    here, there = command("clash", *files), command("clash", *files, "--ray", cluster.address)
    first = [run.stdout.splitlines()[0] for run in (here, there)]
    assert first[0] == first[1] and "face" in first[0]
    here, there = command("clash", "--json"), command("clash", "--json", "--ray", cluster.address)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    # Relative paths, whatever the working directory of the workers is.
    names = [file.name for file in files]
    here = command("clash", *names, "--json", folder=tmp_path)
    there = command("clash", *names, "--json", "--ray", cluster.address, folder=tmp_path)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    # Files with faces, which need the meshes here.
    pages = [tmp_path / "a.glb", tmp_path / "b.glb"]
    assert command("clash", *files, "--glb", pages[0]).returncode == 1
    there = command("clash", *files, "--glb", pages[1], "--ray", cluster.address)
    assert there.returncode == 1, there.stderr
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_errors_are_those_without_a_cluster(cluster: Any, files: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nf 1 2 3\n")
    for arguments in (
        [tmp_path / "none.obj", files[0]],
        [*files, bad],
        [*files, "--between", "none", "part1"],
        [*files, "--clearance", "1mm"],
    ):
        here = command("clash", *arguments)
        there = command("clash", *arguments, "--ray", cluster.address)
        assert here.returncode == 2 and len(here.stderr.splitlines()) == 1, here.stderr
        assert (there.returncode, there.stdout, there.stderr) == (here.returncode, here.stdout, here.stderr)


def refuses(run: subprocess.CompletedProcess[str], *texts: str) -> None:
    """One clear error."""
    assert run.returncode == 2 and run.stdout == "", run.stderr
    assert len(run.stderr.splitlines()) == 1 and "Traceback" not in run.stderr, run.stderr
    for text in texts:
        assert text in run.stderr, run.stderr


def test_without_ray_there_is_one_clear_error(files: list[Path], tmp_path: Path) -> None:
    """A package named ray that cannot be imported stands for one that is not installed."""
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text("raise ImportError('no module named ray')\n")
    for program in PROGRAMS:
        for sources in (files, []):
            run = command("clash", *sources, "--ray", "local", program=program, PYTHONPATH=str(tmp_path))
            refuses(run, "the package ray is not installed", "pip install ray")


def test_an_address_without_a_cluster_is_one_clear_error(files: list[Path]) -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        refuses(command("clash", *files, "--ray", address), f"cannot connect to the Ray cluster '{address}'")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("stage", ["raylet", "ray::load_files", "ray::check_cell"])
def test_ctrl_c_ends_the_command_and_its_cluster(stage: str, tmp_path: Path) -> None:
    """Ctrl-C while the cluster starts, reads files and checks: exit code 130, no file, no process left."""
    mesh = sphere(20_000, 1.0)
    for number in range(60):
        impinge.Mesh(mesh.vertices + [1.5 * number, 0, 0], mesh.faces).save(tmp_path / f"{number:02}.stl")
    report = tmp_path / "clashes.csv"
    arguments = ["clash", str(tmp_path), "--ray", "local", "--csv", str(report)]
    process = subprocess.Popen(
        [*PROGRAMS["module"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 120
    while not any(stage in line for line in processes(process.pid)):
        assert process.poll() is None and time.monotonic() < until, f"there was no process {stage}"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors.decode()
    assert not report.exists() and b"Traceback" not in errors, errors.decode()
    until = time.monotonic() + 30
    while processes(process.pid):
        assert time.monotonic() < until, f"processes of the cluster are left: {processes(process.pid)}"
        time.sleep(0.2)


def processes(session: int) -> list[str]:
    """The command lines of all processes of a session, except for those that have ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(folder.name)) == session:
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return [line for line in found if line]
