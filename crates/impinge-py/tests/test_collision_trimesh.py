"""The collision manager beside trimesh's own, which uses FCL, on real scenes.

Where the two differ, rational arithmetic decides who is right; `docs/python-trimesh.md` lists the differences.
"""

from __future__ import annotations

import inspect
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import exact
import impinge
import impinge.collision as ours
from conftest import data, needs
from impinge._convex import is_convex
from rational import in_convex, rational, surfaces_meet, triangles_meet
from scenes import Body, file_scene, load_mesh, mechanism, moved, panda, rotation, tumbling

trimesh = needs("trimesh")
needs("fcl")
theirs = needs("trimesh.collision")

#: FCL measures distances of surfaces to about this accuracy, relative to their size.
FCL_ERROR = 1e-7


def managers(bodies: list[Body], is_double: bool = True) -> tuple[Any, Any]:
    """Return trimesh's manager and ours with the same bodies.

    trimesh rounds the transforms that `add_object` takes to single precision, but not those of `set_transform`.
    """
    both = theirs.CollisionManager(), ours.CollisionManager()
    for manager in both:
        for name, mesh, matrix in bodies:
            manager.add_object(name, mesh, matrix)
            if is_double:
                manager.set_transform(name, matrix)
    return both


def triangles(bodies: list[Body]) -> dict[str, np.ndarray]:
    """Return the placed triangles of the bodies, as the library defines them."""
    return {name: exact.placed(np.asarray(mesh.vertices), matrix)[mesh.faces] for name, mesh, matrix in bodies}


def collide(a: np.ndarray, b: np.ndarray, is_solid: tuple[bool, bool]) -> bool:
    """Return whether two bodies collide, decided in rational arithmetic."""
    return (
        surfaces_meet(a, b) is not None
        or (is_solid[0] and in_convex(b[0, 0], a))
        or (is_solid[1] and in_convex(a[0, 0], b))
    )


def differences(bodies: list[Body], is_double: bool = True) -> set[tuple[str, str]]:
    """Return the pairs about which the managers differ, after proving that ours is right about each."""
    fcl, own = (manager.in_collision_internal(return_names=True) for manager in managers(bodies, is_double))
    assert own[0] == bool(own[1])
    placed = triangles(bodies)
    solids = {name: bool(mesh.is_convex) for name, mesh, _ in bodies}
    for a, b in fcl[1] ^ own[1]:
        assert ((a, b) in own[1]) == collide(placed[a], placed[b], (solids[a], solids[b])), (a, b)
    return fcl[1] ^ own[1]


def contact_faces(contacts: list[Any]) -> set[tuple[tuple[str, int], ...]]:
    return {tuple(sorted((name, contact.index(name)) for name in contact.names)) for contact in contacts}


def off_triangle(point: np.ndarray, corners: np.ndarray) -> float:
    """Return how far a point is from a triangle. trimesh's own `closest_point` is off by 1e-6 for small triangles."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    outside = []
    for p, q in ((a, b), (b, c), (c, a)):
        along = q - p
        if np.cross(along, point - p) @ normal < 0:
            share = np.clip((point - p) @ along / (along @ along), 0, 1)
            outside.append(float(np.linalg.norm(point - p - share * along)))
    return min(outside) if outside else float(abs((point - a) @ normal))


def surface_scenes() -> list[tuple[str, list[Body]]]:
    folder = data()
    parts = folder / "mechanical"
    scenes = [
        ("watch", file_scene(folder / "assemblies/chronograph-watch/ChronographWatch.gltf")),
        ("as1", file_scene(folder / "step/as1-oc-214.tess.glb")),
        ("io1", file_scene(folder / "step/io1-cm-214.tess.glb")),
        ("press", mechanism(folder / "assemblies/punching-press/140-punching-press.json")),
        ("piston", mechanism(folder / "assemblies/piston/092-piston.json")),
        *panda(folder / "robots/panda/panda.urdf", range(8)),
        *tumbling(parts / "extruder-body.stl", parts / "extruder-cover.stl", range(10)),
        *tumbling(parts / "pinion.off", parts / "couplingdown.off", range(10)),
        *tumbling(parts / "screw-big.stl", parts / "nut-big.stl", range(10)),
    ]
    return scenes


def test_the_interface_is_that_of_trimesh() -> None:
    for name, function in inspect.getmembers(theirs.CollisionManager, inspect.isfunction):
        if not name.startswith("_"):
            own = inspect.signature(getattr(ours.CollisionManager, name)).parameters.values()
            expected = inspect.signature(function).parameters.values()
            assert [(it.name, it.default) for it in own] == [(it.name, it.default) for it in expected], name
    for kind in ("ContactData", "DistanceData"):
        public = {name for name in dir(getattr(theirs, kind)) if not name.startswith("_")}
        assert public <= set(dir(getattr(ours, kind))), kind
    functions = {name for name, function in inspect.getmembers(theirs, inspect.isfunction) if not name.startswith("_")}
    assert {"scene_to_collision", "mesh_to_BVH", "mesh_to_convex"} <= functions <= set(ours.__all__)
    for name in functions:
        own, expected = (inspect.signature(getattr(module, name)).parameters for module in (ours, theirs))
        assert list(own) == list(expected), name


def test_real_scenes_at_the_same_poses_have_the_same_pairs_and_faces() -> None:
    pairs = faces = 0
    for name, bodies in surface_scenes():
        fcl, own = managers(bodies)
        hit, names, contacts = own.in_collision_internal(return_names=True, return_data=True)
        fcl_hit, fcl_names, fcl_contacts = fcl.in_collision_internal(return_names=True, return_data=True)
        assert (hit, names) == (fcl_hit, fcl_names), name
        assert own.in_collision_internal() == hit
        found = contact_faces(contacts)
        assert len(found) == len(contacts), f"{name}: a pair of faces is listed twice"
        other = contact_faces(fcl_contacts)
        placed = triangles(bodies)
        for (a, i), (b, k) in sorted(found ^ other):
            is_ours = ((a, i), (b, k)) in found
            assert triangles_meet(rational(placed[a][i]), rational(placed[b][k])) == is_ours, (name, a, i, b, k)
        pairs += len(names)
        faces += len(found)
    assert pairs > 100 and faces > 50_000


def test_the_car_has_the_same_pairs() -> None:
    bodies = file_scene(data("assemblies", "car-concept", "CarConcept.geometry.glb"))
    assert len(bodies) == 109
    assert differences(bodies) == set()
    _, own = managers(bodies)
    assert len(own.in_collision_internal(return_names=True)[1]) == 175


def test_distances_are_those_of_trimesh() -> None:
    count = 0
    for name, bodies in surface_scenes():
        fcl, own = managers(bodies)
        expected = fcl.min_distance_internal()
        distance, names, found = own.min_distance_internal(return_names=True, return_data=True)
        size = max(np.linalg.norm(mesh.extents) for _, mesh, _ in bodies)
        assert distance == pytest.approx(expected, abs=FCL_ERROR * size), name
        assert names == tuple(sorted(names)) and found.distance == distance
        a, b = (found.point(it) for it in names)
        assert np.linalg.norm(a - b) == pytest.approx(distance, rel=1e-12, abs=1e-12 * size), name
        placed = triangles(bodies)
        for it in names:
            corners = placed[it][found.index(it)]
            assert off_triangle(found.point(it), corners) < 1e-12 * size, name
        count += distance > 0
    assert count > 5


def test_single_and_other_ask_the_same() -> None:
    for name, bodies in surface_scenes()[1:10]:
        first, rest = bodies[0], bodies[1:]
        for is_double in (False, True):
            fcl, own = managers(rest, True)
            expected = fcl.in_collision_single(first[1], first[2], return_names=True)
            assert own.in_collision_single(first[1], first[2], return_names=True) == expected, name
            assert own.in_collision_single(first[1], first[2]) == expected[0]
            fcl_other, other = managers([first], True)
            between = own.in_collision_other(other, return_names=True)
            assert between == fcl.in_collision_other(fcl_other, return_names=True), name
            assert between[1] == {(it, first[0]) for it in expected[1]}
            size = max(np.linalg.norm(mesh.extents) for _, mesh, _ in bodies)
            near = own.min_distance_single(first[1], first[2])
            assert near == own.min_distance_other(other)
            if is_double:
                assert near == pytest.approx(fcl.min_distance_single(first[1], first[2]), abs=FCL_ERROR * size), name


def test_scenes_as_trimesh_adds_them() -> None:
    """`add_object` of trimesh rounds transforms to single precision: that changes which parts of as1 touch."""
    found = {name: differences(bodies, is_double=False) for name, bodies in surface_scenes()}
    assert found["as1"] == {("l-bracket_2", "nut_1")}
    assert not any(pairs for name, pairs in found.items() if name != "as1"), found


@pytest.mark.parametrize("far", [1e3, 1e5, 1e6])
def test_far_from_the_origin(far: float) -> None:
    bodies = file_scene(data("step", "as1-oc-214.tess.glb"))
    there = [(name, mesh, moved(far, far / 3, -far / 7) @ matrix) for name, mesh, matrix in bodies]
    assert differences(there) == set(), "at the same poses"
    # In single precision, parts of a few centimetres move by up to several centimetres.
    assert len(differences(there, is_double=False)) > 1
    torus = trimesh.creation.torus(2, 0.5)
    apart = [("a", torus, moved(far)), ("b", torus, moved(far + 5.01, 0.1, 0.2))]
    true = managers([("a", torus, np.eye(4)), ("b", torus, moved(5.01, 0.1, 0.2))])[1].min_distance_internal()
    fcl, own = managers(apart, is_double=False)
    assert own.min_distance_internal() == pytest.approx(true, abs=4e-16 * far)
    assert abs(fcl.min_distance_internal() - true) > 1e-9 * far


FLAT = {"vertices": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "faces": [[0, 1, 2], [0, 2, 3]], "process": False}


@pytest.mark.parametrize("seed", range(12))
def test_flat_surfaces_in_one_plane(seed: int) -> None:
    """Squares that overlap, or share an edge or a corner, at poses where rounding decides."""
    square = trimesh.Trimesh(**FLAT)
    turn = np.eye(4) if seed == 0 else rotation(np.random.default_rng(seed))
    found = set()
    for shift in ((0.5, 0.25, 0), (1, 0, 0), (1, 1, 0), (1.5, 0, 0), (0.5, 0.25, 1e-9)):
        bodies = [("a", square, turn), ("b", square, turn @ moved(*shift))]
        if differences(bodies):
            found.add(shift)
    # FCL computes in the frame of one body. Where only an edge or a corner is common, that may decide otherwise.
    assert found <= {(1, 0, 0), (1, 1, 0), (0.5, 0.25, 0)}
    if seed == 0:
        assert found == set()


def test_touching_boxes() -> None:
    box = trimesh.creation.box()
    missed = set()
    for shift in ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0.1, 0), (1.5, 0, 0)):
        bodies = [("a", box, np.eye(4)), ("b", box, moved(*shift))]
        if differences(bodies):
            missed.add(shift)
        _, own = managers(bodies)
        assert own.in_collision_internal() == (max(shift) <= 1)
    # FCL says of these that they do not collide, and that their distance is 0.
    assert {(1, 0, 0), (1, 1, 0), (1, 1, 1)} <= missed


def hull_scenes() -> list[tuple[str, list[Body]]]:
    folder = data()
    parts = folder / "mechanical"
    scenes = [
        *panda(folder / "robots/panda/panda.urdf", range(8)),
        *tumbling(parts / "extruder-body.stl", parts / "extruder-cover.stl", range(10)),
    ]
    hulls: dict[int, Any] = {}
    return [
        (name, [(it, hulls.setdefault(id(mesh), mesh.convex_hull), matrix) for it, mesh, matrix in bodies])
        for name, bodies in scenes
    ]


def test_convex_parts_are_solids() -> None:
    needs("scipy")
    for name, bodies in hull_scenes():
        assert all(mesh.is_convex for _, mesh, _ in bodies)
        assert differences(bodies) == set(), name


def test_negative_distances_of_convex_parts() -> None:
    needs("scipy")
    wrong = 0
    for name, bodies in hull_scenes():
        fcl, own = managers(bodies)
        # trimesh returns the depth of the first overlap that it comes across. Pair by pair, it is the least one.
        pairs = [managers([a, b])[0].min_distance_internal() for a, b in combinations(bodies, 2)]
        size = max(np.linalg.norm(mesh.extents) for _, mesh, _ in bodies)
        assert own.min_distance_internal() == pytest.approx(min(pairs), abs=1e-6 * size), name
        wrong += abs(fcl.min_distance_internal() - min(pairs)) > 1e-6 * size
    assert wrong >= 4


def test_depths_of_convex_contacts() -> None:
    """FCL's contacts of convex meshes are too deep: FCL's own distance says so, and the bodies moved apart by ours."""
    too_deep = count = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        place = rotation(random)
        place[:3, 3] = random.normal(size=3) * 0.4
        boxes = [trimesh.creation.box(random.uniform(0.5, 2, 3)) for _ in range(2)]
        fcl, own = managers([("a", boxes[0], np.eye(4)), ("b", boxes[1], place)])
        hit, contacts = own.in_collision_internal(return_data=True)
        if not hit:
            continue
        count += 1
        depth = contacts[0].depth
        assert -fcl.min_distance_internal() == pytest.approx(depth, abs=1e-6), f"seed {seed}"
        deeper = fcl.in_collision_internal(return_data=True)[1][0].depth - depth
        assert deeper > -1e-6, f"seed {seed}"
        too_deep += deeper > 1e-3
        place[:3, 3] += contacts[0].normal * (depth + 1e-9)
        own.set_transform("b", place)
        assert not own.in_collision_internal(), f"seed {seed}"
    assert count > 40 and too_deep > count / 3


def test_a_surface_in_a_solid() -> None:
    torus = trimesh.creation.torus(2, 0.5)
    for box, shift in (((9, 9, 9), 0), ((1, 1, 1), 1.5), ((1, 1, 1), 4), ((0.1, 0.1, 0.1), 2)):
        bodies = [("torus", torus, np.eye(4)), ("box", trimesh.creation.box(box), moved(shift))]
        assert differences(bodies) == set()
        fcl, own = managers(bodies)
        if own.in_collision_internal():
            # FCL returns minus the depth of any of the triangles.
            assert own.min_distance_internal() == 0.0 and fcl.min_distance_internal() < 0
        else:
            assert own.min_distance_internal() == pytest.approx(fcl.min_distance_internal(), abs=1e-6)


def test_a_replaced_body_is_gone() -> None:
    box = trimesh.creation.box()
    fcl, own = managers([("a", box, np.eye(4)), ("b", box, moved(0.5))])
    for manager in (fcl, own):
        manager.add_object("b", box, moved(5))
    assert not own.in_collision_internal() and own.min_distance_internal() == 4.0
    # trimesh keeps the old body.
    assert fcl.in_collision_internal(return_names=True) == (True, {("a", "b")})


def test_a_scaled_scene_is_as_trimesh_shows_it() -> None:
    scene = trimesh.Scene()
    ball = trimesh.creation.icosphere(2)
    torus = trimesh.creation.torus(2, 0.5)
    scene.add_geometry(ball, "ball", transform=np.diag([3.0, 3.0, 3.0, 1.0]))
    scene.add_geometry(torus, "torus", transform=moved(5) @ rotation(np.random.default_rng(2)))
    true = {node: scene.geometry[key].copy().apply_transform(matrix)
            for node in scene.graph.nodes_geometry for matrix, key in [scene.graph[node]]}  # fmt: skip
    expected = managers([(name, mesh, np.eye(4)) for name, mesh in true.items()])
    manager, objects = ours.scene_to_collision(scene)
    assert set(objects) == set(true) and manager.in_collision_internal() is True
    assert expected[0].in_collision_internal() and expected[1].in_collision_internal()
    fcl, _ = theirs.scene_to_collision(scene)
    assert not fcl.in_collision_internal(), "FCL ignores the scale"


def fcl_collides(a: Any, b: Any, matrix: np.ndarray) -> bool:
    fcl = needs("fcl")
    bodies = [fcl.CollisionObject(it, fcl.Transform(at[:3, :3], at[:3, 3])) for it, at in ((a, np.eye(4)), (b, matrix))]
    return bool(fcl.collide(*bodies, fcl.CollisionRequest(), fcl.CollisionResult()))


def own_collides(a: Any, b: Any, matrix: np.ndarray) -> bool:
    manager = ours.CollisionManager()
    manager.add_object("a", a)
    return manager.in_collision_single(b, matrix)


def test_meshes_prepared_as_solids_and_as_surfaces_are_those_of_trimesh() -> None:
    """A convex mesh contains what is inside of it, a BVH does not."""
    random = np.random.default_rng(11)
    ball, box = trimesh.creation.icosphere(1, radius=0.2), trimesh.creation.box((1, 1, 1))
    counts: dict[tuple[str, bool], int] = {}
    for number in range(200):
        matrix = rotation(random)
        matrix[:3, 3] = random.uniform(-1, 1, 3)
        answers = {}
        for name in ("mesh_to_convex", "mesh_to_BVH"):
            prepare, fcl_prepare = getattr(ours, name), getattr(theirs, name)
            answers[name] = own_collides(prepare(box), prepare(ball), matrix)
            expected = fcl_collides(fcl_prepare(box), fcl_prepare(ball), matrix)
            assert answers[name] == expected, f"{name}, seed 11, number {number}"
            counts[name, expected] = counts.get((name, expected), 0) + 1
        assert answers["mesh_to_convex"] >= answers["mesh_to_BVH"]
    assert min(counts.values()) > 20 and len(counts) == 4, counts
    assert counts["mesh_to_convex", True] > counts["mesh_to_BVH", True] + 5, "no ball inside of the box"


def test_only_convex_meshes_are_taken_for_solids() -> None:
    torus, ball = trimesh.creation.torus(2, 0.3), trimesh.creation.icosphere(1, radius=0.2)
    # FCL takes a torus for a disc without a hole.
    assert fcl_collides(theirs.mesh_to_convex(torus), theirs.mesh_to_convex(ball), np.eye(4))
    open_box = trimesh.creation.box()
    open_box.update_faces(np.arange(12) > 0)
    for wrong in (torus, open_box, ours.mesh_to_BVH(ball)):
        with pytest.raises(impinge.MeshError, match="not a closed convex surface"):
            ours.mesh_to_convex(wrong)
    prepared = ours.mesh_to_convex(ball)
    assert isinstance(prepared, impinge.Mesh) and ours.mesh_to_convex(prepared) == prepared
    assert not own_collides(torus, prepared, np.eye(4)) and own_collides(torus, prepared, moved(1.7))


def test_contact_points_of_surfaces_lie_on_both_bodies() -> None:
    (name, bodies), *_ = tumbling(data("mechanical", "pinion.off"), data("mechanical", "couplingdown.off"), range(3, 4))
    fcl, own = managers(bodies)
    contacts = own.in_collision_internal(return_data=True)[1]
    size = max(np.linalg.norm(mesh.extents) for _, mesh, _ in bodies)
    placed = triangles(bodies)

    def gaps(found: list[Any]) -> list[float]:
        gap = []
        for contact in found:
            gap.append(max(off_triangle(contact.point, placed[it][contact.index(it)]) for it in ("a", "b")))
        return gap

    assert len(contacts) > 100 and max(gaps(contacts)) < 1e-12 * size, name
    # FCL's points are corners of one of the faces.
    assert max(gaps(fcl.in_collision_internal(return_data=True)[1])) > 1e-3 * size
    assert all(np.linalg.norm(contact.normal) == pytest.approx(1) and contact.depth >= 0 for contact in contacts)


def test_whether_meshes_are_convex_is_decided_as_in_trimesh() -> None:
    needs("scipy")
    found = set()
    for path in sorted(data("mechanical").iterdir()):
        mesh = load_mesh(path)
        for it in (mesh, mesh.convex_hull):
            assert is_convex(it.vertices, it.faces) == it.is_convex, path.name
            found.add(bool(it.is_convex))
    assert found == {False, True}
    box = trimesh.creation.box()
    assert is_convex(box.vertices, box.faces)
    assert not is_convex(box.vertices, box.faces[:, ::-1]), "inside out"
    assert not is_convex(box.vertices, box.faces[1:]), "open"
    two = trimesh.util.concatenate([box, box.copy().apply_translation([3, 0, 0])])
    assert not is_convex(two.vertices, two.faces), "in two pieces"


def test_both_ways_of_exact_arithmetic_agree() -> None:
    random = np.random.default_rng(0)
    counts = [0, 0]
    for _ in range(400):
        # Few different coordinates, so that many triangles are coplanar, degenerate or touch.
        a, b = random.integers(0, 4, (2, 3, 3)).astype(float)
        meet = triangles_meet(rational(a), rational(b))
        assert meet == exact.touch(a, b), (a, b)
        counts[meet] += 1
    assert min(counts) > 50
