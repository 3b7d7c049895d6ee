"""Sources with errors: each is refused with a clear message or reported, and no part disappears silently."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import same_assembly
from conftest import needs
from scenes import moved


def boxes(**matrices: Any) -> Any:
    """Return a scene with a box of size 1 at the origin, and one at each of these places."""
    trimesh = needs("trimesh")
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box(), node_name="good", geom_name="box")
    for name, matrix in matrices.items():
        scene.graph.update(frame_to=name, matrix=np.asarray(matrix, dtype=float), geometry="box")
    return scene


def refused(source: Any, match: str, skipped: list[str], **load: Any) -> impinge.Assembly:
    """Check that a source is refused, and that with `keep_going` only the named parts are skipped."""
    with pytest.raises(impinge.Error, match=match):
        impinge.as_assembly(source, **load)
    made = impinge.as_assembly(source, keep_going=True, **load)
    assert [name for name, _ in made.skipped] == skipped
    assert all(re.search(match, why) for _, why in made.skipped), made.skipped
    return made


@pytest.mark.parametrize("source", [5, None, [5], {"a": 1}, b"a.glb", object(), ["a.glb", None]])
def test_objects_that_are_no_source(source: Any) -> None:
    with pytest.raises(TypeError, match="cannot make an Assembly of a "):
        impinge.as_assembly(source)


def test_objects_of_trimesh_that_are_no_scene() -> None:
    trimesh = needs("trimesh")
    for source in (trimesh.PointCloud(np.zeros((3, 3))), [trimesh.creation.box()], trimesh.load_path(np.eye(3))):
        with pytest.raises(TypeError, match="cannot make an Assembly of a "):
            impinge.as_assembly(source)


def test_scenes_without_meshes() -> None:
    trimesh = needs("trimesh")
    scene = trimesh.Scene()
    with pytest.raises(impinge.ArgumentError, match="no part"):
        impinge.clash(scene)
    scene.add_geometry(trimesh.PointCloud(np.zeros((3, 3))), node_name="points")
    scene.add_geometry(trimesh.load_path(np.eye(3)), node_name="lines")
    with pytest.raises(impinge.ArgumentError, match="no part"):
        impinge.clash(scene)


def test_geometries_that_are_left_out_are_listed() -> None:
    trimesh = needs("trimesh")
    scene = boxes()
    scene.units = "mm"
    # Their unit does not matter.
    for name in ("cloud a", "cloud b", "cloud c", "cloud d"):
        scene.add_geometry(trimesh.PointCloud(np.zeros((3, 3))), node_name=name)
    scene.add_geometry(trimesh.load_path(np.eye(3)), node_name="lines")
    scene.add_geometry(trimesh.Trimesh(np.zeros((3, 3)), np.zeros((0, 3), int)), node_name="empty")
    made = impinge.as_assembly(scene)
    assert made.names == ["good"] and made.units == "mm"
    assert made.left_out == [
        ("Path3D", 1, ["lines"]),
        ("PointCloud", 4, ["cloud a", "cloud b", "cloud c"]),
        ("mesh without triangles", 1, ["empty"]),
    ]
    assert [it["kind"] for it in json.loads(impinge.clash(scene).json())["left_out"]] == [it[0] for it in made.left_out]


def test_transforms_of_nodes() -> None:
    nan = moved(float("nan"))
    turned = np.eye(4)
    turned[0, 0] = float("nan")
    perspective = np.eye(4)
    perspective[3, 0] = 0.1
    weight = np.diag([1.0, 1.0, 1.0, 2.0])
    refused(boxes(bad=nan), "`bad`.*finite|`bad`.*NaN", ["bad"])
    refused(boxes(bad=turned), "`bad`", ["bad"])
    refused(boxes(bad=moved(float("inf"))), "`bad`", ["bad"])
    refused(boxes(bad=perspective), "`bad`: the last row of its matrix is not 0, 0, 0, 1", ["bad"])
    refused(boxes(bad=weight), "`bad`: the last row of its matrix is not 0, 0, 0, 1", ["bad"])
    # A node that is flattened to a plane is a part.
    assert len(impinge.as_assembly(boxes(flat=np.diag([1.0, 1.0, 0.0, 1.0])))) == 2


def test_meshes_with_errors() -> None:
    trimesh = needs("trimesh")
    scene = boxes()
    bad = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]], process=False, validate=False)
    scene.add_geometry(bad, node_name="bad", geom_name="bad")
    refused(scene, "`bad`.*vertex 2", ["bad"])
    bad.vertices[2] = 1
    bad.faces[0] = [0, 1, 7]
    refused(scene, "`bad`.*vertex 7", ["bad"])


def test_nodes_that_cannot_be_placed() -> None:
    scene = boxes(a=np.eye(4), b=moved(3))
    scene.graph.transforms.parents.update({"a": "b", "b": "a"})
    refused(scene, "form a cycle", ["a", "b"])
    scene = boxes()
    scene.graph.update(frame_to="island", frame_from="sea", matrix=moved(1), geometry="box")
    refused(scene, "`island`: nothing connects it with the base frame `world`", ["island"])
    scene = boxes()
    scene.graph.update(frame_to="bare", matrix=moved(1), geometry="gone")
    refused(scene, "`bare`: the scene has no geometry `gone`", ["bare"])


def test_a_base_frame_below_other_nodes() -> None:
    """Transforms are relative to the base frame, also of nodes that are not below it."""
    scene = boxes()
    scene.graph.update(frame_to="table", matrix=moved(10, 0, 0))
    scene.graph.update(frame_to="tool", frame_from="table", matrix=moved(0, 5, 0), geometry="box")
    scene.graph.base_frame = "table"
    places = {part.name: part.pose[:3, 3].tolist() for part in impinge.as_assembly(scene).parts}
    assert places == {"good": [-10, 0, 0], "tool": [0, 5, 0]}


def test_units_of_a_scene() -> None:
    scene = boxes()
    scene.units = "parsnips"
    with pytest.raises(impinge.ArgumentError, match="`parsnips`"):
        impinge.as_assembly(scene)
    assert impinge.as_assembly(scene, file_units="cm").units == "cm"
    # A given unit replaces that of the scene: coordinates are not converted twice.
    scene.units = "yards"
    (part,) = impinge.as_assembly(scene, file_units="mm").parts
    assert np.ptp(part.mesh.vertices, axis=0) == pytest.approx([1, 1, 1])
    (part,) = impinge.as_assembly(scene, units="mm").parts
    assert np.ptp(part.mesh.vertices, axis=0) == pytest.approx([914.4] * 3)
    with pytest.raises(impinge.ArgumentError, match="`furlong` is not a unit"):
        impinge.as_assembly(scene, file_units="furlong")


def edited(path: Path, to: Path, edit: Any) -> Path:
    to.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    return to


def _array(name: str, kind: str, values: str, parameter: str, stride: int = 1) -> str:
    count = len(values.split())
    element = "Name_array" if kind == "name" else "float_array"
    return (
        f'<source id="{name}"><{element} id="{name}-a" count="{count}">{values}</{element}><technique_common><accessor '
        f'source="#{name}-a" count="{count // stride}" stride="{stride}"><param name="{parameter}" type="{kind}"/>'
        "</accessor></technique_common></source>"
    )


IDENTITY = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
#: The box, moved by one bone.
SKIN = (
    f'<library_controllers><controller id="skin"><skin source="#box"><bind_shape_matrix>{IDENTITY}</bind_shape_matrix>'
    + _array("joint", "name", "bone", "JOINT")
    + _array("weight", "float", "1", "WEIGHT")
    + _array("inverse", "float4x4", IDENTITY, "TRANSFORM", 16)
    + '<joints><input semantic="JOINT" source="#joint"/><input semantic="INV_BIND_MATRIX" source="#inverse"/></joints>'
    '<vertex_weights count="8"><input semantic="JOINT" source="#joint" offset="0"/><input semantic="WEIGHT" '
    f'source="#weight" offset="1"/><vcount>{"1 " * 8}</vcount><v>{"0 0 " * 8}</v></vertex_weights></skin></controller>'
    "</library_controllers>"
)


def test_shapes_that_trimesh_leaves_out_of_collada_files(tmp_path: Path) -> None:
    """trimesh drops nodes with broken references and with skeletons, and says nothing."""
    trimesh = needs("trimesh")
    needs("collada")
    whole = tmp_path / "whole.dae"
    same_assembly.write_collada(whole)
    node = '<node id="part12" name="far block">'
    broken = edited(
        whole, tmp_path / "broken.dae", lambda text: re.sub(f"({node}.*?)#box", r"\1#missing", text, count=1)
    )
    made = refused(trimesh.load_scene(broken), "`far block`: its geometry refers to an element", ["far block"])
    assert len(made) == len(same_assembly.PARTS) - 1
    skin = '<instance_controller url="#skin"/>'
    moving = edited(whole, tmp_path / "moving.dae", lambda text: text.replace(node, node + skin))
    made = refused(trimesh.load_scene(moving), "`far block`: its mesh refers to an element", ["far block"])
    moving = edited(moving, moving, lambda text: text.replace("<library_visual", SKIN + "<library_visual", 1))
    made = refused(trimesh.load_scene(moving), "`far block`: .* a mesh that moves with a skeleton", ["far block"])
    assert len(made) == len(same_assembly.PARTS)
    # Transforms that pycollada cannot read: trimesh would place the parts below elsewhere.
    tool = '<node id="stock-tool" name="tool">'
    for place in ("<skew>30 0 1 0 1 0 0</skew>", "<translate>1 2</translate>"):
        inner = edited(whole, tmp_path / "inner.dae", lambda text, place=place: text.replace(node, node + place))
        made = refused(trimesh.load_scene(inner), "cannot read the transform `.*` of node `far block`", ["far block"])
        assert len(made) == len(same_assembly.PARTS) - 1
        outer = edited(whole, tmp_path / "outer.dae", lambda text, place=place: text.replace(tool, tool + place))
        made = refused(trimesh.load_scene(outer), "cannot read the transform `.*` of node `tool`", ["casing", "core"])
        assert len(made) == len(same_assembly.PARTS) - 2


def test_scenes_that_differ_from_their_file(tmp_path: Path) -> None:
    """The names of nodes come from the file only if the scene has the nodes of the file."""
    trimesh = needs("trimesh")
    needs("collada")
    path = tmp_path / "assembly.dae"
    same_assembly.write_collada(path)
    scene = trimesh.load_scene(path)
    scene.delete_geometry("tetra")
    assert sorted(impinge.as_assembly(scene).names) == sorted(scene.graph.nodes_geometry)
    scene = trimesh.load_scene(path)
    path.unlink()
    assert sorted(impinge.as_assembly(scene).names) == sorted(scene.graph.nodes_geometry)
    path.write_text("no Collada file")
    assert sorted(impinge.as_assembly(scene).names) == sorted(scene.graph.nodes_geometry)
    # A part that was moved in the scene stays where it was moved.
    same_assembly.write_collada(path)
    scene.graph.update(frame_to="tetra", matrix=moved(7, 8, 9))
    assert impinge.as_assembly(scene).part("mirrored").pose[:3, 3].tolist() == [7, 8, 9]


def rewritten(path: Path, to: Path, edit: Any) -> Path:
    """Copy a 3DXML file with another structure."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, edit(content.decode()) if name == "structure.3dxml" else content)
    return to


def test_shapes_that_trimesh_leaves_out_of_3dxml_files(tmp_path: Path) -> None:
    """trimesh drops shapes that are not triangles, and all but one of those whose products have the same name."""
    trimesh = needs("trimesh")
    needs("lxml")
    needs("networkx")
    whole = tmp_path / "whole.3dxml"
    same_assembly.write_3dxml(whole)
    curved = rewritten(
        whole,
        tmp_path / "curved.3dxml",
        lambda text: text.replace('name="plate" format="TESSELLATED"', 'name="plate" format="UVR"'),
    )
    made = refused(trimesh.load_scene(curved), "`plate`: its shape has the format `UVR`", ["plate"])
    assert len(made) == len(same_assembly.PARTS) - 1
    # Two products with different shapes and the same name: trimesh gives both the same shape.
    alike = rewritten(whole, tmp_path / "alike.3dxml", lambda text: text.replace('name="mirrored"', 'name="plate"'))
    made = refused(trimesh.load_scene(alike), "only one of the 2 shapes with the name `plate`", ["plate", "plate"])
    assert len(made) == len(same_assembly.PARTS) - 2
    # A product in another file.
    other = "urn:3DXML:other.3dxml#1"
    away = rewritten(
        whole,
        tmp_path / "away.3dxml",
        lambda text: re.sub(r'(name="far block.1">.*?<IsInstanceOf>)[0-9]+', rf"\g<1>{other}", text, count=1),
    )
    made = refused(trimesh.load_scene(away), f"`far block.1`: trimesh does not read `{other}`", ["far block.1"])
    assert len(made) == len(same_assembly.PARTS) - 1
    # Without the file, parts keep their names.
    scene = trimesh.load_scene(whole)
    whole.unlink()
    made = impinge.as_assembly(scene)
    assert {path.split("/")[0] for path in made.paths} == {"assembly"}
    assert sorted(made.names) == sorted(same_assembly.IDS)


def test_ifc_elements_without_geometry() -> None:
    model = same_assembly.ifc_model()
    bare = model.create_entity("IfcPlate", GlobalId="0aaaaaaaaaaaaaaaaaaac1", Name="bare")
    made = impinge.as_assembly(model)
    assert len(made) == len(same_assembly.PARTS)
    assert ("IfcPlate without geometry", 1, ["bare"]) in made.left_out
    # A body that cannot be built.
    shape = next(it for it in model.by_type("IfcShapeRepresentation"))
    points = model.create_entity("IfcCartesianPointList3D", [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    faces = model.create_entity("IfcTriangulatedFaceSet", Coordinates=points, CoordIndex=[[1, 2, 3]])
    flat = model.create_entity("IfcShapeRepresentation", shape.ContextOfItems, "Body", "Tessellation", [faces])
    bare.Representation = model.create_entity("IfcProductDefinitionShape", Representations=[flat])
    refused(model, "IfcPlate #[0-9]+ bare.*IfcOpenShell cannot build its geometry", [f"IfcPlate #{bare.id()} bare"])


def test_ifc_models_without_elements() -> None:
    ifcopenshell = needs("ifcopenshell")
    for model in (ifcopenshell.file(), ifcopenshell.file(schema="IFC2X3")):
        with pytest.raises(impinge.ArgumentError, match="model.ifc: "):
            impinge.as_assembly(model)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan"), float("inf")])
def test_tolerances(tolerance: float) -> None:
    needs("OCP")
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox

    for source in (BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid(), same_assembly.ifc_model()):
        with pytest.raises(impinge.ArgumentError, match="the tolerance must be a positive number"):
            impinge.as_assembly(source, tolerance=tolerance)


def test_shapes_of_ocp_without_faces() -> None:
    needs("OCP")
    from OCP.BRep import BRep_Builder
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.gp import gp_Pln, gp_Pnt
    from OCP.TopoDS import TopoDS_Compound, TopoDS_Solid

    compound, hollow = TopoDS_Compound(), TopoDS_Solid()
    builder = BRep_Builder()
    builder.MakeCompound(compound)
    builder.MakeSolid(hollow)
    edge = BRepBuilderAPI_MakeEdge(gp_Pnt(0, 0, 0), gp_Pnt(1, 0, 0)).Edge()
    for shape in (compound, edge):
        with pytest.raises(impinge.ArgumentError, match="no part"):
            impinge.as_assembly(shape)
    with pytest.raises(impinge.ArgumentError, match="it has no faces"):
        impinge.as_assembly(hollow, tolerance=1e-3)
    plane = BRepBuilderAPI_MakeFace(gp_Pln()).Face()
    with pytest.raises(impinge.ArgumentError, match="`shape`: its surface goes to infinity"):
        impinge.as_assembly(plane)
    # Bodies are named after the shape, and one with an error does not hide the others.
    builder.Add(compound, BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid())
    builder.Add(compound, plane)
    made = refused(compound, "its surface goes to infinity", ["case/2"], name="case.step")
    assert made.names == ["case/1"]


def test_null_shapes_and_documents_without_names_do_not_crash() -> None:
    """OCP ends the process with a segmentation fault if it is asked about what is not there."""
    needs("OCP")
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import impinge, same_assembly
from OCP.TDataStd import TDataStd_Name
from OCP.TopoDS import TopoDS_Compound, TopoDS_Shape
from OCP.TDocStd import TDocStd_Document
from OCP.TCollection import TCollection_ExtendedString
from OCP.XCAFDoc import XCAFDoc_DocumentTool
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
for source in (TopoDS_Shape(), TopoDS_Compound(), TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))):
    try:
        impinge.clash(source)
    except impinge.ArgumentError as error:
        print(error)
document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
label = tool.AddShape(BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid(), False)
label.ForgetAttribute(TDataStd_Name.GetID_s())
print(impinge.as_assembly(document, name="case.step").paths)
"""
    run = [sys.executable, "-c", script, str(Path(__file__).parent)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    null, compound, empty, names = done.stdout.splitlines()
    assert null == compound == "the shape is null: it has neither faces nor anything else"
    assert "no part" in empty and names == "['case']"


def test_the_unit_of_a_document() -> None:
    needs("OCP")
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = same_assembly.ocp_document()
    for metres, unit, size in ((1.0, "m", 100), (0.0254, "in", 100), (0.9144, "m", 91.44)):
        XCAFDoc_DocumentTool.SetLengthUnit_s(document, metres)
        made = impinge.as_assembly(document)
        assert made.units == unit
        assert np.ptp(made.part("plate").mesh.vertices, axis=0)[0] == pytest.approx(size), unit
    made = impinge.as_assembly(document, file_units="cm")
    assert made.units == "cm" and np.ptp(made.part("plate").mesh.vertices, axis=0)[0] == pytest.approx(100)


def test_documents_with_deep_levels_and_cycles() -> None:
    needs("OCP")
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    place = same_assembly.ocp_location(np.eye(4))
    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    label = tool.AddShape(BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid(), False)
    for _ in range(600):
        above = tool.NewShape()
        tool.AddComponent(above, label, place)
        label = above
    assert len(impinge.as_assembly(document)) == 1
    # An assembly that contains itself.
    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    a, b, top = tool.NewShape(), tool.NewShape(), tool.NewShape()
    for above, below in ((a, b), (b, a), (top, a)):
        tool.AddComponent(above, below, place)
    with pytest.raises(impinge.ArgumentError, match="nested more than 1000 levels"):
        impinge.as_assembly(document)
