"""Queries of two shapes, against rational arithmetic and against each other."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import impinge
from exact import placed, touch
from meshes import cube, poses, shift, soup


def test_contacts_are_those_of_rational_arithmetic() -> None:
    checked = 0
    for seed in range(12):
        a, b = soup(14, seed, 0.5), soup(14, seed + 1000, 0.5)
        pose_a, pose = poses(2, 0.5, seed)
        corners_a = placed(np.array(a.vertices), pose_a)[np.array(a.faces)]
        corners_b = placed(np.array(b.vertices), pose)[np.array(b.faces)]
        expected = [[i, j] for i, p in enumerate(corners_a) for j, q in enumerate(corners_b) if touch(p, q)]
        found = impinge.contacts(a, b, pose, pose_a=pose_a)
        assert found.dtype == np.uint32
        assert found.tolist() == expected, f"seed {seed}"
        assert impinge.intersects(a, b, pose, pose_a=pose_a) == bool(expected), f"seed {seed}"
        distance = impinge.distance(a, b, pose, pose_a=pose_a)
        assert distance is not None
        assert (distance.distance == 0) == bool(expected), f"seed {seed}"
        checked += len(expected)
    assert checked > 50, f"the soups hardly touch: {checked}"


def test_the_oracle_knows_touching_and_degenerate_triangles() -> None:
    floor = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    assert touch(floor, floor)
    assert touch(floor, floor + [1, 0, 0])
    assert not touch(floor, floor + [np.nextafter(1, 2), 0, 0])
    assert touch(floor, np.array([[0.25, 0.25, -1], [0.25, 0.25, 1], [0.25, 0.25, 1]]))
    assert not touch(floor, floor + [0, 0, 5e-324])


@pytest.mark.parametrize("method", [name for name, _ in impinge.methods()])
def test_all_methods_agree(method: str) -> None:
    a, b = soup(40, 1), soup(60, 2)
    pose = poses(1, 0.5, 3)[0]
    expected = impinge.contacts(impinge.Shape(a, "brute"), impinge.Shape(b, "brute"), pose)
    found = impinge.contacts(impinge.Shape(a, method), impinge.Shape(b, method), pose)
    assert len(expected) > 10
    assert found.tolist() == expected.tolist()


def test_touching_counts_and_a_last_bit_decides() -> None:
    one = cube()
    assert impinge.intersects(one, one, shift(1.0))
    assert not impinge.intersects(one, one, shift(np.nextafter(1.0, 2.0)))
    assert impinge.intersects(one, one, shift(1.5), within=0.5)
    assert not impinge.intersects(one, one, shift(1.5), within=0.4999)
    assert len(impinge.contacts(one, one, shift(1.5), within=0.5)) > 0


def test_distance_and_points() -> None:
    one = cube()
    found = impinge.distance(one, one, shift(3.0, 0.25))
    assert found is not None
    assert found.distance == 2.0 and float(found) == 2.0
    assert found.points.shape == (2, 3)
    assert np.linalg.norm(found.points[0] - found.points[1]) == pytest.approx(2.0)
    assert impinge.distance(one, one, shift(3.0), within=1.9) is None
    empty = impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    assert impinge.distance(one, empty) is None


def test_a_pair_keeps_its_answers() -> None:
    a, b = soup(50, 5), soup(50, 6)
    pair = impinge.Pair(a, b)
    for seed, pose in enumerate(poses(50, 1.0, 7)):
        assert pair.intersects(pose) == impinge.intersects(a, b, pose), f"pose {seed}"
        assert pair.contacts(pose).tolist() == impinge.contacts(a, b, pose).tolist(), f"pose {seed}"
    assert pair.shapes == (a, b)


def test_shapes_of_different_methods_are_refused() -> None:
    one = cube()
    with pytest.raises(impinge.ArgumentError, match="obb"):
        impinge.intersects(impinge.Shape(one, "wide"), impinge.Shape(one, "obb"))
    with pytest.raises(impinge.ArgumentError, match="quick"):
        impinge.Shape(one, "quick")


@pytest.mark.parametrize("bad", [7, "mesh", None, [[0, 0, 0]]])
def test_arguments_of_other_types_are_refused(bad: object) -> None:
    with pytest.raises(TypeError, match=r"impinge\.Shape"):
        impinge.intersects(cube(), bad)  # type: ignore[arg-type]


def test_poses_are_checked_at_the_door() -> None:
    one = cube()
    for matrix, text in [
        (np.diag([1, 1, 2, 1.0]), "rotation"),
        (np.diag([1, 1, -1, 1.0]), "mirrors"),
        (np.full((4, 4), np.nan), "nan|NaN|finite"),
        (np.eye(3), r"shape \(3, 3\)"),
        (np.zeros(16), r"shape \(16,\)"),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]], "last row"),
    ]:
        with pytest.raises(impinge.PoseError, match=text):
            impinge.intersects(one, one, matrix)
    with pytest.raises(impinge.ArgumentError, match="at least 0"):
        impinge.intersects(one, one, within=-1.0)
    with pytest.raises(impinge.ArgumentError, match="NaN"):
        impinge.intersects(one, one, within=float("nan"))


def test_poses_of_any_layout_are_the_same_pose() -> None:
    a, b = soup(50, 5), soup(50, 6)
    pose = poses(1, 0.3, 8)[0]
    expected = impinge.contacts(a, b, pose).tolist()
    assert expected
    for other in (
        np.asfortranarray(pose),
        pose[:3],
        pose.tolist(),
        np.tile(pose, (2, 2))[::1, ::1][4:, :4],
        pose.copy("F")[:3],
    ):
        assert impinge.contacts(a, b, other).tolist() == expected
    turned = np.zeros((8, 8))
    turned[::2, ::2] = pose
    assert impinge.contacts(a, b, turned[::2, ::2]).tolist() == expected


def test_single_precision_poses_are_accepted() -> None:
    one = cube()
    assert impinge.intersects(one, one, shift(0.5).astype(np.float32))
    assert impinge.intersects(one, one, shift(1).astype(int))


def test_first_impact() -> None:
    one = cube()
    hit = impinge.first_impact(one, one, shift(3.0), shift(-1.0))
    assert hit is not None
    assert hit.time == pytest.approx(0.5, abs=1e-9)
    assert abs(hit.normal[0]) == pytest.approx(1.0)
    assert impinge.first_impact(one, one, shift(3.0), shift(1.01)) is None
    assert impinge.first_impact(one, one, shift(3.0), shift(1.01), margin=0.1) is not None
    both = impinge.first_impact(one, one, shift(3.0), shift(1.0), start_a=shift(0.0), end_a=shift(2.0))
    assert both is not None and both.time == pytest.approx(0.5, abs=1e-9)
    half_turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    with pytest.raises(impinge.PoseError, match="half a turn"):
        impinge.first_impact(one, one, np.eye(4), half_turn)


def test_first_impact_is_not_missed_between_samples() -> None:
    """A thin plate that passes through another between the ends."""
    thin = impinge.Mesh(np.array(cube().vertices) * [0.001, 1, 1], np.array(cube().faces))
    assert not impinge.intersects(thin, thin, shift(-1)) and not impinge.intersects(thin, thin, shift(1))
    hit = impinge.first_impact(thin, thin, shift(-1.0), shift(1.0))
    assert hit is not None and hit.time == pytest.approx(0.4995, abs=1e-6)


def test_answers_are_picklable() -> None:
    one = cube()
    gap = impinge.distance(one, one, shift(3.0))
    again = pickle.loads(pickle.dumps(gap))
    assert gap is not None and (again.distance, again.faces) == (gap.distance, gap.faces)
    assert (again.points == gap.points).all()
    hit = impinge.first_impact(one, one, shift(3.0), shift(-1.0))
    copy = pickle.loads(pickle.dumps(hit))
    assert hit is not None and (copy.time, copy.faces, copy.distance) == (hit.time, hit.faces, hit.distance)
    assert (copy.points == hit.points).all() and (copy.normal == hit.normal).all()
    assembly = impinge.Assembly(units="mm")
    assembly.add("one", one, shift(2.0), id="x")
    part = pickle.loads(pickle.dumps(assembly.part("one")))
    assert (part.name, part.id, part.mesh) == ("one", "x", one) and (part.pose == shift(2.0)).all()
