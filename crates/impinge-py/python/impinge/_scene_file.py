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
    #: The names of parts without triangles.
    left_out: list[str] = field(default_factory=list)


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
    from collada.common import DaeError
    from trimesh.util import unique_name

    found = Structure()
    try:
        # As trimesh reads it: without the elements that refer to others which do not exist.
        document = collada.Collada(str(file), ignore=[DaeError])
    except Exception:
        # The file was overwritten since then.
        return found
    names: set[str] = set()
    counts: dict[str | None, int] = {}
    tops = [] if document.scene is None else document.scene.nodes
    for path, shown, lost in _instances(tops, [], (), None, collada.scene):
        key, name = path[-1]
        name = name or (shown is not None and (shown.geometry.name or shown.geometry.id)) or _NAMELESS
        if lost is not None:
            found.lost.append((name, lost))
        if shown is None:
            continue
        levels: list[tuple[object, str]] = [(it, above or _NAMELESS) for it, above in path[:-1]]
        pieces = sum(_has_triangles(primitive, collada) for primitive in shown.geometry.primitives)
        if pieces == 0:
            found.left_out.append(name)
        for number in range(pieces):
            # trimesh names nodes so, in this order.
            node = unique_name(shown.geometry.id, contains=names, counts=counts)
            names.add(node)
            found.places[node] = Place(name, levels, (key, id(shown)), number + 1 if pieces > 1 else 0)
            if lost is not None:
                found.dropped.add(node)
    # If the scene was changed, or the file was, the numbers in names may count other nodes.
    if names != geometries_of(scene).keys():
        found.places.clear()
        found.dropped.clear()
    return found


def _has_triangles(primitive: Any, collada: Any) -> bool:
    """Return whether trimesh makes a mesh of a primitive of a Collada geometry."""
    kinds = (collada.polylist.Polylist, collada.triangleset.TriangleSet)
    return isinstance(primitive, kinds) and primitive.vertex is not None


#: The elements of a Collada node that hold shapes or other nodes, and those that place it.
_HELD = {
    "instance_geometry": "its geometry",
    "instance_controller": "its mesh",
    "instance_node": "a node below it",
    "node": "a node below it",
}
_TRANSFORMS = ("matrix", "translate", "rotate", "scale", "lookat", "skew")

#: The nodes from the top to the use of a geometry, the use, and why it cannot be read.
_Instance = tuple[list[tuple[object, str]], Any, str | None]


def _instances(
    nodes: list[Any], above: list[tuple[object, str]], key: tuple[int, ...], lost: str | None, kinds: Any
) -> Iterator[_Instance]:
    """Yield the uses of geometries, in the order of the file. `lost` says why the nodes above cannot be placed."""
    # A node that contains itself cannot be loaded by pycollada, so that this ends.
    for number, node in enumerate(nodes):
        if not isinstance(node, kinds.Node):
            continue
        own = (*key, number)
        held = getattr(node, "node", node)
        path = [*above, (own, held.xmlnode.get("name") or held.xmlnode.get("id") or "")]
        children = node.children or []
        # pycollada leaves out the elements that it cannot read.
        loaded = {id(it.xmlnode) for it in (*children, *held.transforms)}
        why = lost
        for element in held.xmlnode:
            tag = str(element.tag).rsplit("}", 1)[-1]
            if id(element) in loaded:
                continue
            if tag in _HELD:
                yield path, None, f"{_HELD[tag]} refers to an element that does not exist or cannot be read"
            elif tag in _TRANSFORMS:
                why = f"trimesh cannot read the transform `{tag}` of node `{path[-1][1]}`"
        for at, child in enumerate(children):
            if isinstance(child, kinds.GeometryNode):
                yield path, child, why
            elif isinstance(child, kinds.ControllerNode):
                yield path, None, "trimesh does not read a mesh that moves with a skeleton"
            elif isinstance(child, kinds.Node):
                yield from _instances([child], path, (*own, at), why, kinds)


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
        shapes = list(structure.iterfind(".//{*}ReferenceRep"))
        lost = []
        used = set()
        for kind, known in (("Instance3D", names.keys()), ("InstanceRep", {it.attrib["id"] for it in shapes})):
            for use in structure.iterfind(f".//{{*}}{kind}"):
                of = use.findtext("{*}IsInstanceOf", "")
                used.add(of)
                if of not in known:
                    lost.append((use.get("name", kind), f"trimesh does not read `{of}`, which it refers to"))
        for shape in shapes:
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
