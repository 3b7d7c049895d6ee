"""Makes a stream of parts of shapes of OpenCASCADE (the package OCP), as the reader of STEP files does.

`tools/step/parts.cpp` is the same in C++.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from OCP.BRep import BRep_Builder
from OCP.Standard import Standard_Failure
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound, TopoDS_Iterator
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_LengthUnit, XCAFDoc_ShapeTool

from impinge._errors import ArgumentError
from impinge._ocp_mesh import ShapeError, tolerance_of, triangles_of
from impinge._stream import PartStream
from impinge._units import nearest_unit

Floats = npt.NDArray[np.float64]
Path = list[tuple[object, str]]

MAX_DEPTH = 1000


def unit_of(source: Any) -> tuple[str, float]:
    """Return the unit of a shape or document, and a factor that converts its coordinates to this unit.

    Shapes are in millimetres by convention. A document may name another unit.
    """
    if isinstance(source, TDocStd_Document):
        unit = _attribute(source.Main().Root(), XCAFDoc_LengthUnit)
        if unit is not None and unit.GetUnitValue() > 0:
            return nearest_unit(unit.GetUnitValue())
    return "mm", 1.0


def stream_of(source: Any, tolerance: float | None, millimetre: float, factor: float) -> bytes:
    """Return the stream of parts of a shape, or of a document with products (XCAF).

    `tolerance` and the size of a millimetre are in the unit of the shape. Coordinates are multiplied by `factor`. Parts
    and assemblies without a name get the name of the file from the reader of the stream.
    """
    writer = _Writer(tolerance, millimetre)
    top = np.diag([factor, factor, factor, 1.0])
    if isinstance(source, TDocStd_Document):
        writer.document(source, top)
    elif source.IsNull():
        raise ArgumentError("the shape is null: it has neither faces nor anything else")
    else:
        writer.show(writer.product(source, "", {}), top, [])
    return writer.stream.finish()


@dataclass(frozen=True)
class _Product:
    name: str
    #: The mesh, place and name of each body.
    bodies: list[tuple[int, Floats, str]]


class _Writer:
    def __init__(self, tolerance: float | None, millimetre: float) -> None:
        self.stream = PartStream()
        self._tolerance = tolerance
        self._millimetre = millimetre
        # By the hash of a shape: candidates.
        self._products: dict[int, list[tuple[Any, _Product]]] = {}
        self._meshes: dict[int, list[tuple[Any, int]]] = {}
        self._used = 0

    def document(self, document: TDocStd_Document, top: Floats) -> None:
        tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
        roots = _labels()
        tool.GetFreeShapes(roots)
        # Labels to visit, the next one last: with their place, the assemblies above, and their depth.
        stack: list[tuple[Any, Floats, Path, int]] = [(root, top, [], 0) for root in reversed(_each(roots))]
        while stack:
            label, place, path, depth = stack.pop()
            if depth > MAX_DEPTH:
                raise ArgumentError(f"assemblies are nested more than {MAX_DEPTH} levels deep")
            referred = _referred(label)
            if referred is not None:
                place, label = place @ _matrix(XCAFDoc_ShapeTool.GetLocation_s(label)), referred
            if XCAFDoc_ShapeTool.IsAssembly_s(label):
                own = [*path, (self._next(), _name_of(label))]
                components = _labels()
                XCAFDoc_ShapeTool.GetComponents_s(label, components)
                stack += [(component, place, own, depth + 1) for component in reversed(_each(components))]
            else:
                shape = XCAFDoc_ShapeTool.GetShape_s(label)
                if shape is not None and not shape.IsNull():
                    self.show(self.product(shape, _name_of(label), _names_within(label)), place, path)

    def show(self, product: _Product, place: Floats, path: Path) -> None:
        """Add the parts of a product at a place."""
        own = [*path, (self._next(), product.name)] if len(product.bodies) > 1 else path
        for mesh, within, name in product.bodies:
            self.stream.part(name, mesh, [place @ within], self.stream.group(own))

    def product(self, shape: Any, name: str, names: dict[int, list[tuple[Any, str]]]) -> _Product:
        """Return a product. `names` are those of its bodies, by the hash of the body without its location."""
        known = self._products.setdefault(hash(shape), [])
        for other, product in known:
            if other.IsEqual(shape) and product.name == name:
                return product
        bodies, faces = _collect(shape)
        if faces:
            bodies.append(_together(faces))
        made = []
        for number, body in enumerate(bodies):
            own = f"{name}/{number + 1}" if len(bodies) > 1 else name
            if len(bodies) > 1 or not name:
                own = _find(names, body.Located(TopLoc_Location())) or own
            made.append((self._mesh(body), _matrix(body.Location()), own))
        product = _Product(name, made)
        known.append((shape, product))
        return product

    def _mesh(self, placed: Any) -> int:
        """Return the number of the mesh of a body, whatever its location."""
        body = placed.Located(TopLoc_Location())
        known = self._meshes.setdefault(hash(body), [])
        for other, mesh in known:
            if other.IsEqual(body):
                return mesh
        try:
            tolerance = tolerance_of(body, self._tolerance, self._millimetre)
            mesh = self.stream.mesh(*triangles_of(body, tolerance))
        except ShapeError as error:
            mesh = self.stream.broken(str(error))
        except Standard_Failure as error:
            mesh = self.stream.broken(f"cannot be cut into triangles: {error}")
        known.append((body, mesh))
        return mesh

    def _next(self) -> int:
        """Return a new number: every use of an assembly is a sub-assembly of its own."""
        self._used += 1
        return self._used


def _collect(shape: Any) -> tuple[list[Any], list[Any]]:
    """Return the solids and shells of a product, and faces that are in none. Curves and points are ignored."""
    bodies: list[Any] = []
    faces: list[Any] = []
    stack = [shape]
    while stack:
        part = stack.pop()
        kind = part.ShapeType()
        if kind in (TopAbs_ShapeEnum.TopAbs_COMPOUND, TopAbs_ShapeEnum.TopAbs_COMPSOLID):
            within = []
            at = TopoDS_Iterator(part)
            while at.More():
                within.append(at.Value())
                at.Next()
            stack += reversed(within)
        elif kind in (TopAbs_ShapeEnum.TopAbs_SOLID, TopAbs_ShapeEnum.TopAbs_SHELL):
            bodies.append(part)
        elif kind == TopAbs_ShapeEnum.TopAbs_FACE:
            faces.append(part)
    return bodies, faces


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


def _names_within(label: Any) -> dict[int, list[tuple[Any, str]]]:
    """Return the names of the bodies of a product that have one, by the hash of the body without its location."""
    names: dict[int, list[tuple[Any, str]]] = {}
    within = _labels()
    XCAFDoc_ShapeTool.GetSubShapes_s(label, within)
    for one in _each(within):
        shape, name = XCAFDoc_ShapeTool.GetShape_s(one), _name_of(one)
        if shape is not None and not shape.IsNull() and name:
            body = shape.Located(TopLoc_Location())
            names.setdefault(hash(body), []).append((body, name))
    return names


def _find(names: dict[int, list[tuple[Any, str]]], body: Any) -> str | None:
    return next((name for other, name in names.get(hash(body), ()) if other.IsSame(body)), None)


def _name_of(label: Any) -> str:
    name = _attribute(label, TDataStd_Name)
    return "" if name is None else str(name.Get().ToExtString())


def _attribute(label: Any, kind: Any) -> Any:
    """Return an attribute of a label, or `None`."""
    # `FindAttribute` crashes if there is none.
    if not label.IsAttribute(kind.GetID_s()):
        return None
    found = kind()
    return found if label.FindAttribute(kind.GetID_s(), found) else None


def _labels() -> Any:
    """Return an empty list of labels, which has different names in different versions of OCP."""
    try:
        from OCP.TDF import TDF_LabelSequence
    except ImportError:
        from OCP.collections import Sequence_TDF_Label as TDF_LabelSequence
    return TDF_LabelSequence()


def _each(labels: Any) -> list[Any]:
    return [labels.Value(number) for number in range(1, labels.Length() + 1)]


def _referred(label: Any) -> Any:
    """Return the product that a label places, or `None` if it is a product itself."""
    from OCP.TDF import TDF_Label

    referred = TDF_Label()
    return referred if XCAFDoc_ShapeTool.GetReferredShape_s(label, referred) else None
