"""Reads the names and sub-assemblies of Collada and 3DXML files, which trimesh drops when it makes a scene of a file.

trimesh makes a node of each list of triangles, all at one level, and names it after its geometry (Collada) or after the
numbers of its products (3DXML). `_trimesh_source` calls `structure_of`, which finds the place of these nodes in the file
that the scene was read from. Shapes that trimesh has left out of the scene are reported.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree


@dataclass(frozen=True)
class Place:
    """The place of a node in the file."""

    name: str
    #: The sub-assemblies above it, outermost first: what identifies each, and its name.
    path: list[tuple[object, str]]
    #: Nodes with an equal value are pieces of one part.
    part: object
    #: The number of the piece, from 1; 0 if the node is the whole part.
    piece: int = 0


@dataclass
class Structure:
    """The places of the nodes of a scene in its file, and the shapes of the file that are not in the scene."""

    places: dict[object, Place] = field(default_factory=dict)
    #: The name of each shape, and why it is not in the scene.
    lost: list[tuple[str, str]] = field(default_factory=list)
    #: Nodes that stand for such shapes.
    dropped: set[object] = field(default_factory=set)


def geometries_of(scene: Any) -> dict[object, object]:
    """Return the nodes with a geometry, each with the name of its geometry, in the order of the scene graph."""
    nodes = scene.graph.transforms.node_data.items()
    return {node: data["geometry"] for node, data in nodes if data.get("geometry") is not None}


def structure_of(scene: Any) -> Structure:
    """Return what the file of a scene says about its nodes: nothing for formats whose names and levels trimesh keeps."""
    # Older versions of trimesh keep the path in the metadata.
    source = getattr(scene, "source", None)
    path = Path(str(getattr(source, "file_path", None) or scene.metadata.get("file_path") or ""))
    kind = str(getattr(source, "file_type", None) or path.suffix.removeprefix(".")).lower()
    file = path if path.is_file() else None
    if kind == "dae" and file is not None:
        return _collada(scene, file)
    if kind == "3dxml":
        return _threedxml(scene, file)
    return Structure()


#: Stands for the name of a Collada node that has neither a name nor an identifier.
_NAMELESS = "node"


def _collada(scene: Any, file: Path) -> Structure:
    import collada
    from trimesh.util import unique_name

    found = Structure()
    try:
        # As trimesh reads it: without the elements that refer to others which do not exist.
        document = collada.Collada(str(file), ignore=[collada.common.DaeError])
    except Exception:
        # The file was overwritten since then.
        return found
    names: set[str] = set()
    counts: dict[str | None, int] = {}
    tops = [] if document.scene is None else document.scene.nodes
    for path, shown, lost in _instances(tops, [], (), collada.scene):
        key, name = path[-1]
        if lost is not None:
            found.lost.append((name or _NAMELESS, lost))
            continue
        name = name or shown.geometry.name or shown.geometry.id or _NAMELESS
        pieces = sum(_has_triangles(primitive, collada) for primitive in shown.geometry.primitives)
        for number in range(pieces):
            # trimesh names nodes so, in this order.
            node = unique_name(shown.geometry.id, contains=names, counts=counts)
            names.add(node)
            piece = number + 1 if pieces > 1 else 0
            found.places[node] = Place(
                name, [(it, above or _NAMELESS) for it, above in path[:-1]], (key, id(shown)), piece
            )
    # If the scene was changed, or the file was, the numbers in names may count other nodes.
    if found.places.keys() != geometries_of(scene).keys():
        found.places.clear()
    return found


def _has_triangles(primitive: Any, collada: Any) -> bool:
    """Return whether trimesh makes a mesh of a primitive of a Collada geometry."""
    if isinstance(primitive, collada.polylist.Polylist):
        primitive = primitive.triangleset()
    return isinstance(primitive, collada.triangleset.TriangleSet) and primitive.vertex is not None


#: The elements of a Collada node that have shapes, and those that hold other nodes.
_SHAPES = {"instance_geometry": "its geometry", "instance_controller": "a mesh that moves with a skeleton"}
_NODES = {"node": "a node below it", "instance_node": "a node below it"}


def _instances(
    nodes: list[Any], above: list[tuple[object, str]], key: tuple[int, ...], kinds: Any
) -> Iterator[tuple[list[tuple[object, str]], Any, str | None]]:
    """Yield each use of a geometry with the nodes above it, in the order of the file, or why it cannot be read."""
    # A node that contains itself cannot be loaded by pycollada, so that this ends.
    for number, node in enumerate(nodes):
        if not isinstance(node, kinds.Node):
            continue
        own = (*key, number)
        held = getattr(node, "node", node)
        name = held.xmlnode.get("name") or held.xmlnode.get("id") or ""
        path = [*above, (own, name)]
        children = node.children or []
        loaded = {id(child.xmlnode) for child in children}
        for element in held.xmlnode:
            what = (_SHAPES | _NODES).get(str(element.tag).rsplit("}", 1)[-1])
            if what is not None and id(element) not in loaded:
                yield path, None, f"{what} refers to an element that does not exist or cannot be read"
        for at, child in enumerate(children):
            if isinstance(child, kinds.GeometryNode):
                yield path, child, None
            elif isinstance(child, kinds.ControllerNode):
                yield path, None, f"trimesh does not read {_SHAPES['instance_controller']}"
            elif isinstance(child, kinds.Node):
                yield from _instances([child], path, (*own, at), kinds)


def _threedxml(scene: Any, file: Path | None) -> Structure:
    found = Structure()
    names: dict[str, str] = {}
    if file is not None:
        try:
            names, found.lost = _products(file)
        except (OSError, KeyError, AttributeError, zipfile.BadZipFile, ElementTree.ParseError):
            # The file was overwritten since then.
            names = {}
    shapes: dict[object, set[str]] = {}
    geometries = geometries_of(scene)
    for node, geometry in geometries.items():
        # trimesh appends the numbers of the products and of their uses, from the root to the shape.
        name, separator, numbers = str(node).rpartition("#")
        ids = numbers.split(":")
        if not separator or len(ids) < 3:
            continue
        shapes.setdefault(geometry, set()).add(ids[-1])
        products = [at for at, number in enumerate(ids) if number in names][:-1]
        path: list[tuple[object, str]] = [(tuple(ids[: at + 1]), names[ids[at]]) for at in products]
        found.places[node] = Place(name, path if names else _above(scene, node), node)
    for node, place in found.places.items():
        geometry = geometries[node]
        if len(shapes[geometry]) > 1:
            why = f"trimesh has read only one of the {len(shapes[geometry])} shapes with the name `{geometry}`"
            found.lost.append((place.name, why))
            found.dropped.add(node)
    return found


def _above(scene: Any, node: object) -> list[tuple[object, str]]:
    above = scene.graph.transforms.parents.get(node)
    return [] if above in (None, scene.graph.base_frame) else [(above, str(above))]


def _products(file: Path) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the names of the products of a 3DXML file by their numbers, and the shapes that trimesh does not read."""
    with zipfile.ZipFile(file) as archive:
        parse: Callable[[str], ElementTree.Element] = lambda name: ElementTree.fromstring(archive.read(name))  # noqa: E731
        root = parse("Manifest.xml").find("{*}Root")
        structure = parse(str(root.text if root is not None else ""))
        names = {it.attrib["id"]: it.get("name", "") for it in structure.iterfind(".//{*}Reference3D")}
        used = {it.text for it in structure.iterfind(".//{*}InstanceRep/{*}IsInstanceOf")}
        lost = []
        for shape in structure.iterfind(".//{*}ReferenceRep"):
            kind, name = shape.get("format", ""), shape.get("name") or shape.attrib["id"]
            if shape.attrib["id"] not in used:
                continue
            if kind != "TESSELLATED":
                lost.append((name, f"its shape has the format `{kind}`, which trimesh does not read"))
                continue
            try:
                parse(shape.attrib["associatedFile"].split(":")[-1])
            except ElementTree.ParseError:
                lost.append((name, "its shape is stored in a binary format, which trimesh does not read"))
    return names, lost
