"""Results of queries: equal if their contents are, with all that differs found; items of reports by index and by slice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import impinge.collision
from meshes import cube, shift
from test_nc import block
from test_pickle import robot

MILLING = "x,y,z\n-10,25,5\n25,25,5\n25,25,-1.5\n25,25,5\n30,25,5\n30,25,-2\n60,25,5\n"


def row(places: Sequence[float], **options: Any) -> impinge.ClashReport:
    """The report of cubes in a row, which penetrate their neighbours."""
    made = impinge.Assembly(units="mm")
    for number, place in enumerate(places):
        made.add(f"cube {number}", cube(), shift(place))
    return impinge.clash(made, **options)


def path(places: Sequence[float], end: float = 20.0) -> impinge.PathReport:
    """The report of a cube that moves through a row of others."""
    made = impinge.Assembly(units="mm")
    for number, place in enumerate(places):
        made.add(f"cube {number}", cube(), shift(place, 0.1, 0.1))
    made.add("mover", cube(0.9))
    return impinge.clash_path(made, "mover", np.stack([shift(-2), shift(end)]))


def milling(depth: float = 0.0) -> impinge.NcReport:
    program = MILLING.replace("-1.5", str(-1.5 - depth))
    return impinge.nc(block(), program, tool="ball:d=6,length=30")


def collision(faces: list[list[int]] | None, is_inside: bool = False) -> impinge.Collision:
    array = None if faces is None else np.array(faces, np.uint32).reshape(-1, 2)
    return impinge.Collision(("a", "b"), ("a", "b"), is_inside, array)


def contact(place: float) -> Any:
    manager = impinge.collision.CollisionManager()
    manager.add_object("a", cube())
    manager.add_object("b", cube(), shift(place))
    return manager.in_collision_internal(return_data=True)[1][0]


def nearest(place: float) -> Any:
    manager = impinge.collision.CollisionManager()
    manager.add_object("a", cube())
    if place > 0:
        manager.add_object("b", cube(), shift(place))
    return manager.min_distance_internal(return_data=True)[1]


def step(place: float) -> impinge.Step:
    world = impinge.World()
    world.add(cube())
    world.add(cube(), shift(place))
    return world.step()


PLACES = [0, 0.9, 1.7, 2.4, 3.0]

#: Functions that make a result, each with several arguments; all results differ.
DIFFERENT: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "Distance": (lambda x: impinge.distance(cube(), cube(), shift(x, x / 3)), [2, 3, 4]),
    "Impact": (lambda x: impinge.first_impact(cube(), cube(), shift(x, 0.1 * x), shift(0)), [2, 3, 4]),
    "Step": (step, [0.5, 1, 3]),
    "Clash": (lambda number: row(PLACES)[number], [0, 1, 2, 3]),
    "Clash of other assemblies": (lambda x: row([0, x])[0], [0.7, 0.8, 0.9]),
    "allowed Clash": (lambda allow: row([0, 0.7], allow=allow)[0], [None, "penetrating"]),
    "ClashReport": (row, [[0, 3], [0, 0.9], PLACES, PLACES[:4]]),
    "PathClash": (lambda number: path([0, 3])[number], [0, 1]),
    "PathReport": (lambda end: path([0, 3], end), [4, 5]),
    "Gouge": (lambda number: milling()[number], [0, 1, 2, 3]),
    "NcReport": (milling, [0, 0.1]),
    "Collision": (collision, [None, [], [[0, 1]], [[1, 0]], [[0, 1], [2, 3]]]),
    "Collision inside": (lambda is_inside: collision([[0, 1]], is_inside), [False, True]),
    "ContactData": (contact, [0.5, 0.7]),
    "DistanceData": (nearest, [0, 2, 3]),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_results_are_equal_if_their_contents_are(name: str) -> None:
    make, arguments = DIFFERENT[name]
    once, again = ([make(argument) for argument in arguments] for _ in range(2))
    for i, a in enumerate(once):
        for k, b in enumerate(again):
            assert (a == b) is (i == k), (name, arguments[i], arguments[k])
            assert (a != b) is (i != k), (name, arguments[i], arguments[k])
    if name == "Step":
        with pytest.raises(TypeError, match="unhashable"):
            hash(once[0])
        return
    assert [hash(a) for a in once] == [hash(a) for a in again]
    assert set(once) == set(again) and len({*once, *again}) == len(once)


def test_collisions_of_a_robot_compare(tmp_path: Path) -> None:
    arm = robot(tmp_path)
    arm.add_obstacle(cube(), shift(1), name="wall")
    found, again = (arm.collisions([1.0], faces=True) for _ in range(2))
    assert found and found[0].faces is not None and len(found[0].faces) > 0
    assert found == again and set(found) == set(again)
    assert found != arm.collisions([1.0])
    allowed = arm.allowed_collisions(samples=10)
    assert hash(allowed) == hash(arm.allowed_collisions(samples=10))


def test_new_clashes_by_sets() -> None:
    """What a later check finds that an earlier one did not."""
    new = set(row([0, 0.9, 1.7])) - set(row([0, 0.9, 3.0]))
    assert {(found.a, found.b) for found in new} == {("cube 1", "cube 2")}


REPORTS: dict[str, Callable[[], Any]] = {
    "clash": lambda: row(PLACES),
    "path": lambda: path([0, 3, 6, 9]),
    "nc": milling,
}


@pytest.mark.parametrize("name", REPORTS)
def test_slices_of_reports_are_those_of_lists(name: str) -> None:
    report = REPORTS[name]()
    listed = list(report)
    count = len(report)
    assert count >= 3 and len(set(listed)) == count
    ends = [None, *range(-count - 2, count + 3), 10**30, -(10**30)]
    for first in ends:
        for last in ends:
            for pace in (None, 1, 2, -1, -2, count + 1, -(10**30)):
                part = slice(first, last, pace)
                found = report[part]
                assert type(found) is list and found == listed[part], part
    for index in range(-count, count):
        assert report[index] == listed[index]
    assert report[np.int64(1)] == listed[1] and list(reversed(report)) == listed[::-1]
    assert listed[1] in report and report[:][-1] is not report


@pytest.mark.parametrize("name", REPORTS)
def test_wrong_indices_of_reports(name: str) -> None:
    report = REPORTS[name]()
    for index in (len(report), -len(report) - 1, 10**30, -(10**30)):
        with pytest.raises(IndexError, match=f"there are {len(report)} "):
            report[index]
    for wrong in ("0", 1.0, None, (0, 1)):
        with pytest.raises(TypeError):
            report[wrong]
    with pytest.raises(ValueError, match="zero"):
        report[::0]
