"""One assembly with known verdicts, in every format and as an object of every package that `impinge.clash` takes.

Lengths here are in millimetres. Each writer takes `unit`, the size of the unit of the format in millimetres, and `offset`,
which moves the whole assembly.
"""

from __future__ import annotations

import json
import struct
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

import impinge
from conftest import needs
from meshes import cube
from scenes import euler, moved

BOX, PLATE, TETRA = "box", "plate", "tetra"
MESHES: dict[str, tuple[np.ndarray, np.ndarray]] = {
    BOX: (cube().vertices * 20, cube().faces),
    PLATE: (cube().vertices * [100, 60, 10], cube().faces),
    # Differs from its mirror image.
    TETRA: (
        np.array([[0, 0, 0], [20, 0, 0], [0, 10, 0], [0, 0, 5.0]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    ),
}


@dataclass
class Part:
    """A mesh, scaled along its axes and then placed by a rigid pose."""

    groups: tuple[str, ...]
    name: str
    mesh: str
    pose: np.ndarray
    guid: str
    scale: tuple[float, float, float] = (1, 1, 1)
    #: The mesh after scaling, for formats that place shapes without scaling them.
    vertices: np.ndarray = field(init=False)
    faces: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        vertices, faces = MESHES[self.mesh]
        self.vertices = vertices * self.scale
        self.faces = faces if np.prod(self.scale) > 0 else faces[:, ::-1]

    def matrix(self, unit: float = 1.0) -> np.ndarray:
        """The pose and the scale."""
        made = self.pose @ np.diag([*self.scale, 1.0])
        made[:3, 3] /= unit
        return made


FRAME, TOOL = ("frame",), ("frame", "tool")
#: Has the name of another sub-assembly.
STOCK, OTHER_TOOL = ("stock",), ("stock", "tool")

PARTS = [
    Part(FRAME, "plate", PLATE, moved(0, 0, 0), "0aaaaaaaaaaaaaaaaaaaa1"),
    Part(FRAME, "Träger №1 ⌀", BOX, moved(0, 60, 0), "0aaaaaaaaaaaaaaaaaaaa2", (5, 0.5, 1)),
    Part(TOOL, "sunk block", BOX, moved(10, 10, 9.5), "0aaaaaaaaaaaaaaaaaaaa3"),
    Part(TOOL, "standing block", BOX, moved(40, 10, 10), "0aaaaaaaaaaaaaaaaaaaa4"),
    Part(TOOL, "floating block", BOX, moved(70, 10, 10.25), "0aaaaaaaaaaaaaaaaaaaa5"),
    Part(TOOL, "turned block", BOX, moved(95, 35, 5) @ euler((0.3, 0.2, 0.1)), "0aaaaaaaaaaaaaaaaaaaa6"),
    Part(OTHER_TOOL, "casing", BOX, moved(200, 0, 0), "0aaaaaaaaaaaaaaaaaaaa7", (2, 2, 2)),
    Part(OTHER_TOOL, "core", BOX, moved(215, 15, 15), "0aaaaaaaaaaaaaaaaaaaa8", (0.5, 0.5, 0.5)),
    Part(STOCK, "bolt", BOX, moved(300, 0, 0), "0aaaaaaaaaaaaaaaaaaaa9"),
    Part(STOCK, "bolt", BOX, moved(300, 0, 0), "0aaaaaaaaaaaaaaaaaaab1"),
    # Mirrored, from x = 400 to 420, with its tip at the lower end. It would start at 420 if it were not mirrored.
    Part(STOCK, "mirrored", TETRA, moved(420, 0, 0), "0aaaaaaaaaaaaaaaaaaab2", (-1, 1, 1)),
    Part(STOCK, "stop", BOX, moved(380.5, -5, -5), "0aaaaaaaaaaaaaaaaaaab3"),
    Part(STOCK, "far block", BOX, moved(500, 0, 0), "0aaaaaaaaaaaaaaaaaaab4"),
]

CLEARANCE = "1mm"
#: Verdict, depth and distance by the names of the parts. `None` is not known in advance.
VERDICTS: dict[tuple[str, str], tuple[str, float | None, float | None]] = {
    ("Träger №1 ⌀", "plate"): ("touching", None, None),
    ("plate", "sunk block"): ("penetrating", 0.5, None),
    ("plate", "standing block"): ("touching", None, None),
    ("floating block", "plate"): ("clearance", None, 0.25),
    ("plate", "turned block"): ("penetrating", None, None),
    ("casing", "core"): ("inside", None, None),
    ("bolt", "bolt#2"): ("duplicate", None, None),
    # A box up to x = 400.5 and the tip of the tetrahedron, at 400.
    ("mirrored", "stop"): ("penetrating", 0.5, None),
}
#: The sub-assemblies and the unique name of each part.
PATHS = sorted("/".join((*part.groups, part.name)) for part in PARTS[:9] + PARTS[10:]) + ["stock/bolt#2"]
IDS = {**{part.name: part.guid for part in PARTS}, "bolt": PARTS[8].guid, "bolt#2": PARTS[9].guid}


def assembly(offset: Any = (0, 0, 0)) -> impinge.Assembly:
    """Return the assembly as impinge has it."""
    made = impinge.Assembly(units="mm", name="assembly")
    for part in PARTS:
        mesh = impinge.Mesh(part.vertices, part.faces)
        made.add(part.name, mesh, moved(*offset) @ part.pose, group=list(part.groups), id=part.guid)
    return made


def groups() -> list[tuple[str, ...]]:
    """Return the sub-assemblies, those that contain others first."""
    return [FRAME, TOOL, STOCK, OTHER_TOOL]


def write_glb(path: Path, unit: float = 1.0, offset: Any = (0, 0, 0)) -> None:
    """Write a binary glTF file, with a node for each sub-assembly and part. Parts share meshes."""
    views, accessors, meshes, data = [], [], [], b""
    for name, (vertices, faces) in MESHES.items():
        points = (vertices / unit).astype("<f4")
        for array, kind, component in ((points, "VEC3", 5126), (faces.astype("<u4").ravel(), "SCALAR", 5125)):
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": array.nbytes})
            accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": kind}
            if kind == "VEC3":
                accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
            accessors.append(accessor)
            data += array.tobytes()
        primitive = {"attributes": {"POSITION": len(accessors) - 2}, "indices": len(accessors) - 1}
        meshes.append({"name": name, "primitives": [primitive]})
    nodes: list[dict[str, Any]] = []
    tops: list[int] = []
    numbers: dict[tuple[str, ...], int] = {}

    def add(node: dict[str, Any], above: tuple[str, ...]) -> int:
        nodes.append(node)
        if above:
            nodes[numbers[above]].setdefault("children", []).append(len(nodes) - 1)
        else:
            tops.append(len(nodes) - 1)
        return len(nodes) - 1

    for group in groups():
        place = {} if len(group) > 1 else {"translation": (np.array(offset) / unit).tolist()}
        numbers[group] = add({"name": group[-1], **place}, group[:-1])
    for part in PARTS:
        matrix = part.matrix(unit).T.ravel().tolist()
        mesh = list(MESHES).index(part.mesh)
        extras = {"GlobalId": part.guid}
        add({"name": part.name, "mesh": mesh, "matrix": matrix, "extras": extras}, part.groups)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": tops}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def trimesh_scene(unit: float = 1.0, offset: Any = (0, 0, 0)) -> Any:
    """Return a scene of trimesh. Its nodes must have unique names: the second bolt is `bolt#2`, the second tool `tool `."""
    trimesh = needs("trimesh")
    scene = trimesh.Scene()
    names = {FRAME: "frame", TOOL: "tool", STOCK: "stock", OTHER_TOOL: "tool "}
    for group, name in names.items():
        above = names.get(group[:-1], scene.graph.base_frame)
        matrix = moved(*(np.array(offset) / unit)) if len(group) == 1 else np.eye(4)
        scene.graph.update(frame_to=name, frame_from=above, matrix=matrix)
    for name, (vertices, faces) in MESHES.items():
        scene.geometry[name] = trimesh.Trimesh(vertices / unit, faces, process=False)
    for number, part in enumerate(PARTS):
        scene.graph.update(
            frame_to="bolt#2" if number == 9 else part.name,
            frame_from=names[part.groups],
            matrix=part.matrix(unit),
            geometry=part.mesh,
            metadata={"GlobalId": part.guid},
        )
    return scene


def write_collada(path: Path, unit: float = 1.0, offset: Any = (0, 0, 0)) -> None:
    """Write a Collada file. The plate is one geometry of two lists of triangles, as if it had two materials."""
    text = lambda array: " ".join(repr(it) for it in np.ravel(array).tolist())  # noqa: E731
    geometries = ""
    for name, (vertices, faces) in MESHES.items():
        lists = [faces[:6], faces[6:]] if name == PLATE else [faces]
        triangles = "".join(
            f'<triangles count="{len(it)}"><input semantic="VERTEX" source="#{name}-v" offset="0"/>'
            f"<p>{text(it)}</p></triangles>"
            for it in lists
        )
        geometries += (
            f'<geometry id="{name}" name="{name}"><mesh><source id="{name}-s"><float_array id="{name}-a" '
            f'count="{vertices.size}">{text(vertices / unit)}</float_array><technique_common><accessor '
            f'source="#{name}-a" count="{len(vertices)}" stride="3"><param name="X" type="float"/><param name="Y" '
            'type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
            f'<vertices id="{name}-v"><input semantic="POSITION" source="#{name}-s"/></vertices>'
            f"{triangles}</mesh></geometry>"
        )

    def node(group: tuple[str, ...]) -> str:
        matrix = moved(*(np.array(offset) / unit)) if len(group) == 1 else np.eye(4)
        inner = ""
        for number, part in enumerate(PARTS):
            if part.groups == group:
                inner += (
                    f'<node id="part{number}" name={quoteattr(part.name)}><matrix>{text(part.matrix(unit))}</matrix>'
                    f'<instance_geometry url="#{part.mesh}"/></node>'
                )
        inner += "".join(node(below) for below in groups() if below[:-1] == group)
        return f'<node id="{"-".join(group)}" name={quoteattr(group[-1])}><matrix>{text(matrix)}</matrix>{inner}</node>'

    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        f'version="1.4.1"><asset><created>2026-01-01T00:00:00</created><modified>2026-01-01T00:00:00</modified>'
        f'<unit name="own" meter="{unit * 1e-3!r}"/><up_axis>Z_UP</up_axis></asset><library_geometries>{geometries}'
        f'</library_geometries><library_visual_scenes><visual_scene id="scene">{node(FRAME)}{node(STOCK)}</visual_scene>'
        '</library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>',
        encoding="utf-8",
    )


def write_3dxml(path: Path, offset: Any = (0, 0, 0)) -> None:
    """Write a 3DXML file: an archive with the structure of products, and a file of triangles for each shape.

    A product is a Reference3D. An Instance3D places a product in another one. Lengths are in millimetres.
    """
    structure, files = "", {}
    ids = iter(range(1, 1000))
    link = lambda name, id: f"<{name}>{id}</{name}>"  # noqa: E731

    def product(name: str) -> int:
        nonlocal structure
        number = next(ids)
        structure += f'<Reference3D id="{number}" name={quoteattr(name)}/>'
        return number

    def place(above: int, below: int, name: str, matrix: np.ndarray) -> None:
        nonlocal structure
        numbers = " ".join(map(repr, [*matrix[:3, :3].T.ravel().tolist(), *matrix[:3, 3].tolist()]))
        structure += (
            f'<Instance3D id="{next(ids)}" name={quoteattr(name)}>{link("IsAggregatedBy", above)}'
            f"{link('IsInstanceOf', below)}<RelativeMatrix>{numbers}</RelativeMatrix></Instance3D>"
        )

    root = product("assembly")
    numbers: dict[tuple[str, ...], int] = {(): root}
    for group in groups():
        numbers[group] = product(group[-1])
        matrix = moved(*offset) if len(group) == 1 else np.eye(4)
        place(numbers[group[:-1]], numbers[group], f"{group[-1]}.1", matrix)
    shapes: dict[str, int] = {}
    for name, (vertices, faces) in MESHES.items():
        shapes[name] = next(ids)
        file = f"{name}.3DRep"
        structure += (
            f'<ReferenceRep id="{shapes[name]}" name="{name}" format="TESSELLATED" associatedFile="urn:3DXML:{file}"/>'
        )
        text = lambda rows, sep: sep.join(" ".join(map(repr, row)) for row in rows.tolist())  # noqa: E731
        files[file] = (
            '<XMLRepresentation xmlns="http://www.3ds.com/xsd/3DXML"><Root><Rep><Faces><Face triangles='
            f'"{text(faces, " ")}"/></Faces><VertexBuffer><Positions>{text(vertices, ",")}</Positions>'
            f"<Normals>{text(np.ones_like(vertices), ',')}</Normals></VertexBuffer></Rep></Root></XMLRepresentation>"
        )
    products: dict[tuple[str, str], int] = {}
    for part in PARTS:
        key = (part.name, part.mesh)
        if key not in products:
            products[key] = product(part.name)
            rep = f"{link('IsAggregatedBy', products[key])}{link('IsInstanceOf', shapes[part.mesh])}"
            structure += f'<InstanceRep id="{next(ids)}" name="rep">{rep}</InstanceRep>'
        place(numbers[part.groups], products[key], f"{part.name}.1", part.matrix())
    files["structure.3dxml"] = (
        '<Model_3dxml xmlns="http://www.3ds.com/xsd/3DXML"><Header><SchemaVersion>4.3</SchemaVersion></Header>'
        f'<ProductStructure root="{root}">{structure}</ProductStructure></Model_3dxml>'
    )
    files["Manifest.xml"] = "<Manifest><Root>structure.3dxml</Root></Manifest>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def ifc_model(unit: float = 1.0, offset: Any = (0, 0, 0)) -> Any:
    """Return a building model: elements with triangles, in nested spatial structures."""
    needs("ifcopenshell")
    import ifcopenshell.api.aggregate
    import ifcopenshell.api.context
    import ifcopenshell.api.geometry
    import ifcopenshell.api.project
    import ifcopenshell.api.root
    import ifcopenshell.api.spatial
    import ifcopenshell.api.unit

    model = ifcopenshell.api.project.create_file()
    project = ifcopenshell.api.root.create_entity(model, ifc_class="IfcProject", name="project")
    units = {
        1.0: lambda: ifcopenshell.api.unit.add_si_unit(model, unit_type="LENGTHUNIT", prefix="MILLI"),
        1000.0: lambda: ifcopenshell.api.unit.add_si_unit(model, unit_type="LENGTHUNIT"),
        25.4: lambda: ifcopenshell.api.unit.add_conversion_based_unit(model, name="inch"),
    }
    ifcopenshell.api.unit.assign_unit(model, units=[units[unit]()])
    context = ifcopenshell.api.context.add_context(model, context_type="Model")
    body = ifcopenshell.api.context.add_context(
        model, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW", parent=context
    )
    made: dict[tuple[str, ...], Any] = {(): project}
    for group in groups():
        made[group] = ifcopenshell.api.root.create_entity(model, ifc_class="IfcBuilding", name=group[-1])
        ifcopenshell.api.aggregate.assign_object(model, products=[made[group]], relating_object=made[group[:-1]])
    for part in PARTS:
        element = ifcopenshell.api.root.create_entity(model, ifc_class="IfcPlate", name=part.name)
        element.GlobalId = part.guid
        points = model.create_entity("IfcCartesianPointList3D", (part.vertices / unit).tolist())
        faces = model.create_entity(
            "IfcTriangulatedFaceSet", Coordinates=points, Closed=True, CoordIndex=(part.faces + 1).tolist()
        )
        shape = model.create_entity("IfcShapeRepresentation", body, "Body", "Tessellation", [faces])
        ifcopenshell.api.geometry.assign_representation(model, product=element, representation=shape)
        matrix = moved(*offset) @ part.pose
        matrix[:3, 3] *= 1e-3
        ifcopenshell.api.geometry.edit_object_placement(model, product=element, matrix=matrix, is_si=True)
        ifcopenshell.api.spatial.assign_container(model, products=[element], relating_structure=made[part.groups])
    return model


def polyhedron(vertices: np.ndarray, faces: np.ndarray) -> Any:
    """Return a solid of OCP with these triangles."""
    from OCP.BRepBuilderAPI import (
        BRepBuilderAPI_MakeFace,
        BRepBuilderAPI_MakePolygon,
        BRepBuilderAPI_MakeSolid,
        BRepBuilderAPI_Sewing,
    )
    from OCP.gp import gp_Pnt
    from OCP.TopoDS import TopoDS

    sewing = BRepBuilderAPI_Sewing(1e-6)
    for corners in vertices[faces].tolist():
        wire = BRepBuilderAPI_MakePolygon(*(gp_Pnt(*corner) for corner in corners), True)
        sewing.Add(BRepBuilderAPI_MakeFace(wire.Wire()).Face())
    sewing.Perform()
    shell = sewing.SewedShape()
    as_shell = TopoDS.Shell if hasattr(TopoDS, "Shell") else TopoDS.Shell_s
    return BRepBuilderAPI_MakeSolid(as_shell(shell)).Solid()


def ocp_location(matrix: np.ndarray) -> Any:
    from OCP.gp import gp_Trsf
    from OCP.TopLoc import TopLoc_Location

    transform = gp_Trsf()
    transform.SetValues(*matrix[:3].ravel().tolist())
    return TopLoc_Location(transform)


def ocp_document(offset: Any = (0, 0, 0)) -> Any:
    """Return a document of products (XCAF), in millimetres. Parts of the same shape and name are one product."""
    needs("OCP")
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label: Any, name: str) -> Any:
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name, True))
        return label

    labels: dict[tuple[str, ...], Any] = {(): named(tool.NewShape(), "assembly")}
    for group in groups():
        labels[group] = named(tool.NewShape(), group[-1])
    products: dict[Any, Any] = {}
    for part in PARTS:
        key = (part.name, part.mesh)
        if key not in products:
            products[key] = named(tool.AddShape(polyhedron(part.vertices, part.faces), False), part.name)
        tool.AddComponent(labels[part.groups], products[key], ocp_location(part.pose))
    for group in reversed(groups()):
        place = ocp_location(moved(*offset) if len(group) == 1 else np.eye(4))
        tool.AddComponent(labels[group[:-1]], labels[group], place)
    tool.UpdateAssemblies()
    return document


def ocp_compound() -> Any:
    """Return one shape of OCP that holds all parts."""
    needs("OCP")
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Compound

    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    for part in PARTS:
        builder.Add(compound, polyhedron(part.vertices, part.faces).Moved(ocp_location(part.pose)))
    return compound


def write_step(document: Any, path: Path, unit: str = "MM") -> None:
    """Write a document of products as a STEP file in this unit: MM, M or INCH."""
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Writer

    writer = STEPCAFControl_Writer()
    Interface_Static.SetCVal_s("write.step.unit", unit)
    try:
        writer.SetNameMode(True)
        assert writer.Transfer(document)
        writer.Write(str(path))
    finally:
        Interface_Static.SetCVal_s("write.step.unit", "MM")


def read_step(path: Path) -> Any:
    """Read a STEP file with OCP, with names."""
    needs("OCP")
    from OCP.STEPCAFControl import STEPCAFControl_Reader
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    reader.ReadFile(str(path))
    assert reader.Transfer(document)
    return document
