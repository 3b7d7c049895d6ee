"""Worlds, against queries of every pair."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest

import impinge
from meshes import cube, poses, shift, soup


@pytest.mark.parametrize("threads", [1, None])
def test_a_step_finds_what_pairs_find(threads: int | None) -> None:
    shapes = [impinge.Shape(soup(30, seed)) for seed in range(3)]
    world = impinge.World(threads=threads)
    bodies = [world.add(shapes[number % 3], pose) for number, pose in enumerate(poses(25, 3.0, 1))]
    assert bodies == list(range(25)) and len(world) == 25
    touched = 0
    for step in range(5):
        places = poses(25, 3.0, step + 2)
        world.set_poses(bodies, places)
        found = world.step()
        expected = {}
        for a, b in combinations(bodies, 2):
            faces = impinge.contacts(shapes[a % 3], shapes[b % 3], places[b], pose_a=places[a])
            if len(faces):
                expected[a, b] = faces.tolist()
        pairs = [tuple(pair) for pair in found.pairs.tolist()]
        assert pairs == sorted(expected), f"step {step}"
        for number, pair in enumerate(pairs):
            faces = found.faces[found.offsets[number] : found.offsets[number + 1]]
            assert faces.tolist() == expected[pair], f"step {step}, pair {pair}"
        touched += len(pairs)
    assert touched > 20


def test_pairs_begin_and_end() -> None:
    world = impinge.World()
    still, moving = world.add(cube(), fixed=True), world.add(cube(), shift(3))
    assert len(world.step()) == 0
    world.set_pose(moving, shift(0.5))
    step = world.step()
    assert step.began.tolist() == [[still, moving]] and step.ended.tolist() == []
    world.set_pose(moving, shift(3))
    assert world.step().ended.tolist() == [[still, moving]]
    assert (world.pose(moving) == shift(3)).all()


def test_removed_bodies_and_ignored_pairs() -> None:
    world = impinge.World()
    a, b, c = (world.add(cube(), shift(0.3 * number)) for number in range(3))
    world.ignore(a, b)
    assert world.step().pairs.tolist() == [[a, c], [b, c]]
    world.remove(c)
    assert world.step().pairs.tolist() == []
    world.unignore(a, b)
    assert world.step().pairs.tolist() == [[a, b]]
    assert c not in world and world.bodies == [a, b]
    assert world.add(cube()) == 3, "numbers are not used again"
    for call in (lambda: world.remove(c), lambda: world.pose(99), lambda: world.set_pose(c, np.eye(4))):
        with pytest.raises(impinge.WorldError, match="there is no body"):
            call()


def test_groups_filter_pairs() -> None:
    world = impinge.World()
    world.add(cube(), groups=1, mask=2)
    world.add(cube(), groups=1, mask=2)
    world.add(cube(), groups=2, mask=1)
    assert world.step().pairs.tolist() == [[0, 2], [1, 2]]


def test_worlds_are_picklable() -> None:
    world = impinge.World()
    a, b, c = (world.add(impinge.Shape(cube()), shift(0.3 * number), fixed=number == 0) for number in range(3))
    world.ignore(a, b)
    world.remove(b)
    again = pickle.loads(pickle.dumps(world))
    assert again.bodies == [a, c]
    step = again.step()
    assert step.pairs.tolist() == world.step().pairs.tolist() == [[a, c]]
    assert again.add(cube()) == 3
    copied = pickle.loads(pickle.dumps(step))
    assert copied.faces.tolist() == step.faces.tolist() and len(copied) == 1


def test_bodies_deform() -> None:
    world = impinge.World()
    a, b = world.add(cube()), world.add(cube(), shift(1.5))
    assert len(world.step()) == 0
    world.set_vertices(a, np.array(cube().vertices) * [2, 1, 1])
    assert world.step().pairs.tolist() == [[a, b]]
    assert world.shape(a).mesh.vertices.max() == 2
    again = pickle.loads(pickle.dumps(world))
    assert again.step().pairs.tolist() == [[a, b]]
    with pytest.raises(impinge.WorldError):
        world.set_vertices(a, np.zeros((3, 3)))


def test_impacts_between_steps() -> None:
    world = impinge.World()
    a, b = world.add(cube()), world.add(cube(), shift(-3.0))
    (impact,) = world.move_to([b], [shift(3.0)])
    time, first, second, face_a, face_b = impact
    assert (first, second) == (a, b) and time == pytest.approx(1 / 3, abs=1e-9)
    assert 0 <= face_a < 12 and 0 <= face_b < 12
    assert (world.pose(b) == shift(3.0)).all()
    assert world.move_to([b], [shift(4.0)]) == []
    with pytest.raises(impinge.PoseError, match="1 bodies, but 2 poses"):
        world.move_to([b], [shift(4.0), shift(5.0)])


def test_shapes_of_other_methods_are_refused() -> None:
    world = impinge.World()
    world.add(impinge.Shape(cube(), "obb"))
    with pytest.raises(impinge.WorldError, match="prepared by"):
        world.add(cube())
    assert len(world) == 1


def test_a_refused_move_leaves_nothing_behind() -> None:
    world = impinge.World()
    world.remove(world.add(cube()))
    a, b, wall = world.add(cube()), world.add(cube(), shift(9)), world.add(cube(), shift(2), fixed=True)
    half_turn = np.diag([-1.0, -1, 1, 1])
    with pytest.raises(impinge.WorldError, match=f"body {b}: .*180 degrees"):
        world.move_to([a, b], [shift(4), half_turn])
    # The next call would have moved the first body into the wall.
    assert world.move_to([], np.zeros((0, 4, 4))) == []
    assert np.array_equal(world.pose(a), np.eye(4)) and np.array_equal(world.pose(b), shift(9))
    assert [hit[1:3] for hit in world.move_to([a], [shift(1.5)])] == [(a, wall)]
