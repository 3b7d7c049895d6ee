"""Splits shapes of OpenCASCADE (the package OCP) into triangles, with the same parameters as the reader of STEP files.

`tools/step/mesh.cpp` is the same in C++.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.ElSLib import ElSLib
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.GeomLib import GeomLib_IsPlanarSurface
from OCP.gp import gp_Pnt
from OCP.IMeshTools import IMeshTools_Parameters
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Edge, TopoDS_Face

Floats = npt.NDArray[np.float64]

#: The largest angle between neighbouring triangles on a curved surface, in radians.
MAX_TURN = 0.35
#: How often a body is triangulated again because triangles are too far from its surface.
MAX_ROUNDS = 4
#: The factor for the tolerance of the next round.
FINER = 0.6
#: The share of the tolerance that sample points may use: points between the samples may be slightly further off.
SHOWN = 0.9
#: A free-form surface that is this near to a plane, in millimetres, is one.
FLAT = 1e-7
#: The default tolerance, in millimetres and as a share of the size of the body.
MAX_TOLERANCE = 0.1
MIN_TOLERANCE = 1e-6
TOLERANCE_OF_SIZE = 1e-3


class ShapeError(Exception):
    """A shape cannot be split into triangles."""


def explore(shape: Any, kind: Any, cast: Any) -> Iterator[Any]:
    """Yield the parts of a shape that are of a kind."""
    at = TopExp_Explorer(shape, kind)
    while at.More():
        yield cast(at.Current())
        at.Next()


def faces_of(shape: Any) -> list[Any]:
    """Return the faces of a shape."""
    return list(explore(shape, TopAbs_ShapeEnum.TopAbs_FACE, face))


def face(shape: Any) -> Any:
    """Return a shape as the face that it is."""
    if isinstance(shape, TopoDS_Face):
        return shape
    return TopoDS.Face(shape) if hasattr(TopoDS, "Face") else TopoDS.Face_s(shape)


def edge(shape: Any) -> Any:
    """Return a shape as the edge that it is."""
    if isinstance(shape, TopoDS_Edge):
        return shape
    return TopoDS.Edge(shape) if hasattr(TopoDS, "Edge") else TopoDS.Edge_s(shape)


def tolerance_of(body: Any, asked: float | None, millimetre: float) -> float:
    """Return the largest allowed distance between triangles and surface: as asked, or according to the size."""
    if not faces_of(body):
        raise ShapeError("it has no faces")
    if asked:
        return asked
    box = Bnd_Box()
    BRepBndLib.Add_s(body, box, False)
    if box.IsVoid() or box.IsOpen():
        raise ShapeError("its surface goes to infinity")
    size: float = box.SquareExtent() ** 0.5
    return min(MAX_TOLERANCE * millimetre, max(size * TOLERANCE_OF_SIZE, MIN_TOLERANCE * millimetre))


def triangles_of(body: Any, tolerance: float) -> tuple[Floats, npt.NDArray[np.int64], list[tuple[int, float]]]:
    """Return the vertices and faces of a body, and for each run of faces how far it is from its surface at most."""
    faces = faces_of(body)
    asked = tolerance
    for _ in range(MAX_ROUNDS):
        _cut(body, asked)
        distances = [_distance_to_surface(it) for it in faces]
        if max(distances, default=0.0) <= tolerance * SHOWN:
            break
        asked *= FINER
    seams = _Seams()
    points: list[tuple[float, float, float]] = []
    corners: list[tuple[int, int, int]] = []
    runs = []
    for it, distance in zip(faces, distances, strict=True):
        before = len(corners)
        _add_face(it, seams, points, corners)
        # The last round may still have missed the tolerance.
        runs.append((len(corners) - before, 0.0 if _is_plane(it) else max(tolerance, distance / SHOWN)))
    BRepTools.Clean_s(body)
    vertices = np.array(points, dtype=np.float64).reshape(-1, 3)
    if not (np.abs(vertices) <= 1e100).all():
        raise ShapeError("its surface goes to infinity")
    return vertices, np.array(corners, dtype=np.int64).reshape(-1, 3), runs


#: The number of a mesh vertex, to be filled in: -1 as long as there is none.
Slot = list[int]


class _Seams:
    """The mesh vertices that faces share: those on the vertices and edges of the body."""

    def __init__(self) -> None:
        self._at_vertex: dict[int, list[tuple[Any, Slot]]] = {}
        self._along_edge: dict[int, list[tuple[Any, list[Slot]]]] = {}

    def slots(self, on: Any, count: int) -> list[Slot]:
        """Return the slots of the points of an edge, the same for every face that shares the edge.

        The end points are the vertices of the edge. On an edge without length, as at the tip of a cone, every point is
        such a vertex.
        """
        first, last = (self._vertex(end(on)) for end in (TopExp.FirstVertex_s, TopExp.LastVertex_s))
        if BRep_Tool.Degenerated_s(on) and first is not None:
            return [first] * count
        along = _find(self._along_edge, on)
        if along is None:
            along = [[-1] for _ in range(count)]
            self._along_edge.setdefault(hash(on), []).append((on, along))
        if len(along) != count:
            raise ShapeError("two of its faces divide the edge between them differently")
        return [first or along[0], *along[1:-1], last or along[-1]][:count]

    def _vertex(self, vertex: Any) -> Slot | None:
        if vertex.IsNull():
            return None
        slot: Slot | None = _find(self._at_vertex, vertex)
        if slot is None:
            slot = [-1]
            self._at_vertex.setdefault(hash(vertex), []).append((vertex, slot))
        return slot


def _find(table: dict[int, list[tuple[Any, Any]]], shape: Any) -> Any:
    """Return what is kept of a shape, whatever its orientation."""
    for other, value in table.get(hash(shape), ()):
        if other.IsSame(shape):
            return value
    return None


def _triangulation(of: Any) -> tuple[Any, TopLoc_Location]:
    place = TopLoc_Location()
    return BRep_Tool.Triangulation_s(of, place), place


def _add_face(
    of: Any, seams: _Seams, points: list[tuple[float, float, float]], corners: list[tuple[int, int, int]]
) -> None:
    triangulation, place = _triangulation(of)
    transform = place.Transformation()
    is_moved = not place.IsIdentity()

    def add(node: int) -> int:
        point = triangulation.Node(node)
        points.append((point.Transformed(transform) if is_moved else point).Coord())
        return len(points) - 1

    numbers = [-1] * (triangulation.NbNodes() + 1)
    for on in explore(of, TopAbs_ShapeEnum.TopAbs_EDGE, edge):
        # A seam, where both sides of a face meet, occurs twice, each time with the nodes of one side.
        polygon = BRep_Tool.PolygonOnTriangulation_s(on, triangulation, place)
        if polygon is None:
            continue
        for at, slot in enumerate(seams.slots(on, polygon.NbNodes())):
            node = polygon.Node(at + 1)
            if slot[0] < 0:
                slot[0] = add(node)
            numbers[node] = slot[0]

    is_turned = (of.Orientation() == TopAbs_Orientation.TopAbs_REVERSED) != transform.IsNegative()
    for number in range(1, triangulation.NbTriangles() + 1):
        nodes = triangulation.Triangle(number).Get()
        for node in nodes:
            if numbers[node] < 0:
                numbers[node] = add(node)
        a, b, c = (numbers[node] for node in nodes)
        # At tips and poles two corners may be one vertex; the result is an edge, not a triangle, and is left out.
        if a != b and b != c and c != a:
            corners.append((a, c, b) if is_turned else (a, b, c))


_ELEMENTARY = {
    GeomAbs_SurfaceType.GeomAbs_Cylinder: "Cylinder",
    GeomAbs_SurfaceType.GeomAbs_Cone: "Cone",
    GeomAbs_SurfaceType.GeomAbs_Sphere: "Sphere",
    GeomAbs_SurfaceType.GeomAbs_Torus: "Torus",
}


def _distance_to_surface(of: Any) -> float:
    """Return the largest distance between triangles and surface, at the centres of triangles and of their sides.

    On free-form surfaces each sample is compared with the surface point of the same parameters, which is never nearer
    than the nearest point.
    """
    triangulation, _ = _triangulation(of)
    # In the frame of the triangulation, before the location of the face is applied.
    surface = BRepAdaptor_Surface(face(of.Located(TopLoc_Location())), False)
    kind = surface.GetType()
    if kind == GeomAbs_SurfaceType.GeomAbs_Plane or not triangulation.HasUVNodes():
        return 0.0
    count = triangulation.NbNodes()
    points = np.array([triangulation.Node(node).Coord() for node in range(1, count + 1)])
    parameters = np.array([triangulation.UVNode(node).Coord() for node in range(1, count + 1)])
    triangles = np.array([triangulation.Triangle(at).Get() for at in range(1, triangulation.NbTriangles() + 1)]) - 1
    weights = np.array([[1 / 3, 1 / 3, 1 / 3], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    samples = np.einsum("wc,tcx->twx", weights, points[triangles]).reshape(-1, 3)
    places = np.einsum("wc,tcx->twx", weights, parameters[triangles]).reshape(-1, 2)
    elementary = getattr(surface, _ELEMENTARY[kind])() if kind in _ELEMENTARY else None
    largest = 0.0
    for sample, (u, v) in zip(samples.tolist(), places.tolist(), strict=True):
        point = gp_Pnt(*sample)
        if elementary is not None:
            u, v = ElSLib.Parameters_s(elementary, point)
        largest = max(largest, surface.Value(u, v).Distance(point))
    return largest


def _is_plane(of: Any) -> bool:
    """Return whether the surface of a face is a plane. Some programs write planes as free-form surfaces."""
    if BRepAdaptor_Surface(of, False).GetType() == GeomAbs_SurfaceType.GeomAbs_Plane:
        return True
    surface = BRep_Tool.Surface_s(of)
    return surface is not None and bool(GeomLib_IsPlanarSurface(surface, FLAT).IsPlanar())


def _cut(body: Any, tolerance: float) -> None:
    """Triangulate all faces of a body."""
    parameters = IMeshTools_Parameters()
    parameters.Deflection = tolerance
    parameters.Angle = MAX_TURN
    # An existing triangulation is too coarse, or belongs to another body that shares the face.
    BRepTools.Clean_s(body)
    BRepMesh_IncrementalMesh(body, parameters)
    made = [_triangulation(it)[0] for it in faces_of(body)]
    failed = sum(it is None or it.NbTriangles() == 0 for it in made)
    if failed:
        raise ShapeError(f"{failed} of its {len(made)} faces cannot be cut into triangles")
