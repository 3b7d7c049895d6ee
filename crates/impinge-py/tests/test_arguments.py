"""Arguments that are out of range: the exception is one of the package, and names the argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import impinge.collision
from meshes import cube, shift
from test_nc import PATH, block
from test_pickle import assembly, clash_report, robot

TOO_SMALL, TOO_LARGE = -1, 2**70


def world_add(**options: int) -> int:
    return impinge.World().add(cube(), **options)


def path(**options: Any) -> impinge.PathReport:
    return impinge.clash_path(assembly(), "left", np.stack([shift(0), shift(1)]), **options)


#: Calls with one integer, by the name of the argument in the message.
CALLS: dict[str, list[Callable[[Any], Any]]] = {
    "threads": [
        lambda number: impinge.World(threads=number),
        lambda number: impinge.contacts(cube(), cube(), threads=number),
        lambda number: impinge.Pair(cube(), cube()).contacts(threads=number),
        lambda number: impinge.Pair(cube(), cube()).check(np.eye(4)[None], threads=number),
        lambda number: impinge.clash(assembly(), threads=number),
        lambda number: path(threads=number),
        lambda number: impinge.nc(block(), PATH, tool="ball:d=6", threads=number),
    ],
    "limit": [
        lambda number: impinge.clash(assembly(), limit=number),
        lambda number: clash_report().save_pictures("nowhere", limit=number),
    ],
    "group_level": [
        lambda number: impinge.clash(assembly(), group_level=number),
        lambda number: path(group_level=number),
    ],
    "groups": [lambda number: world_add(groups=number)],
    "mask": [lambda number: world_add(mask=number)],
    "the number of a tool": [lambda number: impinge.nc(block(), PATH, tool={number: "ball:d=6"})],
}


def assert_refused(name: str, number: Any, call: Callable[[Any], Any]) -> None:
    with pytest.raises(impinge.ArgumentError) as caught:
        call(number)
    assert re.fullmatch(f"{name} is .*, not {number}", str(caught.value)), caught.value


@pytest.mark.parametrize("name", CALLS)
def test_integers_out_of_range(name: str) -> None:
    for call in CALLS[name]:
        for number in (TOO_SMALL, TOO_LARGE, np.int64(-5)):
            assert_refused(name, number, call)
        with pytest.raises(TypeError):
            call("one")


@pytest.mark.parametrize("argument", ["samples", "seed", "threads"])
def test_integers_of_allowed_collisions(argument: str, tmp_path: Path) -> None:
    arm = robot(tmp_path)
    for number in (TOO_SMALL, TOO_LARGE):
        assert_refused(argument, number, lambda number: arm.allowed_collisions(**{argument: number}))


def test_numbers_of_bodies_that_cannot_exist() -> None:
    world = impinge.World()
    body = world.add(cube())
    calls: list[Callable[[Any], Any]] = [
        world.remove,
        world.pose,
        world.shape,
        lambda number: world.set_pose(number, np.eye(4)),
        lambda number: world.set_poses([body, number], np.tile(np.eye(4), (2, 1, 1))),
        lambda number: world.move_to([number], [np.eye(4)]),
        lambda number: world.set_vertices(number, cube().vertices),
        lambda number: world.ignore(body, number),
        lambda number: world.unignore(number, body),
    ]
    for number in (TOO_SMALL, TOO_LARGE, 7):
        assert number not in world
        for call in calls:
            with pytest.raises(impinge.WorldError, match=f"there is no body {number}:"):
                call(number)
    for call in calls:
        with pytest.raises(TypeError):
            call("one")
    assert world.bodies == [body]


def test_numbers_of_parts_that_cannot_exist() -> None:
    made = assembly()
    for number in (TOO_SMALL, TOO_LARGE, len(made), "none"):
        with pytest.raises(impinge.ArgumentError, match=f"has no part {number!r}"):
            made.part(number)
    for wrong in (1.0, None):
        with pytest.raises(TypeError):
            made.part(wrong)  # type: ignore[arg-type]


def test_the_largest_sets_of_bits_are_accepted() -> None:
    assert world_add(groups=0xFFFFFFFF, mask=0) == 0
    with pytest.raises(impinge.ArgumentError, match="mask is a set of 32 bits"):
        world_add(mask=~1)


#: Calls with one distance, by the name of the argument.
DISTANCES: dict[str, list[Callable[[float], Any]]] = {
    "within": [
        lambda length: impinge.intersects(cube(), cube(), within=length),
        lambda length: impinge.contacts(cube(), cube(), within=length),
        lambda length: impinge.distance(cube(), cube(), within=length),
        lambda length: impinge.check(cube(), cube(), np.eye(4)[None], within=length),
    ],
    "tolerance": [lambda length: impinge.first_impact(cube(), cube(), shift(2), shift(0), tolerance=length)],
    "margin": [
        lambda length: impinge.first_impact(cube(), cube(), shift(2), shift(0), margin=length),
        lambda length: impinge.World().move_to([], np.zeros((0, 4, 4)), margin=length),
    ],
    "clearance": [
        lambda length: impinge.clash(assembly(), clearance=length),
        lambda length: path(clearance=length),
    ],
    "touch": [lambda length: impinge.clash(assembly(), touch=length), lambda length: path(touch=length)],
    "rounding": [lambda length: impinge.Assembly().add("a", cube(), rounding=length)],
    "deviation": [lambda length: impinge.Assembly().add("a", cube(), deviation=length)],
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_out_of_range(name: str) -> None:
    for call in DISTANCES[name]:
        for length in (-1.0, float("nan")):
            with pytest.raises(impinge.ArgumentError, match=f"^{name}"):
                call(length)
        call(0.5)


def test_pairs_of_groups() -> None:
    made = assembly()
    for pair in (("left", "right"), ["left", "right"], [("left", "right")], (["left", "right"],)):
        assert len(impinge.clash(made, between=pair)) == 2, pair  # type: ignore[arg-type]
    assert len(impinge.clash(made, between=[])) == len(impinge.clash(made, between=())) == 3
    for wrong in (("a", "b", "c"), [("a",)], [("a", "b"), ("c",)]):
        with pytest.raises(impinge.ArgumentError, match="^between"):
            impinge.clash(made, between=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        impinge.clash(made, between=3)  # type: ignore[arg-type]


def test_arrays_of_something_else_than_numbers(tmp_path: Path) -> None:
    """NumPy would make numbers of texts, and drop imaginary parts."""
    arm, manager = robot(tmp_path), impinge.collision.CollisionManager()
    texts, imaginary = np.eye(4).astype(str), np.eye(4) * 1j
    calls: dict[str, list[Callable[[Any], Any]]] = {
        "q": [lambda array: arm.check(array[0, :1]), lambda array: arm.check_path(array[:2, :1])],
        "transform": [lambda array: manager.add_object("a", cube(), array)],
        "array": [lambda array: impinge.check(cube(), cube(), array[None])],
    }
    for name, functions in calls.items():
        for call in functions:
            call(np.eye(4, dtype=int))
            for array in (texts, imaginary):
                with pytest.raises(impinge.ArgumentError, match=name):
                    call(array)


def test_values_of_joints(tmp_path: Path) -> None:
    arm = robot(tmp_path)
    assert arm.configuration({"slide": np.float32(0.5)}).tolist() == [0.5]
    for wrong in (None, "1", "x", float("nan"), float("inf"), [1.0], 1j):
        with pytest.raises(impinge.ArgumentError, match="the joint 'slide'"):
            arm.check({"slide": wrong})  # type: ignore[dict-item]


def test_names_of_obstacles_are_texts(tmp_path: Path) -> None:
    arm = robot(tmp_path)
    with pytest.raises(TypeError, match="name is a int"):
        arm.add_obstacle(cube(), name=3)  # type: ignore[arg-type]
    assert arm.obstacles == {}
