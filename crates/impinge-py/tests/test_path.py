"""Parts that move along a path, compared with checks at many moments and with known answers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import impinge
from meshes import cube, shift, soup


def wall(*, thickness: float = 0.1) -> impinge.Assembly:
    """A wall in the plane x = 0, and a box beside it that begins at x = 2."""
    made = impinge.Assembly(name="wall", units="mm")
    made.add("wall", cube(), np.diag([thickness, 5, 5, 1]))
    made.add("box", cube(), shift(2, 2, 2))
    return made


def test_nothing_between_two_rows_is_missed() -> None:
    report = impinge.clash_path(wall(), "box", [shift(0), shift(-4)], times=[10, 14])
    assert len(report) == 1
    found = report[0]
    assert (found.moving, found.other, found.verdict, found.allowed) == ("box", "wall", "penetrating", False)
    # Contact from x = 0.1 down to x = -1, up to the touch band.
    for (row, fraction), x in [(found.start, 0.1), (found.end, -1.0)]:
        assert row == 0
        assert 2 - 4 * fraction == pytest.approx(x, abs=1e-3)
    assert found.times is not None
    assert found.times[0] == pytest.approx(10 + 4 * found.start[1])
    assert found.start <= found.at <= found.end
    assert (report.failures, report.rows, report.moving, report.units) == (1, 2, ["box"], "mm")
    assert report.counts["penetrating"] == 1
    assert -1e-3 <= found.point[0] <= 0.1 + 1e-3


def test_clearance_is_measured() -> None:
    # The box passes 0.25 in front of the wall.
    report = impinge.clash_path(wall(), "box", [shift(-1.65, -9), shift(-1.65, 9)], clearance="0.3mm")
    assert [found.verdict for found in report] == ["clearance"]
    assert report[0].distance == pytest.approx(0.25)
    assert report[0].distance_at_least <= 0.25 + 1e-9
    assert len(impinge.clash_path(wall(), "box", [shift(-1.65, -9), shift(-1.65, 9)], clearance=0.2)) == 0


def test_a_clear_path_is_certified() -> None:
    report = impinge.clash_path(wall(), "box", [shift(0), shift(-1.8)])
    assert (len(report), report.uncertified, report.failures) == (0, 0, 0)
    assert repr(report) == "PathReport(2 rows, clear)"
    assert report


def about_center(angle: float, x: float) -> NDArray[np.float64]:
    """Turns the box of `wall` about its center and the axis z, then moves it."""
    turn = np.eye(4)
    turn[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    center = shift(2.5, 2.5, 2.5)
    return shift(x) @ center @ turn @ np.linalg.inv(center)


@pytest.mark.parametrize("seed", range(4))
def test_intervals_agree_with_many_moments(seed: int) -> None:
    """Between rows the center of the box moves on a straight line while it turns, so each moment can be computed."""
    random = np.random.default_rng(seed)
    angles = np.concatenate([[0], np.cumsum(random.uniform(-1.5, 1.5, 4))])
    places = np.concatenate([[0], random.uniform(-4, -2, 4)])
    scene = wall()
    report = impinge.clash_path(scene, "box", [about_center(*row) for row in zip(angles, places, strict=True)])
    moments = np.linspace(0, 4, 2001)
    rows = np.arange(5)
    displacements = [
        about_center(float(angle), float(x))
        for angle, x in zip(np.interp(moments, rows, angles), np.interp(moments, rows, places), strict=True)
    ]
    first, box = scene.part("wall"), scene.part("box")
    touching = impinge.check(first.mesh, box.mesh, [it @ box.pose for it in displacements], pose_a=first.pose)
    intervals = [(found.start[0] + found.start[1], found.end[0] + found.end[1]) for found in report]
    listed = np.array([any(a <= moment <= b for a, b in intervals) for moment in moments])
    assert touching.any(), seed
    missed = moments[touching & ~listed]
    assert len(missed) == 0, (seed, missed)
    # Where the box is not listed as touching nor touches, it may still be within the touch band: at few moments.
    too_many = moments[listed & ~touching]
    assert len(too_many) <= 2 * len(intervals) + 2 or all(found.doubt for found in report), (seed, too_many)


def test_the_order_of_arguments_and_groups() -> None:
    scene = impinge.Assembly()
    scene.add("rest", cube())
    for name in ("p", "q"):
        scene.add(name, cube(), shift(3), group=["arm"])
    for moving in ("arm", "arm/", ["p", "q"], ["arm/*"]):
        report = impinge.clash_path(scene, moving, [shift(0), shift(-3)])
        assert report.moving == ["p", "q"]
        assert len(report) == 2
    only = impinge.clash_path(scene, "arm", [shift(0), shift(-3)], ignore="p :: rest")
    assert [found.moving for found in only] == ["q"]
    allowed = impinge.clash_path(scene, "arm", [shift(0), shift(-3)], allow="penetrating,touching,duplicate,inside")
    assert (len(allowed), allowed.failures) == (2, 0)


def test_files(tmp_path: Path) -> None:
    report = impinge.clash_path(wall(), "box", [shift(0), shift(-4)])
    found = json.loads(report.json())
    assert (found["rows"], found["moving"], found["failures"]) == (2, ["box"], 1)
    # Files number rows from 1.
    assert found["clashes"][0]["from"]["row"] == report[0].start[0] + 1
    assert found["clashes"][0]["from"]["fraction"] == report[0].start[1]
    for extension in ("json", "csv", "html"):
        report.save(tmp_path / f"path.{extension}")
    assert (tmp_path / "path.json").read_text() == report.json()
    assert (tmp_path / "path.html").read_text() == report.html()
    assert (tmp_path / "path.csv").read_text().startswith("a,b,verdict")
    with pytest.raises(impinge.ArgumentError, match=r"\.json, \.csv or \.html"):
        report.save(tmp_path / "path.png")
    with pytest.raises(impinge.FileError):
        report.save(tmp_path / "missing" / "path.json")


def test_indices() -> None:
    report = impinge.clash_path(wall(), "box", [shift(0), shift(-4)])
    assert report[-1].start == report[0].start
    for index in (1, -2):
        with pytest.raises(IndexError):
            report[index]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("box", [shift(0)]), impinge.PoseError, "at least two poses, not 1"),
        (("box", []), impinge.PoseError, "at least two poses, not 0"),
        (("box", shift(0)), impinge.PoseError, r"\(4, 4\), not \(n, 4, 4\)"),
        (("box", [shift(0), np.diag([-1.0, -1, 1, 1])]), impinge.PoseError, r"from poses\[0\] to poses\[1\]: .*180"),
        (("box", [shift(0), np.diag([2.0, 1, 1, 1])]), impinge.PoseError, r"poses\[1\]"),
        (("bolt", [shift(0), shift(1)]), impinge.ArgumentError, "matches `bolt`"),
        (("*", [shift(0), shift(1)]), impinge.ArgumentError, "every part moves"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        impinge.clash_path(wall(), *arguments)  # type: ignore[arg-type]


def test_wrong_options() -> None:
    rows = [shift(0), shift(1)]
    with pytest.raises(impinge.ArgumentError, match="1 times for 2 rows"):
        impinge.clash_path(wall(), "box", rows, times=[0.0])
    with pytest.raises(impinge.ArgumentError, match="not later"):
        impinge.clash_path(wall(), "box", rows, times=[1.0, 1.0])
    with pytest.raises(impinge.ArgumentError, match="row 2 is not finite"):
        impinge.clash_path(wall(), "box", rows, times=[1.0, math.nan])
    with pytest.raises(impinge.ArgumentError, match="pivot"):
        impinge.clash_path(wall(), "box", rows, pivot=[math.inf, 0, 0])
    with pytest.raises(impinge.ArgumentError, match="threads"):
        impinge.clash_path(wall(), "box", rows, threads=0)


def test_progress_can_end_the_check() -> None:
    class Enough(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        assert stage in {"meshes", "pairs"}
        assert 0 <= done <= total
        raise Enough

    scene = impinge.Assembly()
    scene.add("rest", soup(20_000, 1))
    scene.add("moves", soup(20_000, 2), shift(1))
    turns = [about_center(0.3 * row, 0) for row in range(40)]
    with pytest.raises(Enough):
        impinge.clash_path(scene, "moves", turns, progress=stop, threads=1)


def test_one_answer_on_any_number_of_threads() -> None:
    rows = [about_center(0.5 * row, -0.4 * row) for row in range(8)]
    texts = {impinge.clash_path(wall(), "box", rows, threads=threads).json() for threads in (1, 2, None)}
    assert len(texts) == 1
