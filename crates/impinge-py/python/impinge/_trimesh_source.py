"""Makes a stream of parts of a `trimesh.Scene`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from impinge._errors import ArgumentError, MeshError
from impinge._impinge import Mesh
from impinge._scene_file import Structure, geometries_of, structure_of
from impinge._stream import PartStream
from impinge._units import nearest_unit

Floats = npt.NDArray[np.float64]

#: The kind of nodes that are left out because there is nothing to check.
_NO_TRIANGLES = "mesh without triangles"
#: How far the last row of a matrix may be from 0, 0, 0, 1, as in the reader of glTF files.
_LAST_ROW = 1e-6


def unit_of(scene: Any) -> tuple[str | None, float]:
    """Return the unit of a scene, and a factor that converts its coordinates to this unit."""
    from trimesh.units import unit_conversion

    shown = set(geometries_of(scene).values())
    meshes = [geometry for key, geometry in scene.geometry.items() if key in shown and _has_faces(geometry)]
    names = {getattr(geometry, "units", None) for geometry in meshes}
    if len(names) > 1:
        listed = ", ".join(sorted(str(name) for name in names))
        raise ArgumentError(f"the geometries of the scene have different units ({listed}): convert them first")
    name = next(iter(names), None)
    if name is None:
        return None, 1.0
    try:
        metres = float(unit_conversion(name, "meters"))
    except (KeyError, ValueError, TypeError) as error:
        raise ArgumentError(f"trimesh does not know the unit `{name}` of the scene: give file_units") from error
    if not (np.isfinite(metres) and metres > 0):
        raise ArgumentError(f"the unit `{name}` of the scene is no length: give file_units")
    return nearest_unit(metres)


def name_of(scene: Any) -> str:
    """Return the name of the file that a scene was read from."""
    source = getattr(scene, "source", None)
    name = getattr(source, "file_name", None) or scene.metadata.get("file_name")
    return Path(str(name)).name if name else "scene"


def up_of(scene: Any) -> str | None:
    """Return the axis that points up, if the format of the file defines it."""
    kind = getattr(getattr(scene, "source", None), "file_type", None)
    return "y" if kind in ("glb", "gltf") else None


def stream_of(scene: Any, factor: float, primitives: bool, is_mesh: bool) -> bytes:
    """Return the stream of parts: one for each node with a mesh, in the order of the scene graph.

    If `is_mesh` is set, the scene was made of a single mesh, whose part has no name of its own.
    """
    stream = PartStream()
    meshes: dict[object, int] = {}
    structure = structure_of(scene)
    for part in _parts(scene, structure, primitives, stream):
        wanted = []
        for key in part.geometries:
            geometry = scene.geometry[key]
            if _has_faces(geometry):
                wanted.append(key)
            else:
                is_mesh = hasattr(geometry, "faces")
                stream.leave_out(_NO_TRIANGLES if is_mesh else type(geometry).__name__, part.name)
        if not wanted:
            continue
        own = tuple(wanted)
        if own not in meshes:
            meshes[own] = _add_mesh(stream, [scene.geometry[key] for key in own])
        steps = part.steps if factor == 1.0 else [np.diag([factor, factor, factor, 1.0]), *part.steps]
        identity = None if part.identity is None else (part.identity, "")
        name = "" if is_mesh else part.name
        stream.part(name, meshes[own], steps, stream.group(part.path), identity)
    for name in structure.left_out:
        stream.leave_out(_NO_TRIANGLES, name)
    for name, why in structure.lost:
        stream.lost(name, why)
    return stream.finish()


def _has_faces(geometry: Any) -> bool:
    return hasattr(geometry, "faces") and len(geometry.faces) > 0


def _add_mesh(stream: PartStream, geometries: list[Any]) -> int:
    """Add the meshes of some geometries as one. If they are no mesh, the parts that use them are broken."""
    vertices = [np.asarray(geometry.vertices, dtype=np.float64) for geometry in geometries]
    first = np.cumsum([0, *(len(points) for points in vertices)])
    faces = [
        np.asarray(geometry.faces, dtype=np.int64) + before for geometry, before in zip(geometries, first, strict=False)
    ]
    points, corners = np.concatenate(vertices), np.concatenate(faces)
    try:
        Mesh(points, corners)
    except MeshError as error:
        return stream.broken(str(error))
    return stream.mesh(points, corners)


@dataclass(frozen=True)
class _Part:
    name: str
    #: The sub-assemblies above it, outermost first: what identifies each, and its name.
    path: list[tuple[object, str]]
    geometries: list[object]
    #: The transforms of the nodes above and of its own node.
    steps: list[Floats]
    identity: str | None


def _parts(scene: Any, structure: Structure, primitives: bool, stream: PartStream) -> Iterator[_Part]:
    """Yield the nodes with geometries. A node that cannot be placed is noted in the stream instead.

    trimesh makes a node of each primitive of a glTF mesh, and of each list of triangles of a Collada geometry. These are
    one part, as in the readers of the library, unless `primitives` is set.
    """
    # By what identifies a part: the node that places it, and its geometries.
    parts: dict[object, tuple[object, list[object]]] = {}
    for node, geometry in geometries_of(scene).items():
        if geometry not in scene.geometry:
            stream.lost(str(node), f"the scene has no geometry `{geometry}`")
        elif node not in structure.dropped:
            part, placing = (node, node) if primitives else _part_of(scene, node, scene.geometry[geometry], structure)
            parts.setdefault(part, (placing, []))[1].append(geometry)
    for node, geometries in parts.values():
        place = structure.places.get(node)
        name = str(node) if place is None else place.name
        if place is not None and place.piece and primitives:
            name += f"/{place.piece}"
        try:
            above = _above(scene, node)
            steps = _steps(scene, above, node)
        except ArgumentError as error:
            stream.lost(name, str(error))
            continue
        path = [(it, str(it)) for it in above] if place is None else place.path
        yield _Part(name, path, geometries, steps, _identity(scene, node, name))


def _part_of(scene: Any, node: object, geometry: Any, structure: Structure) -> tuple[object, object]:
    """Return what identifies the part that a node with a geometry belongs to, and the node that places this part."""
    place = structure.places.get(node)
    if place is not None:
        return (place.part, _flat(scene, node)), node
    above = scene.graph.transforms.parents.get(node)
    is_piece = (
        bool(getattr(geometry, "metadata", {}).get("from_gltf_primitive"))
        and above is not None
        and above != scene.graph.base_frame
        and (_own(scene, above, node) == np.eye(4)).all()
    )
    return (("pieces", above), above) if is_piece else (node, node)


def _flat(scene: Any, node: object) -> bytes:
    """Return the transform of a node relative to the node above it as a key: pieces of a part have the same."""
    return _own(scene, scene.graph.transforms.parents.get(node), node).tobytes()


def _above(scene: Any, node: object) -> list[object]:
    """Return the nodes above a node, outermost first, without the base frame."""
    path: list[object] = []
    seen = {node}
    above = scene.graph.transforms.parents.get(node)
    while above is not None and above != scene.graph.base_frame:
        if above in seen:
            raise ArgumentError(f"the nodes above it form a cycle: `{above}` is above itself")
        seen.add(above)
        path.append(above)
        above = scene.graph.transforms.parents.get(above)
    return path[::-1]


def _steps(scene: Any, above: list[object], node: object) -> list[Floats]:
    """Return the transforms whose product places a node: those of the nodes above it, and its own."""
    base = scene.graph.base_frame
    top = above[0] if above else node
    if top == base or scene.graph.transforms.parents.get(top) == base:
        steps = [_own(scene, *edge) for edge in pairwise((base, *above, node))]
    else:
        # The base frame is not above the node.
        try:
            steps = [np.asarray(scene.graph.get(node)[0], dtype=np.float64)]
        except (ValueError, KeyError) as error:
            raise ArgumentError(f"nothing connects it with the base frame `{base}` of the scene") from error
    for matrix in steps:
        if not (np.abs(matrix[3] - [0, 0, 0, 1]) <= _LAST_ROW).all():
            raise ArgumentError("the last row of its matrix is not 0, 0, 0, 1")
    return steps


def _own(scene: Any, parent: object, child: object) -> Floats:
    """Return the transform of a node relative to the node above it."""
    edge = scene.graph.transforms.edge_data.get((parent, child), {})
    matrix = edge.get("matrix")
    if matrix is None:
        return np.eye(4)
    made = np.asarray(matrix, dtype=np.float64)
    if made.shape != (4, 4):
        raise ArgumentError(f"the matrix of node `{child}` has the shape {made.shape}, not (4, 4)")
    return made


#: The names under which files store the identity of a node, the most specific first.
_IDENTITIES = ("globalid", "guid", "id")
#: The identity of an element of a building model (IFC): IfcOpenShell names nodes so.
_IFC_GUID = re.compile(r"[0-3][0-9A-Za-z_$]{21}")


def _identity(scene: Any, node: object, name: str) -> str | None:
    """Return the persistent identity of a node, as the reader of glTF files finds it."""
    graph = scene.graph.transforms
    edge = graph.edge_data.get((graph.parents.get(node), node), {})
    for metadata in (edge.get("metadata"), graph.node_data.get(node, {}).get("metadata")):
        if isinstance(metadata, dict):
            found = {str(key).lower(): value for key, value in metadata.items()}
            for key in _IDENTITIES:
                value = found.get(key)
                if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value):
                    return str(value)
    return name if _IFC_GUID.fullmatch(name) else None
