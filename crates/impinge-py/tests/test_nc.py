"""NC verification from Python is that of the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import data
from interrupt import assert_ctrl_c_ends
from meshes import CUBE_FACES
from test_clash import command

PATH = "x,y,z\n-10,25,5\n25,25,5\n25,25,-1.5\n60,25,5\n"


def block(scale: float = 1.0) -> impinge.Mesh:
    """A block of 50 × 50 × 20 mm whose top is at height 0."""
    corners = [[x, y, z] for x in (0, 50) for y in (0, 50) for z in (-20, 0)]
    return impinge.Mesh(np.array(corners) * scale, CUBE_FACES)


def without_times(text: str) -> Any:
    """A report without what depends on the clock and on names of files."""
    document = json.loads(text)
    for name in ("seconds", "lines_a_second", "program", "part", "notes"):
        document.pop(name, None)
    for gouge in document["gouges"]:
        gouge.pop("body", None)
    for body in document["bodies"]:
        body.pop("name")
    return document


def test_the_command_and_the_package_agree(tmp_path: Path) -> None:
    block().save(tmp_path / "block.obj")
    (tmp_path / "path.csv").write_text(PATH)
    run = command("nc", tmp_path / "block.obj", tmp_path / "path.csv", "--tool", "ball:d=6,length=30", "--json")
    assert run.returncode == 1, run.stderr
    for part, program in [(tmp_path / "block.obj", tmp_path / "path.csv"), (block(), PATH)]:
        for threads in (1, None):
            report = impinge.nc(part, program, tool="ball:d=6,length=30", threads=threads)
            assert without_times(report.json()) == without_times(run.stdout)
            assert report.gouging_moves == 2 and report.worst_depth == pytest.approx(1.5, abs=0.011)


def test_the_same_check_written_in_other_ways() -> None:
    """Units, kinds of programs and of tools must not change the gouges."""
    gcode = "G21 G90\nG0 X-10 Y25 Z5\nG1 X25 F100\nG1 Z-1.5\nG1 X60 Z5\nM2\n"
    inches = "\n".join(["G20 G90", "G0 X{:.9f} Y{:.9f} Z{:.9f}", "G1 X{:.9f} F4", "G1 Z{:.9f}", "G1 X{:.9f} Z{:.9f}"])
    inches = inches.format(*(value / 25.4 for value in (-10, 25, 5, 25, -1.5, 60, 5))) + "\n"
    start = {"start": (-10, 25, 5)}
    depths = [
        [(gouge.with_, round(gouge.depth, 2)) for gouge in report]
        for report in (
            impinge.nc(block(), PATH, tool="ball:d=6,length=30"),
            impinge.nc(block(), gcode, tool="ball:d=6,length=30", **start),
            impinge.nc(block(), inches, tool=f"ball:d={6 / 25.4},length={30 / 25.4}", **start),
            impinge.nc(block(1 / 25.4), PATH, tool={0: "ball:d=6,length=30"}, part_unit="in"),
            impinge.nc(block(), gcode, tool=["ball:d=6,length=30"], tolerance="10um", **start),
        )
    ]
    assert depths == [[("cutter", 1.5), ("cutter", 1.5)]] * 5


def test_gouges_tell_where() -> None:
    report = impinge.nc(block(), PATH, tool="ball:d=6,length=30")
    first = report[0]
    assert (first.line, first.role, first.rapid, first.tool) == (4, "part", False, 0)
    assert first.depth <= first.depth_at_most and first.lift > 0
    assert np.abs(first.at - [25, 25, -1.5]).max() < 0.05
    assert first.axis.tolist() == [0, 0, 1] and len(first.faces) > 0
    assert first.faces.max() < 12
    with pytest.raises(IndexError):
        report[2]


def test_stock_fixtures_and_allowances() -> None:
    above = "x,y,z\n-10,25,0.1\n60,25,0.1\n"
    assert impinge.nc(block(), above, tool="flat:d=6,length=30").gouging_moves == 0
    assert impinge.nc(block(), above, tool="flat:d=6,length=30", stock_to_leave="0.2mm").gouging_moves == 1
    clamp = impinge.Mesh(np.array(block().vertices) * [0.1, 0.1, 1] + [0, 20, 15], block().faces)
    (hit,) = impinge.nc(block(), above, tool="flat:d=6,length=30", fixtures=[clamp])
    assert hit.role == "fixture"
    rapid = "G21 G90\nG0 X-10 Y25 Z0.5\nG0 X60\n"
    stock = [[0, 0, -20], [50, 50, 1]]
    (found,) = impinge.nc(block(), rapid, tool="flat:d=6,length=30", stock=stock, start=(-10, 25, 0.5))
    assert found.role == "stock" and found.rapid


def test_reports(tmp_path: Path) -> None:
    report = impinge.nc(block(), PATH, tool="ball:d=6,length=30,holder=20:10")
    for end in ("json", "csv", "html", "glb"):
        report.save(tmp_path / f"report.{end}")
        assert (tmp_path / f"report.{end}").stat().st_size > 100
    assert (tmp_path / "report.json").read_text() == report.json()
    assert report.html().startswith("<!")
    with pytest.raises(impinge.ArgumentError, match="extension"):
        report.save(tmp_path / "report.pdf")


def test_wrong_input_is_named(tmp_path: Path) -> None:
    for options, kind, text in [
        ({}, impinge.ArgumentError, "there is no tool"),
        ({"tool": "ball"}, impinge.ArgumentError, "ball"),
        ({"tool": "ball:d=-6"}, impinge.ArgumentError, "d"),
        ({"tool": "tools.tbl"}, impinge.MissingFileError, "tools.tbl"),
        ({"tool_table": "tools.tbl"}, impinge.MissingFileError, "tools.tbl"),
        ({"tool": "ball:d=6", "rapids": "curved"}, impinge.ArgumentError, "dogleg"),
        ({"tool": "ball:d=6", "tolerance": 0.0}, impinge.ArgumentError, "tolerance"),
        ({"tool": "ball:d=6", "tolerance": float("nan")}, impinge.ArgumentError, "tolerance"),
        ({"tool": "ball:d=6", "offsets": {"G99": (0, 0, 0)}}, impinge.ArgumentError, "G99"),
        ({"tool": "ball:d=6", "origin": (1, 2)}, impinge.ArgumentError, "origin"),
        ({"tool": "ball:d=6", "origin": (0, 0, float("nan"))}, impinge.ArgumentError, "origin"),
        ({"tool": "ball:d=6", "start": (0, 2e9, 0)}, impinge.ArgumentError, "start"),
        ({"tool": "ball:d=6", "home": (0, float("inf"), 0)}, impinge.ArgumentError, "home"),
        ({"tool": "ball:d=6", "home": (0, 0, 0, 0)}, impinge.ArgumentError, "home"),
        ({"tool": "ball:d=6", "offsets": {"G54": (0, 0, float("nan"))}}, impinge.ArgumentError, "G54"),
        ({"tool": "ball:d=6", "fixtures": "nothing.stl"}, impinge.MissingFileError, "nothing.stl"),
        ({"tool": "ball:d=6", "machine": "no-such-machine.toml"}, FileNotFoundError, "no-such-machine"),
    ]:
        with pytest.raises(kind, match=text):
            impinge.nc(block(), "G21\nG0 X0 Y0 Z5\nG1 X10 F100\n", **options)  # type: ignore[arg-type]
    with pytest.raises(impinge.ArgumentError, match=r"program:2:.*G777"):
        impinge.nc(block(), "G21\nG777 X0\n", tool="ball:d=6")
    (tmp_path / "wrong.nc").write_text("G21\nG777 X0\n")
    with pytest.raises(impinge.FileError, match=r"wrong\.nc:2:.*G777") as caught:
        impinge.nc(block(), tmp_path / "wrong.nc", tool="ball:d=6")
    assert not isinstance(caught.value, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        impinge.nc(block(), tmp_path / "nothing.nc", tool="ball:d=6")
    with pytest.raises(FileNotFoundError):
        impinge.nc(tmp_path / "nothing.stl", PATH, tool="ball:d=6")
    with pytest.raises(impinge.ArgumentError, match="millimetres"):
        metres = impinge.Assembly(units="m")
        metres.add("block", block())
        impinge.nc(metres, PATH, tool="ball:d=6")


@pytest.mark.parametrize("name", ["tort.ngc", "arcspiral.ngc"])
def test_real_programs_agree_with_the_command(name: str, tmp_path: Path) -> None:
    program = data("cnc", "gcode", name)
    block().save(tmp_path / "block.obj")
    tool = "flat:d=3,length=20"
    run = command("nc", tmp_path / "block.obj", program, "--tool", tool, "--allow-unknown", "--json")
    assert run.returncode in (0, 1), run.stderr
    report = impinge.nc(block(), program, tool=tool, allow_unknown=True)
    assert without_times(report.json()) == without_times(run.stdout)
    assert report.moves > 0


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    points = np.random.default_rng(1).uniform([0, 0, -15], [50, 50, 5], (10_000, 3))
    rows = "\n".join(f"{x:.3f},{y:.3f},{z:.3f}" for x, y, z in points)
    impinge.nc(block(), "x,y,z\n" + rows, tool="bull:d=6,r=1", progress=lambda *row: told.append(row), threads=1)
    assert told and all(done <= total for done, total in told), told[:5]


def test_ctrl_c_ends_a_check() -> None:
    # A tool that is inside of the part at most of a million points: a check takes many minutes.
    preparation = """
from test_nc import block
points = np.random.default_rng(1).uniform([0, 0, -15], [50, 50, 5], (1_000_000, 3))
rows = "x,y,z\\n" + "\\n".join(f"{x:.3f},{y:.3f},{z:.3f}" for x, y, z in points)
"""
    assert_ctrl_c_ends('impinge.nc(block(), rows, tool="bull:d=6,r=1", threads=1)', preparation)
