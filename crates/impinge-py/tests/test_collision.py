"""The collision manager: by itself, without trimesh."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from itertools import product

import numpy as np
import pytest

import impinge
from impinge.collision import CollisionManager, ContactData, DistanceData, mesh_to_BVH
from meshes import cube
from rational import in_convex, rational, surfaces_meet, triangles_meet
from scenes import moved, rotation

TRIANGLE = type("Triangle", (), {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]})


class Box:
    """A mesh that is not of any package: a box around the origin."""

    def __init__(self, *size: float) -> None:
        self.vertices = (np.array(list(product((0, 1), repeat=3))) - 0.5) * size
        self.faces = np.asarray(cube().faces)


def test_trimesh_and_fcl_are_not_needed() -> None:
    code = "import sys, impinge.collision; sys.exit('trimesh' in sys.modules or 'fcl' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_names_and_results_have_the_types_of_trimesh() -> None:
    manager = CollisionManager()
    assert manager.in_collision_internal() is False
    assert manager.in_collision_internal(True, True) == (False, set(), [])
    manager.add_object("b", Box(1, 1, 1))
    manager.add_object("a", Box(1, 1, 1), moved(0.75))
    manager.add_object("c", Box(1, 1, 1), moved(3))
    hit, names, contacts = manager.in_collision_internal(return_names=True, return_data=True)
    assert hit is True and names == {("a", "b")}
    assert all(isinstance(contact, ContactData) and contact.names == {"a", "b"} for contact in contacts)
    assert manager.in_collision_internal(return_data=True)[0] is True
    hit, names, contacts = manager.in_collision_single(Box(1, 1, 1), moved(2.2), return_names=True, return_data=True)
    assert hit is True and names == {"c"}
    assert all(contact.names == {"c", "__external"} for contact in contacts)
    other = CollisionManager()
    other.add_object("x", Box(1, 1, 1), moved(2.2))
    hit, names, contacts = manager.in_collision_other(other, return_names=True, return_data=True)
    assert hit is True and names == {("c", "x")}
    distance, name, data = manager.min_distance_single(Box(1, 1, 1), moved(5), return_name=True, return_data=True)
    assert distance == 1.0 and name == "c" and isinstance(data, DistanceData) and data.names == {"c", "__external"}
    assert data.point("c")[0] == 3.5 and data.point("__external")[0] == 4.5
    distance, names = manager.min_distance_other(other, return_names=True)
    assert distance == pytest.approx(-0.2) and names == ("c", "x")
    distance, names, data = manager.min_distance_internal("c", return_names=True, return_data=True)
    assert distance == 1.25 and names == ("a", "c") and data.distance == distance
    assert np.linalg.norm(data.point("a") - data.point("c")) == pytest.approx(1.25)


def test_there_is_nothing_to_measure() -> None:
    manager = CollisionManager()
    largest = sys.float_info.max
    assert manager.min_distance_internal() == largest
    assert manager.min_distance_internal(return_names=True) == (largest, (None, None))
    assert manager.min_distance_single(Box(1, 1, 1), return_name=True) == (largest, None)
    manager.add_object("a", Box(1, 1, 1))
    assert manager.min_distance_internal("a") == largest
    assert manager.min_distance_other(CollisionManager(), return_names=True) == (largest, (None, None))
    # A mesh without faces is nowhere.
    empty = impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    manager.add_object("empty", empty)
    assert not manager.in_collision_internal() and manager.min_distance_internal() == largest


def test_a_convex_mesh_is_a_solid() -> None:
    inner, outer = Box(1, 1, 1), Box(5, 5, 5)
    manager = CollisionManager()
    manager.add_object("outer", outer)
    manager.add_object("inner", inner, moved(0.25))
    hit, names, (contact,) = manager.in_collision_internal(True, True)
    assert hit and names == {("inner", "outer")}
    # The shortest way out for the inner box is along x.
    assert contact.depth == pytest.approx(2.75) and contact.normal == pytest.approx([-1, 0, 0])
    assert manager.min_distance_internal() == pytest.approx(-2.75)
    # An open box is a surface: nothing is inside of it.
    lid = Box(5, 5, 5)
    lid.faces = lid.faces[:-2]
    manager.add_object("outer", lid)
    assert not manager.in_collision_internal() and manager.min_distance_internal() == pytest.approx(1.75)
    # So is a closed mesh that is not convex; but a convex mesh is a solid for such a mesh, too.
    two = impinge.Mesh(
        np.concatenate((Box(1, 1, 1).vertices, Box(1, 1, 1).vertices + [10, 0, 0])),
        np.concatenate((lid_faces := Box(1, 1, 1).faces, lid_faces + 8)),
    )
    manager = CollisionManager()
    manager.add_object("two", two)
    assert not manager.in_collision_single(Box(0.1, 0.1, 0.1))
    assert manager.in_collision_single(Box(5, 5, 5), moved(10))
    assert manager.min_distance_single(Box(5, 5, 5), moved(10)) == 0.0
    (contact,) = manager.in_collision_single(Box(5, 5, 5), moved(10), return_data=True)[1]
    assert contact.depth == pytest.approx(2.0)


def separating_depth(a: np.ndarray, b: np.ndarray, axes: np.ndarray) -> float:
    """Return how far convex corners must be moved apart, at least, along one of some axes."""
    lengths = np.linalg.norm(axes, axis=1)
    axes = axes[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    low_a, high_a, low_b, high_b = (f(corners @ axes.T, axis=0) for corners in (a, b) for f in (np.min, np.max))
    return float(np.minimum(high_a - low_b, high_b - low_a).min())


@pytest.mark.parametrize("seed", range(40))
def test_depths_of_convex_meshes_are_the_shortest_way_apart(seed: int) -> None:
    random = np.random.default_rng(seed)
    boxes = [Box(*random.uniform(0.5, 2, 3)) for _ in range(2)]
    place = rotation(random)
    place[:3, 3] = random.normal(size=3) * 0.4
    manager = CollisionManager()
    manager.add_object("a", boxes[0])
    hit, contacts = manager.in_collision_single(boxes[1], place, return_data=True)
    distance, data = manager.min_distance_single(boxes[1], place, return_data=True)
    corners = [boxes[0].vertices, boxes[1].vertices @ place[:3, :3].T + place[:3, 3]]
    sides = [np.eye(3), place[:3, :3].T]
    crossed = np.cross(sides[0][:, None], sides[1][None]).reshape(-1, 3)
    depth = separating_depth(*corners, np.concatenate((*sides, crossed)))
    assert hit == (depth >= 0), f"seed {seed}"
    if depth < 0:
        assert distance > 0 and not contacts
        return
    assert distance == pytest.approx(-depth, abs=1e-9), f"seed {seed}"
    points = data.point("__external") - data.point("a")
    assert np.linalg.norm(points) == pytest.approx(depth, abs=1e-9), f"seed {seed}"
    for contact in contacts:
        assert contact.depth == pytest.approx(depth, abs=1e-9)
        # Moved by the depth along the normal, the second box is free.
        axis = contact.normal
        assert (corners[1] @ axis).min() + contact.depth >= (corners[0] @ axis).max() - 1e-9, f"seed {seed}"


@pytest.mark.parametrize("seed", range(30))
def test_results_are_exact_for_random_boxes(seed: int) -> None:
    """Coordinates of few bits make faces coplanar and corners meet."""
    random = np.random.default_rng(seed)
    manager = CollisionManager()
    bodies = {}
    for number in range(6):
        box = Box(*random.integers(1, 5, 3) / 2)
        place = moved(*random.integers(-4, 5, 3) / 2)
        manager.add_object(number, box, place)
        bodies[number] = (box.vertices + place[:3, 3])[box.faces]
    expected = set()
    for a in bodies:
        for b in range(a):
            one, other = bodies[a], bodies[b]
            is_inside = in_convex(one[0, 0], other) or in_convex(other[0, 0], one)
            if is_inside or surfaces_meet(one, other) is not None:
                expected.add((b, a))
    hit, names, contacts = manager.in_collision_internal(True, True)
    assert names == expected and hit == bool(expected) == manager.in_collision_internal(), f"seed {seed}"
    assert (manager.min_distance_internal() <= 0) == bool(expected)
    for contact in contacts:
        a, b = contact.names
        faces = [rational(bodies[name][contact.index(name)]) for name in (a, b)]
        if len([other for other in contacts if other.names == contact.names]) > 1:
            assert triangles_meet(*faces), f"seed {seed}: {contact}"


def test_points_lie_on_both_faces() -> None:
    manager = CollisionManager()
    ball = impinge.Mesh(*sphere(12))
    manager.add_object("ball", ball)
    place = rotation(np.random.default_rng(3))
    place[:3, 3] = [1.2, 0.3, -0.4]
    contacts = manager.in_collision_single(ball, place, return_data=True)[1]
    assert len(contacts) > 10
    for contact in contacts:
        for name, matrix in (("ball", np.eye(4)), ("__external", place)):
            a, b, c = ball.vertices[ball.faces[contact.index(name)]] @ matrix[:3, :3].T + matrix[:3, 3]
            normal = np.cross(b - a, c - a)
            assert abs((contact.point - a) @ normal) < 1e-12
            weights = [np.cross(q - p, contact.point - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
            assert min(weights) > -1e-12


def sphere(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed, dented ball, which is not convex."""
    rows = [
        [np.sin(t) * np.cos(u) * r, np.sin(t) * np.sin(u) * r, np.cos(t) * r]
        for i, t in enumerate(np.linspace(0, np.pi, count + 1)[1:-1])
        for k, u in enumerate(np.linspace(0, 2 * np.pi, 2 * count, endpoint=False))
        for r in [1.0 - 0.1 * ((i + k) % 2)]
    ]
    n = 2 * count
    faces = []
    for i in range(count - 2):
        for k in range(n):
            a, b = i * n + k, i * n + (k + 1) % n
            faces += [[a, a + n, b], [b, a + n, b + n]]
    top, bottom = len(rows), len(rows) + 1
    faces += [[top, k, (k + 1) % n] for k in range(n)]
    last = (count - 2) * n
    faces += [[bottom, last + (k + 1) % n, last + k] for k in range(n)]
    return np.array([*rows, [0, 0, 1], [0, 0, -1]]), np.array(faces)


@pytest.mark.parametrize("seed", range(25))
def test_a_transform_that_scales_mirrors_or_shears_means_the_moved_vertices(seed: int) -> None:
    random = np.random.default_rng(seed)
    ball = impinge.Mesh(*sphere(8))
    place = np.eye(4)
    kind = seed % 5
    place[:3, :3] = rotation(random)[:3, :3] @ (
        np.diag([2.0, 2.0, 2.0]) if kind == 0
        else np.diag(random.uniform(0.5, 3, 3)) if kind == 1
        else np.diag([-1.0, 1.0, 1.0]) if kind == 2
        else np.eye(3) + random.normal(size=(3, 3)) * 0.3 if kind == 3
        else np.diag([-0.001, 0.001, 0.001])
    )  # fmt: skip
    place[:3, 3] = random.normal(size=3)
    target = Box(*random.uniform(0.5, 3, 3))
    scaled, plain = CollisionManager(), CollisionManager()
    scaled.add_object("ball", ball, place)
    mirror = np.linalg.det(place[:3, :3]) < 0
    baked = impinge.Mesh(ball.vertices @ place[:3, :3].T + place[:3, 3], ball.faces[:, ::-1] if mirror else ball.faces)
    plain.add_object("ball", baked)
    assert scaled.in_collision_single(target) == plain.in_collision_single(target), f"seed {seed}"
    a, b = (it.min_distance_single(target) for it in (scaled, plain))
    assert a == pytest.approx(b, rel=1e-9, abs=1e-9), f"seed {seed}"
    # Also when the scale comes later, and goes again.
    scaled.set_transform("ball", np.eye(4))
    plain.add_object("ball", ball)
    assert scaled.min_distance_single(target) == plain.min_distance_single(target)
    scaled.set_transform("ball", place)
    assert scaled.min_distance_single(target) == a
    turned = moved(0.1, 0.2, 0.3) @ place
    scaled.set_transform("ball", turned)
    assert scaled._objs["ball"].transform == pytest.approx(turned)


def test_a_mirrored_solid_is_one_still() -> None:
    manager = CollisionManager()
    manager.add_object("box", Box(4, 4, 4), np.diag([-1.0, 2.0, 1.0, 1.0]))
    assert manager.in_collision_single(Box(1, 1, 1))
    assert manager.min_distance_single(Box(1, 1, 1)) == pytest.approx(-2.5)
    # Flattened to a plane, it is a surface.
    manager.set_transform("box", np.diag([1.0, 1.0, 0.0, 1.0]))
    assert not manager.in_collision_single(Box(1, 1, 1), moved(0, 0, 1))
    assert manager.in_collision_single(Box(1, 1, 1), moved(0, 0, 0.5))


@pytest.mark.parametrize("seed", range(8))
def test_a_changed_manager_is_as_a_new_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    shapes = [Box(1, 2, 1), impinge.Mesh(*sphere(6)), TRIANGLE, Box(3, 3, 3)]
    manager = CollisionManager()
    current: dict[str, tuple[object, np.ndarray]] = {}
    for _ in range(60):
        name = f"body {random.integers(8)}"
        place = rotation(random)
        place[:3, 3] = random.normal(size=3) * 2
        action = random.integers(3)
        if action == 0 or name not in current:
            current[name] = (shapes[random.integers(len(shapes))], place)
            manager.add_object(name, *current[name])
        elif action == 1:
            current[name] = (current[name][0], place)
            manager.set_transform(name, place)
        else:
            del current[name]
            manager.remove_object(name)
        new = CollisionManager()
        for other, (mesh, matrix) in current.items():
            new.add_object(other, mesh, matrix)
        assert manager.in_collision_internal(True) == new.in_collision_internal(True), f"seed {seed}"
        assert manager.min_distance_internal() == pytest.approx(new.min_distance_internal(), abs=1e-12)


def test_pickled_managers_keep_their_bodies() -> None:
    manager = CollisionManager()
    manager.add_object("a", Box(1, 1, 1))
    manager.add_object(("b", 2), impinge.Mesh(*sphere(5)), np.diag([2.0, 1.0, 1.0, 1.0]))
    copy = pickle.loads(pickle.dumps(manager))
    assert copy.in_collision_internal(True) == manager.in_collision_internal(True)
    assert copy.min_distance_internal() == manager.min_distance_internal()


def test_changed_meshes_are_prepared_again() -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.box()
    manager = CollisionManager()
    manager.add_object("a", Box(1, 1, 1), moved(2.5))
    assert manager.min_distance_single(mesh) == pytest.approx(1.5)
    mesh.vertices[:, 0] += 1
    assert manager.min_distance_single(mesh) == pytest.approx(0.5)
    mesh.vertices += [0.25, 0, 0]
    assert manager.min_distance_single(mesh) == pytest.approx(0.25)


def test_bad_input_is_named() -> None:
    manager = CollisionManager()
    manager.add_object("a", Box(1, 1, 1))
    with pytest.raises(ValueError, match="b not in collision manager"):
        manager.remove_object("b")
    with pytest.raises(ValueError, match="b not in collision manager"):
        manager.set_transform("b", np.eye(4))
    with pytest.raises(ValueError, match="b not in collision manager"):
        manager.min_distance_internal("b")
    with pytest.raises(impinge.PoseError, match="4,4"):
        manager.set_transform("a", np.eye(3))
    with pytest.raises(impinge.PoseError):
        manager.set_transform("a", np.full((4, 4), np.nan))
    with pytest.raises(impinge.PoseError, match="last row"):
        manager.add_object("b", Box(1, 1, 1), np.ones((4, 4)))
    with pytest.raises(impinge.MeshError, match="list"):
        manager.add_object("b", [1, 2])  # type: ignore[arg-type]
    with pytest.raises(impinge.MeshError, match="vertex"):
        manager.add_object("b", type("M", (), {"vertices": [[0, 0, 0]], "faces": [[0, 1, 2]]}))
    with pytest.raises(TypeError, match="other_manager"):
        manager.in_collision_other(object())  # type: ignore[call-overload]
    # Nothing of this has changed the manager.
    assert manager.in_collision_single(Box(1, 1, 1), return_names=True) == (True, {"a"})
    assert list(manager._objs) == ["a"]


def test_prepared_shapes_of_any_method() -> None:
    manager = CollisionManager()
    manager.add_object("a", mesh_to_BVH(Box(1, 1, 1)))
    for method, _ in impinge.methods():
        manager.add_object("b", impinge.Shape(impinge.Mesh(*sphere(4)), method), moved(1.2))
        assert manager.in_collision_internal(), method


def test_two_managers_ask_each_other_from_two_threads() -> None:
    managers = [CollisionManager(), CollisionManager()]
    for manager in managers:
        for number in range(20):
            manager.add_object(number, Box(1, 1, 1), moved(number * 0.9))
    found = []

    def ask(a: CollisionManager, b: CollisionManager) -> None:
        found.extend(len(a.in_collision_other(b, return_names=True)[1]) for _ in range(50))

    threads = [threading.Thread(target=ask, args=pair) for pair in (managers, managers[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert found == [58] * 100
