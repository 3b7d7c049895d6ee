"""Makes a stream of parts of shapes of OpenCASCADE (the package OCP), as the reader of STEP files does.

`tools/step/parts.cpp` is the same in C++.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from OCP.BRep import BRep_Builder
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Iterator
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

from impinge._errors import ArgumentError
from impinge._ocp_mesh import ShapeError, tolerance_of, triangles_of
from impinge._stream import PartStream

Floats = npt.NDArray[np.float64]
Path = list[tuple[object, str]]

MAX_DEPTH = 1000


def stream_of(source: Any, tolerance: float | None, millimetre: float, name: str) -> bytes:
    """Return the stream of parts of a shape, or of a document with products (XCAF).

    `tolerance` and the size of a millimetre are in the unit of the shape.
    """
    writer = _Writer(tolerance, millimetre, name)
    if isinstance(source, TDocStd_Document):
        writer.document(source)
    else:
        writer.show(writer.product(source, name), [], [])
    return writer.stream.finish()


class _Writer:
    def __init__(self, tolerance: float | None, millimetre: float, name: str) -> None:
        self.stream = PartStream()
        self._tolerance = tolerance
        self._millimetre = millimetre
        self._name = name
        self._products: list[tuple[Any, tuple[str, list[tuple[int, Floats, str]]]]] = []
        self._meshes: list[tuple[Any, int]] = []
        self._used = 0

    def document(self, document: TDocStd_Document) -> None:
        tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
        roots = _labels()
        tool.GetFreeShapes(roots)
        for root in _each(roots):
            self._visit(root, np.eye(4), [], 0)

    def _visit(self, label: Any, place: Floats, path: Path, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ArgumentError(f"assemblies are nested more than {MAX_DEPTH} levels deep")
        if not XCAFDoc_ShapeTool.IsAssembly_s(label):
            shape = XCAFDoc_ShapeTool.GetShape_s(label)
            self.show(self.product(shape, _name_of(label)), [place], path)
            return
        own = [*path, (self._next(), _name_of(label) or self._name)]
        components = _labels()
        XCAFDoc_ShapeTool.GetComponents_s(label, components)
        for component in _each(components):
            referred = _referred(component)
            if referred is not None:
                within = _matrix(XCAFDoc_ShapeTool.GetLocation_s(component))
                self._visit(referred, place @ within, own, depth + 1)

    def show(self, product: tuple[str, list[tuple[int, Floats, str]]], steps: list[Floats], path: Path) -> None:
        """Add the parts of a product at a place."""
        name, bodies = product
        own = [*path, (self._next(), name)] if len(bodies) > 1 else path
        for mesh, place, body_name in bodies:
            whole = place if not steps else steps[0] @ place
            self.stream.part(body_name or self._name, mesh, [whole], self.stream.group(own))

    def product(self, shape: Any, name: str) -> tuple[str, list[tuple[int, Floats, str]]]:
        """Return the name of a product, and its bodies, each with its mesh, place and name."""
        for other, product in self._products:
            if other.IsPartner(shape):
                return product
        bodies: list[Any] = []
        faces: list[Any] = []
        _collect(shape, bodies, faces)
        if faces:
            bodies.append(_together(faces))
        made = []
        for number, body in enumerate(bodies):
            own = f"{name}/{number + 1}" if len(bodies) > 1 else name
            made.append((self._mesh(body), _matrix(body.Location()), own))
        self._products.append((shape, (name, made)))
        return name, made

    def _mesh(self, placed: Any) -> int:
        """Return the number of the mesh of a body, whatever its location."""
        body = placed.Located(TopLoc_Location())
        for other, mesh in self._meshes:
            if other.IsEqual(body):
                return mesh
        try:
            tolerance = tolerance_of(body, self._tolerance, self._millimetre)
            mesh = self.stream.mesh(*triangles_of(body, tolerance))
        except ShapeError as error:
            mesh = self.stream.broken(str(error))
        self._meshes.append((body, mesh))
        return mesh

    def _next(self) -> int:
        """Return a new number: every use of an assembly is a sub-assembly of its own."""
        self._used += 1
        return self._used


def _collect(shape: Any, bodies: list[Any], faces: list[Any]) -> None:
    """Collect the solids and shells of a product, and faces that are in none. Curves and points are ignored."""
    kind = shape.ShapeType()
    if kind in (TopAbs_ShapeEnum.TopAbs_COMPOUND, TopAbs_ShapeEnum.TopAbs_COMPSOLID):
        at = TopoDS_Iterator(shape)
        while at.More():
            _collect(at.Value(), bodies, faces)
            at.Next()
    elif kind in (TopAbs_ShapeEnum.TopAbs_SOLID, TopAbs_ShapeEnum.TopAbs_SHELL):
        bodies.append(shape)
    elif kind == TopAbs_ShapeEnum.TopAbs_FACE:
        faces.append(shape)


def _together(faces: list[Any]) -> Any:
    compound = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(compound)
    for face in faces:
        builder.Add(compound, face)
    return compound


def _matrix(location: Any) -> Floats:
    transform = location.Transformation()
    matrix = np.eye(4)
    for row in range(3):
        for column in range(4):
            matrix[row, column] = transform.Value(row + 1, column + 1)
    return matrix


def _name_of(label: Any) -> str:
    name = TDataStd_Name()
    if not label.FindAttribute(TDataStd_Name.GetID_s(), name):
        return ""
    return str(name.Get().ToExtString())


def _labels() -> Any:
    """Return an empty list of labels, which has different names in different versions of OCP."""
    try:
        from OCP.TDF import TDF_LabelSequence
    except ImportError:
        from OCP.collections import Sequence_TDF_Label as TDF_LabelSequence
    return TDF_LabelSequence()


def _each(labels: Any) -> list[Any]:
    return [labels.Value(number) for number in range(1, labels.Length() + 1)]


def _referred(component: Any) -> Any:
    from OCP.TDF import TDF_Label

    referred = TDF_Label()
    return referred if XCAFDoc_ShapeTool.GetReferredShape_s(component, referred) else None
