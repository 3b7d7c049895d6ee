"""Meshes and shapes: arrays in and out, errors, files, pickling."""

from __future__ import annotations

import copy
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest

import impinge
from conftest import data
from meshes import CUBE_FACES, cube, poses, soup

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])


def test_arrays_come_out_as_they_went_in() -> None:
    mesh = impinge.Mesh(SQUARE, [[0, 1, 2], [2, 1, 3]])
    assert mesh.vertices.dtype == np.float64 and mesh.faces.dtype == np.uint32
    assert (mesh.vertices == SQUARE).all()
    assert mesh.faces.tolist() == [[0, 1, 2], [2, 1, 3]]
    assert len(mesh) == 2
    assert repr(mesh) == "Mesh(4 vertices, 2 faces)"
    bounds = mesh.bounds
    assert bounds is not None and bounds.tolist() == [[0, 0, 0], [1, 1, 0]]
    assert not mesh.is_closed and cube().is_closed


def test_views_are_read_only_and_keep_the_mesh_alive() -> None:
    """The views share the memory of the mesh: they must equal a copy, also when the mesh has no other owner."""
    mesh = soup(1000, 3)
    copied = np.array(mesh.vertices), np.array(mesh.faces)
    vertices, faces = mesh.vertices, mesh.faces
    assert not vertices.flags.writeable and not faces.flags.writeable
    assert not vertices.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        vertices[0, 0] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        vertices.flags.writeable = True
    del mesh
    gc.collect()
    again = [soup(1000, seed) for seed in range(4)]
    assert (vertices == copied[0]).all() and (faces == copied[1]).all()
    del again


def test_a_mesh_does_not_change_with_the_array_it_was_made_of() -> None:
    vertices = SQUARE.copy()
    mesh = impinge.Mesh(vertices, [[0, 1, 2]])
    vertices[:] = np.nan
    assert (mesh.vertices == SQUARE).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_faces_of_any_integer_type(dtype: type) -> None:
    faces = np.array([[0, 1, 2], [2, 1, 3]], dtype=dtype)
    assert impinge.Mesh(SQUARE, faces).faces.tolist() == faces.tolist()
    assert impinge.Mesh(SQUARE, np.asfortranarray(faces)).faces.tolist() == faces.tolist()
    assert impinge.Mesh(SQUARE, faces[::-1]).faces.tolist() == faces[::-1].tolist()


def test_vertices_of_any_layout() -> None:
    wide = np.zeros((4, 6))
    wide[:, ::2] = SQUARE
    for vertices in (
        SQUARE.tolist(),
        np.asfortranarray(SQUARE),
        wide[:, ::2],
        SQUARE.astype(np.float32),
        SQUARE.astype(int),
    ):
        assert (impinge.Mesh(vertices, [[0, 1, 2]]).vertices == SQUARE).all()


def test_bad_meshes_are_refused_by_name() -> None:
    nan = SQUARE.copy()
    nan[2, 1] = np.nan
    for vertices, faces, text in [
        (SQUARE, [[0, 1, 4]], "face 0 uses vertex 4, but the mesh has 4 vertices"),
        (SQUARE, [[0, 1, 2], [0, -1, 2]], "face 1 uses vertex -1"),
        (SQUARE, [[0, 1, 2**40]], "face 0 uses vertex 1099511627776"),
        (SQUARE, np.array([[0, 1, 2**63]], dtype=np.uint64), "face 0 uses vertex"),
        (SQUARE, [[0, 1, 2, 3]], r"shape \(1, 4\)"),
        (SQUARE, [0, 1, 2], r"shape \(3\)"),
        (SQUARE, [[0.0, 1.0, 2.0]], "float64"),
        (SQUARE[:, :2], [[0, 1, 2]], r"shape \(4, 2\)"),
        (nan, [[0, 1, 2]], "vertex 2"),
        (SQUARE * 1e101, [[0, 1, 2]], "vertex"),
    ]:
        with pytest.raises(impinge.MeshError, match=text):
            impinge.Mesh(vertices, faces)
    with pytest.raises(ValueError):
        impinge.Mesh([["a", "b", "c"]], [[0, 0, 0]])
    with pytest.raises((TypeError, ValueError)):
        impinge.Mesh(None, None)  # type: ignore[arg-type]


def test_empty_meshes() -> None:
    empty = impinge.Mesh([], [])
    assert len(empty) == 0 and empty.bounds is None
    assert not impinge.intersects(empty, cube())


def test_files(tmp_path: Path) -> None:
    mesh = cube()
    for name in ("cube.obj", "cube.ply", "cube.stl", "cube.glb"):
        mesh.save(tmp_path / name)
        again = impinge.load(tmp_path / name)
        assert len(again) == 12 and again.is_closed, name
    assert impinge.load(str(tmp_path / "cube.obj")) == mesh
    with pytest.raises(impinge.FileError, match="extension"):
        mesh.save(tmp_path / "cube.xyz")
    with pytest.raises(FileNotFoundError, match=r"nothing\.stl"):
        impinge.load(tmp_path / "nothing.stl")
    broken = tmp_path / "broken.obj"
    broken.write_text("v 0 0 0\nf 1 2\n")
    with pytest.raises(OSError, match=r"broken\.obj:2: "):
        impinge.load(broken)
    assert issubclass(impinge.FileError, impinge.Error)


def test_bad_files_raise_and_never_crash() -> None:
    folder = data("bad")
    read = refused = 0
    for path in sorted(folder.iterdir()):
        try:
            impinge.load(path)
            read += 1
        except impinge.FileError as error:
            assert path.name in str(error)
            refused += 1
    assert read > 5 and refused > 5, (read, refused)


def test_shapes_are_saved_and_loaded(tmp_path: Path) -> None:
    mesh = soup(500, 9)
    shape = impinge.Shape(mesh)
    shape.save(tmp_path / "soup.index")
    again = impinge.load_shape(tmp_path / "soup.index", mesh)
    pose = poses(1, 0.2, 1)[0]
    assert impinge.contacts(again, again, pose).tolist() == impinge.contacts(shape, shape, pose).tolist()
    with pytest.raises(impinge.FileError, match=r"soup\.index"):
        impinge.load_shape(tmp_path / "soup.index", soup(500, 10))
    with pytest.raises(impinge.FileError, match="cannot be saved"):
        impinge.Shape(mesh, "brute").save(tmp_path / "brute.index")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_meshes_and_shapes_are_picklable(protocol: int) -> None:
    mesh = soup(300, 4)
    again = pickle.loads(pickle.dumps(mesh, protocol))
    assert again == mesh and hash(again) == hash(mesh)
    for method in ("wide", "obb", "brute", "boxtree"):
        shape = impinge.Shape(mesh, method)
        loaded = pickle.loads(pickle.dumps(shape, protocol))
        assert loaded.method == method and loaded.mesh == mesh
        assert impinge.contacts(loaded, loaded).tolist() == impinge.contacts(shape, shape).tolist()
    assert copy.deepcopy(mesh) == mesh


def test_pickles_share_memory_out_of_band() -> None:
    mesh = soup(1000, 4)
    buffers: list[pickle.PickleBuffer] = []
    small = pickle.dumps(mesh, 5, buffer_callback=buffers.append)
    assert len(small) < 1000 and len(buffers) == 2
    assert pickle.loads(small, buffers=buffers) == mesh


def test_a_manipulated_pickle_is_refused() -> None:
    shape = impinge.Shape(soup(300, 4))
    function, (mesh, method, state) = shape.__reduce__()
    for at in range(0, len(state), max(1, len(state) // 200)):
        broken = bytearray(state)
        broken[at] ^= 0x55
        try:
            again = function(mesh, method, bytes(broken))
        except impinge.ArgumentError:
            continue
        # What is accepted gives right answers.
        assert impinge.contacts(again, again).tolist() == impinge.contacts(shape, shape).tolist(), at


def test_refitted_shapes_have_the_new_vertices() -> None:
    mesh = soup(200, 11)
    shape = impinge.Shape(mesh)
    moved = np.array(mesh.vertices) * [1, 1, 0.9]
    refitted = shape.refitted(moved)
    fresh = impinge.Shape(impinge.Mesh(moved, mesh.faces))
    pose = poses(1, 0.2, 2)[0]
    assert impinge.contacts(refitted, shape, pose).tolist() == impinge.contacts(fresh, shape, pose).tolist()
    assert (refitted.mesh.vertices == moved).all() and (shape.mesh.vertices == mesh.vertices).all()
    with pytest.raises(impinge.MeshError):
        shape.refitted(moved[:-1])


def test_subclasses_of_arrays_and_cube_faces() -> None:
    matrix = np.array(CUBE_FACES).view(type("Faces", (np.ndarray,), {}))
    assert impinge.Mesh(np.array(cube().vertices), matrix) == cube()
