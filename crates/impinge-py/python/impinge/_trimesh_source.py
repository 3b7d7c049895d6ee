"""Makes a stream of parts of a `trimesh.Scene`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from impinge._errors import ArgumentError
from impinge._stream import PartStream

Floats = npt.NDArray[np.float64]

#: The units of the library in metres.
_UNITS = {"µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "ft": 0.3048}


def unit_of(scene: Any) -> tuple[str | None, float]:
    """Return the unit of a scene, and a factor that converts its coordinates to this unit."""
    from trimesh.units import unit_conversion

    names = {getattr(geometry, "units", None) for geometry in scene.geometry.values()}
    if len(names) > 1:
        listed = ", ".join(sorted(str(name) for name in names))
        raise ArgumentError(f"the geometries of the scene have different units ({listed}): convert them first")
    name = next(iter(names), None)
    if name is None:
        return None, 1.0
    metres = float(unit_conversion(name, "meters"))
    for symbol, size in _UNITS.items():
        if abs(metres / size - 1) < 1e-9:
            return symbol, 1.0
    return "m", metres


def name_of(scene: Any) -> str:
    """Return the name of the file that a scene was read from."""
    source = getattr(scene, "source", None)
    name = getattr(source, "file_name", None) or scene.metadata.get("file_name")
    return Path(str(name)).name if name else "scene"


def stream_of(scene: Any, factor: float, primitives: bool) -> bytes:
    """Return the stream of parts: one for each node with a mesh, in the order of the scene graph."""
    stream = PartStream()
    meshes: dict[object, int] = {}
    for node, path, geometries, steps in _nodes(scene, primitives):
        wanted = []
        for key in geometries:
            geometry = scene.geometry[key]
            if hasattr(geometry, "faces"):
                wanted.append(key)
            else:
                stream.leave_out(type(geometry).__name__, str(node))
        if not wanted:
            continue
        own = tuple(wanted)
        if own not in meshes:
            meshes[own] = _add_mesh(stream, [scene.geometry[key] for key in own])
        if factor != 1.0:
            steps = [np.diag([factor, factor, factor, 1.0]), *steps]
        found = _identity(scene, node)
        identity = None if found is None else (found, "")
        stream.part(str(node), meshes[own], steps, stream.group(path), identity)
    return stream.finish()


def _add_mesh(stream: PartStream, geometries: list[Any]) -> int:
    vertices = [np.asarray(geometry.vertices, dtype=np.float64) for geometry in geometries]
    first = np.cumsum([0, *(len(points) for points in vertices)])
    faces = [
        np.asarray(geometry.faces, dtype=np.int64) + before for geometry, before in zip(geometries, first, strict=False)
    ]
    return stream.mesh(np.concatenate(vertices), np.concatenate(faces))


def _nodes(
    scene: Any, primitives: bool
) -> Iterator[tuple[object, list[tuple[object, str]], list[object], list[Floats]]]:
    """Yield the node, the nodes above, the geometries and the transforms of each part.

    trimesh makes a node of each primitive of a glTF mesh. These are one part, as in the reader of the library, unless
    `primitives` is set.
    """
    parents = scene.graph.transforms.parents
    merged: dict[object, list[object]] = {}
    order: list[tuple[object, list[object]]] = []
    for node in scene.graph.nodes_geometry:
        _, key = scene.graph[node]
        above = parents.get(node)
        metadata = getattr(scene.geometry[key], "metadata", {})
        is_piece = (
            not primitives
            and bool(metadata.get("from_gltf_primitive"))
            and above is not None
            and above != scene.graph.base_frame
            and (_own(scene, above, node) == np.eye(4)).all()
        )
        if not is_piece:
            order.append((node, [key]))
        elif above in merged:
            merged[above].append(key)
        else:
            merged[above] = [key]
            order.append((above, merged[above]))
    for node, geometries in order:
        above = _above(scene, node)
        steps = [_own(scene, *edge) for edge in pairwise((scene.graph.base_frame, *above, node))]
        yield node, [(it, str(it)) for it in above], geometries, steps


def _above(scene: Any, node: object) -> list[object]:
    """Return the nodes above a node, outermost first, without the base frame."""
    path: list[object] = []
    above = scene.graph.transforms.parents.get(node)
    while above is not None and above != scene.graph.base_frame:
        path.append(above)
        above = scene.graph.transforms.parents.get(above)
    return path[::-1]


def _own(scene: Any, parent: object, child: object) -> Floats:
    """Return the transform of a node relative to the node above it."""
    edge = scene.graph.transforms.edge_data.get((parent, child), {})
    matrix = edge.get("matrix")
    return np.eye(4) if matrix is None else np.asarray(matrix, dtype=np.float64)


#: The names under which files store the identity of a node, the most specific first.
_IDENTITIES = ("globalid", "guid", "id")
#: The identity of an element of a building model (IFC): IfcOpenShell names nodes so.
_IFC_GUID = re.compile(r"[0-3][0-9A-Za-z_$]{21}")


def _identity(scene: Any, node: object) -> str | None:
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
    name = str(node)
    return name if _IFC_GUID.fullmatch(name) else None
