"""Typed code of a user, which type checkers check. It is never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, assert_type

import numpy as np
import numpy.typing as npt

import impinge

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Matrices = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


def meshes(vertices: npt.NDArray[np.float32], faces: npt.NDArray[np.int64]) -> None:
    mesh = impinge.Mesh(vertices, faces)
    assert_type(mesh, impinge.Mesh)
    assert_type(mesh.vertices, npt.NDArray[np.float64])
    assert_type(mesh.faces, npt.NDArray[np.uint32])
    assert_type(mesh.bounds, npt.NDArray[np.float64] | None)
    mesh.save(Path("mesh.stl"))
    shape = impinge.Shape(impinge.load("mesh.stl"), "wide")
    assert_type(shape.refitted([[0, 0, 0]]), impinge.Shape)
    for name, summary in impinge.methods():
        impinge.Shape(mesh, name)
        assert_type(summary, str)


def queries(a: impinge.Shape, b: impinge.Mesh, pose: Matrix, poses: Matrices) -> None:
    assert_type(impinge.intersects(a, b, pose, within=0.5), bool)
    assert_type(impinge.contacts(a, b), npt.NDArray[np.uint32])
    assert_type(impinge.contacts(a, b, pose), npt.NDArray[np.uint32])
    assert_type(impinge.contacts(a, b, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]), npt.NDArray[np.uint32])
    lists = impinge.contacts(a, b, poses, threads=2)
    assert_type(lists, impinge.ContactLists)
    assert_type(impinge.contacts(a, b, [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]]), impinge.ContactLists)
    assert_type(lists[0], npt.NDArray[np.uint32])
    for pairs in lists:
        assert_type(pairs, npt.NDArray[np.uint32])
    assert_type(impinge.check(a, b, poses), npt.NDArray[np.bool_])
    found = impinge.distance(a, b, pose)
    if found is not None:
        assert_type(found.faces, tuple[int, int])
        assert_type(float(found), float)
    pair = impinge.Pair(a, b)
    assert_type(pair.check(poses), npt.NDArray[np.bool_])
    assert_type(pair.shapes, tuple[impinge.Shape | impinge.Mesh, impinge.Shape | impinge.Mesh])


def probes(mesh: impinge.Mesh, point: Vector, points: Matrix) -> None:
    assert_type(impinge.nearest_point(mesh, point), tuple[float, npt.NDArray[np.float64], int] | None)
    assert_type(impinge.nearest_point(mesh, [0, 0, 1.5]), tuple[float, npt.NDArray[np.float64], int] | None)
    distances, places, faces = impinge.nearest_point(mesh, points)
    assert_type(distances, npt.NDArray[np.float64])
    assert_type(places, npt.NDArray[np.float64])
    assert_type(faces, npt.NDArray[np.int64])
    assert_type(impinge.cast_ray(mesh, point, [0, 0, 1]), tuple[float, int] | None)
    assert_type(impinge.cast_ray(mesh, points, [0, 0, 1]), tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]])
    assert_type(impinge.cast_ray(mesh, point, points), tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]])
    assert_type(impinge.contains_point(mesh, point), Literal[-1, 0, 1])
    assert_type(impinge.contains_point(mesh, [[0, 0, 0]]), npt.NDArray[np.int8])


def of_any_shape(mesh: impinge.Mesh, points: Any) -> None:
    """Arrays whose number of axes is not known can be passed, too."""
    impinge.contacts(mesh, mesh, points)
    impinge.nearest_point(mesh, points)


def of_unknown_axes(mesh: impinge.Mesh, random: np.random.Generator) -> None:
    """Most functions of NumPy return arrays whose number of axes type checkers do not know."""
    print(impinge.contacts(mesh, mesh, np.tile(np.eye(4), (10, 1, 1))).counts)
    distances, points, faces = impinge.nearest_point(mesh, random.normal(size=(1000, 3)))
    print(distances, points, faces)
    parameters, faces = impinge.cast_ray(mesh, random.normal(size=(1000, 3)), [0, 0, -1])
    print(impinge.cast_ray(mesh, [0, 0, 0], random.normal(size=(9, 3)))[0].min(), parameters)
    print(impinge.contains_point(mesh, random.normal(size=(1000, 3))).sum())


def worlds(mesh: impinge.Mesh) -> None:
    world = impinge.World(threads=None)
    body = world.add(mesh, np.eye(4), fixed=True)
    world.set_poses([body], [np.eye(4)])
    world.set_poses(np.array([body]), np.eye(4)[None])
    step = world.step()
    assert_type(step.pairs, npt.NDArray[np.uint64])
    for time, a, b, face_a, face_b in world.move_to([body], np.eye(4)[None]):
        assert_type(time, float)
        assert_type((a, b, face_a, face_b), tuple[int, int, int, int])
    impact = impinge.first_impact(mesh, mesh, None, np.eye(4))
    if impact:
        assert_type(impact.time, float)


def clashes(mesh: impinge.Mesh) -> None:
    assembly = impinge.Assembly(units="mm", up="z")
    assembly.add("part", mesh, np.eye(4), group=["frame"])
    report = impinge.clash(assembly, clearance="0.5mm", sort="depth", same_group="skip")
    for clash in report:
        assert_type(clash, impinge.Clash)
        if clash.verdict == "penetrating":
            assert_type(clash.depth, float | None)
    assert_type(report[0], impinge.Clash)
    assert_type(report[1:3], list[impinge.Clash])
    assert_type({clash: clash.depth for clash in reversed(report)}, dict[impinge.Clash, float | None])
    impinge.clash(["a.stl", Path("b.stl")], units="mm", ignore=["bolt*"], between=("a", "b"))
    path = impinge.clash_path(assembly, "part", np.eye(4)[None], times=[0.0])
    for interval in path:
        assert_type(interval.start, tuple[int, float])
    assert_type(path[::-1], list[impinge.PathClash])
    assert_type(impinge.nc(mesh, "x,y,z\n", tool="ball:d=6")[:2], list[impinge.Gouge])


def errors() -> None:
    try:
        impinge.load("missing.stl")
    except impinge.MissingFileError as error:
        assert_type(error, impinge.MissingFileError)
        _: OSError = error
