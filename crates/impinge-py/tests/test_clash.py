"""Clash checks from Python are those of the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import impinge
from conftest import data
from interrupt import assert_ctrl_c_ends
from meshes import cube, shift, sphere


def gearbox(tmp_path: Path) -> Path:
    """The command's example assembly, as a file."""
    path = tmp_path / "gearbox.glb"
    run = subprocess.run([sys.executable, "-m", "impinge", "generate", "gearbox", "-o", str(path)], capture_output=True)
    assert run.returncode == 0, run.stderr
    return path


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command that comes with the package."""
    return subprocess.run([sys.executable, "-m", "impinge", *map(str, arguments)], capture_output=True, text=True)


def stack() -> impinge.Assembly:
    """Three cubes of 1 mm: the first two overlap by 0.1, the third is 0.05 away."""
    assembly = impinge.Assembly(name="stack", units="mm")
    for number, x in enumerate((0.0, 0.9, 1.95)):
        assembly.add(f"cube {number}", cube(), shift(x), group=["tower", "left"], id=f"id-{number}", kind="Block")
    return assembly


def test_the_command_and_the_package_agree_to_the_byte(tmp_path: Path) -> None:
    path = gearbox(tmp_path)
    run = command("clash", path, "--clearance", "0.1mm", "--ignore", "touching: *", "--json")
    report = impinge.clash(path, clearance="0.1mm", ignore="touching: *")
    assert report.json() == run.stdout
    assert run.returncode == 1 and report.failures > 0


def test_real_assemblies_agree_to_the_byte() -> None:
    path = data("assemblies", "chronograph-watch", "ChronographWatch.gltf")
    for threads in (1, None):
        assert impinge.clash(path, threads=threads).json() == command("clash", path, "--json").stdout


def test_an_assembly_of_meshes() -> None:
    report = impinge.clash(stack(), clearance="0.1mm")
    assert report.counts["penetrating"] == 1 and report.counts["clearance"] == 1
    first, second = report
    assert (first.a, first.b, first.verdict) == ("cube 0", "cube 1", "penetrating")
    assert first.depth == pytest.approx(0.1) and first.depth_at_most == pytest.approx(0.1)
    assert first.volume == pytest.approx(0.1)
    assert first.faces.shape[1] == 2 and len(first.faces) > 0
    assert second.distance == pytest.approx(0.05) and second.points.shape == (2, 3)
    assert report.units == "mm"
    document = json.loads(report.json())
    assert document["clashes"][0]["a_path"] == "tower/left/cube 0"
    assert document["clashes"][0]["parts"][1]["id"] == "id-1"
    with pytest.raises(IndexError):
        report[2]


def test_lengths_have_units() -> None:
    assert impinge.clash(stack(), clearance=0.1).json() == impinge.clash(stack(), clearance="100um").json()
    without = impinge.Assembly()
    without.add("a", cube())
    without.add("b", cube(), shift(1.05))
    assert impinge.clash(without, clearance=0.1).counts["clearance"] == 1
    with pytest.raises(impinge.ArgumentError, match="unit"):
        impinge.clash(without, clearance="0.1mm")


def test_matrices_may_scale_and_mirror() -> None:
    """A cube that is written as a scaled or mirrored one is the same cube."""
    counts = []
    for matrix, size in [
        (np.diag([1.0, 1, 1, 1]), 1.0),
        (np.diag([2.0, 2, 2, 1]), 0.5),
        (np.array([[-1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), 1.0),
        (np.diag([4.0, 4, 4, 1])[:3], 0.25),
    ]:
        assembly = impinge.Assembly()
        assembly.add("still", cube())
        assembly.add("moved", cube(size), shift(0.75) @ np.vstack([matrix[:3], [0, 0, 0, 1]]))
        (found,) = impinge.clash(assembly)
        counts.append((found.verdict, round(found.depth or 0, 9), round(found.volume or 0, 9)))
    assert counts == [("penetrating", 0.25, 0.25)] * 4
    bad = impinge.Assembly()
    with pytest.raises(impinge.ArgumentError, match="finite"):
        bad.add("nan", cube(), shift(np.nan))


def test_parts_tell_what_they_are() -> None:
    assembly = stack()
    assert assembly.names == ["cube 0", "cube 1", "cube 2"]
    assert assembly.paths[1] == "tower/left/cube 1"
    part = assembly.part("cube 1")
    assert (part.id, part.kind, part.group) == ("id-1", "Block", ["tower", "left"])
    assert (part.pose == shift(0.9)).all() and part.mesh == cube()
    assert assembly.part(2).name == "cube 2" and len(assembly.parts) == 3 == len(assembly)
    assert assembly.units == "mm" and assembly.face_count == 36
    with pytest.raises(impinge.ArgumentError, match="no part 'cube 9'"):
        assembly.part("cube 9")


def test_deviations_widen_the_touch_band() -> None:
    def verdict(deviation: object) -> str:
        assembly = impinge.Assembly()
        assembly.add("a", cube(), deviation=deviation)  # type: ignore[arg-type]
        assembly.add("b", cube(), shift(0.99))
        return str(impinge.clash(assembly)[0].verdict)

    assert verdict(None) == "penetrating"
    assert verdict(0.02) == "touching"
    assert verdict(np.full(12, 0.02)) == "touching"
    for bad in (-1.0, np.nan, np.zeros(11)):
        with pytest.raises(impinge.ArgumentError, match="deviation"):
            verdict(bad)


def test_reports_are_written_like_those_of_the_command(tmp_path: Path) -> None:
    path = gearbox(tmp_path)
    report = impinge.clash(path)
    outputs = {"json": "--output", "csv": "--csv", "html": "--report", "glb": "--glb", "png": "--picture"}
    arguments = [word for end, option in outputs.items() for word in (option, tmp_path / f"theirs.{end}")]
    assert command("clash", path, *arguments).returncode == 1
    for end in outputs:
        report.save(tmp_path / f"ours.{end}")
        assert (tmp_path / f"ours.{end}").read_bytes() == (tmp_path / f"theirs.{end}").read_bytes(), end
    report.save(tmp_path / "ours.bcf")
    assert (tmp_path / "ours.bcf").stat().st_size > 1000
    assert report.html().startswith("<!")
    assert report.save_pictures(tmp_path / "pictures") == len(report)
    report.save_review(tmp_path / "review.json")
    assert impinge.clash(path, review=tmp_path / "review.json").json()
    with pytest.raises(impinge.ArgumentError, match="extension"):
        report.save(tmp_path / "report.docx")
    with pytest.raises(OSError, match="no-such-folder"):
        report.save(tmp_path / "no-such-folder" / "report.json")


def test_baselines(tmp_path: Path) -> None:
    impinge.clash(stack()).save(tmp_path / "accepted.json")
    again = impinge.clash(stack(), baseline=tmp_path / "accepted.json", allow="known")
    assert again.failures == 0 and len(again) == 1 and again[0].allowed


def test_wrong_options_are_named() -> None:
    for options, text in [
        ({"only": "crash"}, "crash"),
        ({"sort": "size"}, "severity"),
        ({"same_group": "maybe"}, "skip"),
        ({"clearance": -1.0}, "at least 0"),
        ({"clearance": "far"}, "expected a length"),
        ({"ignore": ["a :: b :: c"]}, "a :: b :: c"),
        ({"between": ("nothing*", "cube*")}, "nothing"),
    ]:
        with pytest.raises(impinge.ArgumentError, match=text):
            impinge.clash(stack(), **options)
    with pytest.raises(TypeError, match="unlikely"):
        impinge.clash("file.glb", unlikely=True)
    with pytest.raises(TypeError):
        impinge.clash(7)
    with pytest.raises(FileNotFoundError):
        impinge.clash("nothing.glb")
    with pytest.warns(UserWarning, match="matches no part"):
        impinge.clash(stack(), ignore="bolt*")


def test_an_assembly_without_parts_is_refused() -> None:
    with pytest.raises(impinge.ArgumentError, match="no part"):
        impinge.clash(impinge.Assembly())


def test_progress(tmp_path: Path) -> None:
    path = tmp_path / "plant.glb"
    made = command("generate", "plant", "-o", path)
    assert made.returncode == 0, made.stderr
    told: list[tuple[str, int, int]] = []
    impinge.clash(path, progress=lambda *row: told.append(row), threads=1)
    assert all(stage in ("meshes", "pairs") and done <= total for stage, done, total in told), told[:5]

    class Enough(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        impinge.clash(nested_spheres(500), progress=stop, threads=1)


def nested_spheres(count: int) -> impinge.Assembly:
    """Spheres that all collide. A pair takes milliseconds, so that a check of 500 spheres takes minutes."""
    assembly, ball = impinge.Assembly(), sphere(500, 1.0)
    for number in range(count):
        assembly.add(f"sphere {number}", ball, shift(0.001 * number))
    return assembly


def test_ctrl_c_ends_a_check() -> None:
    assert_ctrl_c_ends("impinge.clash(many)", "from test_clash import nested_spheres\nmany = nested_spheres(500)")


def test_the_command_of_the_package() -> None:
    assert command("--version").stdout == f"impinge {impinge.__version__}\n"
    assert command("clash", "nothing.glb").returncode == 2
    assert command("nonsense").returncode == 2
    assert "Usage" in command("--help").stdout
