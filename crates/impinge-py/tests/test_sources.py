"""Assemblies of other packages reach the verdicts of the command's own readers: the same assembly in each format."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import data, needs
from meshes import cube
from scenes import euler, moved

#: Box sizes and poses of an assembly in millimetres, by sub-assembly and name.
PARTS: list[tuple[str, str, tuple[float, float, float], np.ndarray]] = [
    ("frame", "plate", (100, 60, 10), moved(0, 0, 0)),
    ("frame", "rail", (100, 10, 20), moved(0, 60, 0)),
    ("tool", "sunk block", (20, 20, 20), moved(10, 10, 9.5)),
    ("tool", "standing block", (20, 20, 20), moved(40, 10, 10)),
    ("tool", "floating block", (20, 20, 20), moved(70, 10, 10.25)),
    ("tool", "turned block", (10, 10, 10), moved(95, 30, 5) @ euler((0.3, 0.2, 0.1))),
    ("tool", "pin", (1 / 3, 1 / 3, 40), moved(50, 20, -5)),
]
CLEARANCE = "1mm"


def box(size: tuple[float, float, float]) -> impinge.Mesh:
    """Return a box with a corner at the origin."""
    return impinge.Mesh(cube().vertices * np.array(size), cube().faces)


def assembly() -> impinge.Assembly:
    made = impinge.Assembly(units="mm", name="assembly")
    for group, name, size, pose in PARTS:
        made.add(name, box(size), pose, group=[group])
    return made


def trimesh_scene(scale: float = 1.0) -> Any:
    """Return the assembly as a scene with two sub-assemblies. The scale is that of coordinates."""
    trimesh = needs("trimesh")
    scene = trimesh.Scene()
    for group in ("frame", "tool"):
        scene.graph.update(frame_to=group, frame_from=scene.graph.base_frame, matrix=np.eye(4))
    for group, name, size, pose in PARTS:
        mesh = box(size)
        matrix = pose.copy()
        matrix[:3, 3] *= scale
        own = trimesh.Trimesh(mesh.vertices * scale, mesh.faces, process=False)
        scene.add_geometry(own, node_name=name, geom_name=name, parent_node_name=group, transform=matrix)
    return scene


def verdicts(source: Any, **load: Any) -> dict[tuple[str, str], tuple[str, float, float]]:
    """Return verdict, depth and distance of each pair, by the names of its parts, in millimetres."""
    load.setdefault("units", "mm")
    report = impinge.clash(source, clearance=CLEARANCE, **({} if isinstance(source, impinge.Assembly) else load))
    assert report.units == "mm"
    found = {}
    for it in report:
        a, b = sorted((it.a, it.b))
        found[a, b] = (str(it.verdict), it.depth or 0.0, it.distance or 0.0)
    return found


def same(found: dict[Any, Any], expected: dict[Any, Any], error: float) -> None:
    """Compare verdicts, and lengths to the precision of a format in millimetres."""
    assert {pair: it[0] for pair, it in found.items()} == {pair: it[0] for pair, it in expected.items()}
    for pair, (_, depth, distance) in found.items():
        assert depth == pytest.approx(expected[pair][1], abs=error), pair
        assert distance == pytest.approx(expected[pair][2], abs=error), pair


EXPECTED = {
    ("plate", "rail"): "touching",
    ("plate", "sunk block"): "penetrating",
    ("plate", "standing block"): "touching",
    ("floating block", "plate"): "clearance",
    ("plate", "turned block"): "penetrating",
    ("pin", "plate"): "penetrating",
    ("pin", "standing block"): "penetrating",
}


def test_the_assembly_has_every_verdict() -> None:
    assert {pair: it[0] for pair, it in verdicts(assembly()).items()} == EXPECTED


def test_a_scene_of_trimesh() -> None:
    scene = trimesh_scene()
    scene.units = "mm"
    made = impinge.as_assembly(scene)
    assert made.units == "mm"
    assert sorted(made.paths) == sorted(f"{group}/{name}" for group, name, _, _ in PARTS)
    same(verdicts(scene), verdicts(assembly()), 1e-9)


@pytest.mark.parametrize(
    ("units", "scale"), [("m", 1e-3), ("meters", 1e-3), ("in", 1 / 25.4), ("cm", 0.1), ("yards", 1 / 914.4)]
)
def test_units_of_a_scene(units: str, scale: float) -> None:
    scene = trimesh_scene(scale)
    scene.units = units
    same(verdicts(scene), verdicts(assembly()), 1e-9)
    own = impinge.as_assembly(scene)
    assert own.units == {"meters": "m", "yards": "m"}.get(units, units)
    # Without a unit, it is the unit that is asked for.
    bare = trimesh_scene(scale)
    assert impinge.as_assembly(bare).units is None
    if units in ("m", "in", "cm"):
        same(verdicts(bare, file_units=units), verdicts(assembly()), 1e-9)


def test_mixed_units_are_refused() -> None:
    scene = trimesh_scene()
    scene.units = "mm"
    next(iter(scene.geometry.values())).units = "m"
    with pytest.raises(impinge.ArgumentError, match="different units"):
        impinge.as_assembly(scene)


def test_instances_scales_and_mirrors_in_a_scene() -> None:
    trimesh = needs("trimesh")
    wedge = trimesh.Trimesh([[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    scene = trimesh.Scene()
    scene.add_geometry(wedge, geom_name="wedge", node_name="a")
    for name, matrix in {
        "b": moved(0.5),
        "scaled": moved(0, 3) @ np.diag([2.0, 2.0, 2.0, 1.0]),
        "mirrored": moved(0, 0, 3) @ np.diag([-1.0, 1.0, 1.0, 1.0]),
        "sheared": moved(9, 9, 9) @ np.array([[1, 0.5, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]),
    }.items():
        scene.graph.update(frame_to=name, matrix=matrix, geometry="wedge")
    made = impinge.as_assembly(scene)
    parts = {part.name: part for part in made.parts}
    assert set(parts) == {"a", "b", "scaled", "mirrored", "sheared"}
    assert parts["a"].mesh == parts["b"].mesh
    for name, part in parts.items():
        matrix, _ = scene.graph[name]
        true = wedge.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        own = part.mesh.vertices @ part.pose[:3, :3].T + part.pose[:3, 3]
        assert own == pytest.approx(true), name
        # Faces look outward: the volume is positive.
        corners = own[part.mesh.faces]
        volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        assert volume > 0, name
    same(verdicts(scene, file_units="mm"), {("a", "b"): verdicts(scene, file_units="mm")["a", "b"]}, 0)


def test_what_is_no_mesh_is_left_out() -> None:
    trimesh = needs("trimesh")
    scene = trimesh_scene()
    scene.add_geometry(trimesh.PointCloud(np.zeros((3, 3))), node_name="points")
    assert "points" not in impinge.as_assembly(scene).names
    with pytest.raises(impinge.ArgumentError, match="no part"):
        impinge.as_assembly(trimesh.Scene())


def test_a_single_mesh() -> None:
    trimesh = needs("trimesh")
    made = impinge.as_assembly(trimesh.creation.box(), name="box.stl")
    assert len(made) == 1 and made.face_count == 12


def test_glb(tmp_path: Path) -> None:
    trimesh = needs("trimesh")
    path = tmp_path / "assembly.glb"
    path.write_bytes(trimesh_scene().export(file_type="glb"))
    own = verdicts(path, file_units="mm")
    assert {pair: it[0] for pair, it in own.items()} == EXPECTED
    read = verdicts(trimesh.load_scene(path), file_units="mm")
    same(read, own, 1e-9)
    a, b = impinge.Assembly.load(path, file_units="mm"), impinge.as_assembly(trimesh.load_scene(path), file_units="mm")
    assert {part.name: part.rounding for part in a.parts} == pytest.approx(
        {part.name: part.rounding for part in b.parts}
    )
    assert sorted(a.paths) == sorted(b.paths)


def test_identities_in_glb(tmp_path: Path) -> None:
    """Nodes keep their identity: from the extras of a glTF node, or its name if that is an IFC GUID."""
    trimesh = needs("trimesh")
    scene = trimesh.Scene()
    guid = "2O2Fr$t4X7Zf8NOew3FNr2"
    for number, name in enumerate(("wall", "slab", guid)):
        extras = {"GlobalId": "1kTvXnbbzCWw8lcMd1dR4o", "id": 7} if name == "wall" else {}
        box = trimesh.creation.box()
        scene.add_geometry(box, node_name=name, geom_name=name, transform=moved(number), metadata=extras)
    path = tmp_path / "model.glb"
    path.write_bytes(scene.export(file_type="glb"))
    own = {part.name: part.id for part in impinge.Assembly.load(path).parts}
    read = {part.name: part.id for part in impinge.as_assembly(trimesh.load_scene(path)).parts}
    direct = {part.name: part.id for part in impinge.as_assembly(scene).parts}
    expected = {"wall": "1kTvXnbbzCWw8lcMd1dR4o", "slab": None, guid: guid}
    assert direct == expected
    assert read == own
    assert all(part.kind is None for part in impinge.as_assembly(scene).parts)


def test_primitives_of_a_real_file() -> None:
    """trimesh makes a node of each primitive of a glTF mesh; they are one part, as for the command."""
    trimesh = needs("trimesh")
    path = data("assemblies", "chronograph-watch", "ChronographWatch.gltf")
    own, read = impinge.Assembly.load(path), impinge.as_assembly(trimesh.load_scene(path))
    assert len(read) == len(own) and sorted(read.paths) == sorted(own.paths)
    assert read.face_count == own.face_count
    rows = []
    for made in (own, read):
        report = impinge.clash(made)
        rows.append({(*sorted((it.a, it.b)),): (it.verdict, it.depth or 0.0) for it in report})
    assert {pair: it[0] for pair, it in rows[0].items()} == {pair: it[0] for pair, it in rows[1].items()}
    for pair, (_, depth) in rows[0].items():
        assert rows[1][pair][1] == pytest.approx(depth, rel=1e-6, abs=1e-9), pair
    pieces = impinge.as_assembly(trimesh.load_scene(path), primitives=True)
    assert len(pieces) == len(impinge.Assembly.load(path, primitives=True)) >= len(own)


def test_obj(tmp_path: Path) -> None:
    trimesh = needs("trimesh")
    path = tmp_path / "assembly.obj"
    lines, first = [], 1
    for _, name, size, pose in PARTS:
        lines.append(f"o {name.replace(' ', '_')}")
        mesh = box(size)
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in (mesh.vertices @ pose[:3, :3].T + pose[:3, 3]).tolist()]
        lines += [f"f {a + first} {b + first} {c + first}" for a, b, c in mesh.faces.tolist()]
        first += len(mesh.vertices)
    path.write_text("\n".join(lines) + "\n")
    own = verdicts(path)
    assert {tuple(name.replace("_", " ") for name in pair): it[0] for pair, it in own.items()} == EXPECTED
    scene = trimesh.load_scene(path, split_objects=True, group_material=False, process=False, maintain_order=True)
    assert len(scene.geometry) == len(PARTS)
    scene.units = "mm"
    same(verdicts(scene), own, 1e-9)


def test_3mf(tmp_path: Path) -> None:
    trimesh = needs("trimesh")
    needs("lxml")
    needs("networkx")
    path = tmp_path / "assembly.3mf"
    scene = trimesh_scene()
    scene.units = "mm"
    path.write_bytes(scene.export(file_type="3mf"))
    own = verdicts(path)
    assert sorted(it[0] for it in own.values()) == sorted(EXPECTED.values())
    read = trimesh.load_scene(path)
    assert read.units is not None
    found = verdicts(read)
    # trimesh names nodes by itself; the pairs are recognised by what they are.
    key = lambda it: (it[0], round(it[1], 4), round(it[2], 4))  # noqa: E731
    assert sorted(map(key, found.values())) == sorted(map(key, own.values()))


def write_collada(path: Path) -> None:
    """Write the assembly as a Collada file in millimetres, one geometry and one node a part."""
    collada = needs("collada")
    document = collada.Collada()
    document.assetInfo.unitname, document.assetInfo.unitmeter = "millimeter", 0.001
    top = {group: collada.scene.Node(group, children=[]) for group in ("frame", "tool")}
    for number, (group, name, size, pose) in enumerate(PARTS):
        mesh = box(size)
        source = collada.source.FloatSource(f"s{number}", mesh.vertices.ravel(), ("X", "Y", "Z"))
        geometry = collada.geometry.Geometry(document, f"g{number}", name, [source])
        inputs = collada.source.InputList()
        inputs.addInput(0, "VERTEX", f"#s{number}")
        geometry.primitives.append(geometry.createTriangleSet(mesh.faces.astype(np.int32).ravel(), inputs, ""))
        document.geometries.append(geometry)
        shown = collada.scene.GeometryNode(geometry, [])
        place = collada.scene.MatrixTransform(pose.ravel())
        top[group].children.append(collada.scene.Node(name, children=[shown], transforms=[place]))
    scene = collada.scene.Scene("scene", list(top.values()))
    document.scenes.append(scene)
    document.scene = scene
    document.write(str(path))


def test_collada(tmp_path: Path) -> None:
    trimesh = needs("trimesh")
    path = tmp_path / "assembly.dae"
    write_collada(path)
    with pytest.raises(impinge.FileError, match="Collada"):
        impinge.clash(path)
    scene = trimesh.load_scene(path)
    made = impinge.as_assembly(scene, units="mm")
    assert len(made) == len(PARTS)
    found, own = verdicts(scene), verdicts(assembly())
    key = lambda it: (it[0], round(it[1], 4), round(it[2], 4))  # noqa: E731
    assert sorted(map(key, found.values())) == sorted(map(key, own.values()))


@contextmanager
def ocp_document() -> Iterator[Any]:
    """Yield the assembly as a document with names (XCAF)."""
    needs("OCP")
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.gp import gp_Trsf
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    top = tool.NewShape()
    TDataStd_Name.Set_s(top, TCollection_ExtendedString("assembly"))
    groups = {}
    for group in ("frame", "tool"):
        groups[group] = tool.NewShape()
        TDataStd_Name.Set_s(groups[group], TCollection_ExtendedString(group))
    for group, name, size, pose in PARTS:
        part = tool.AddShape(BRepPrimAPI_MakeBox(*(float(it) for it in size)).Solid(), False)
        TDataStd_Name.Set_s(part, TCollection_ExtendedString(name))
        transform = gp_Trsf()
        transform.SetValues(*pose[:3].ravel().tolist())
        tool.AddComponent(groups[group], part, TopLoc_Location(transform))
    for group in groups.values():
        tool.AddComponent(top, group, TopLoc_Location())
    tool.UpdateAssemblies()
    yield document


def test_a_document_of_ocp(tmp_path: Path) -> None:
    with ocp_document() as document:
        made = impinge.as_assembly(document, name="assembly.step")
        assert made.units == "mm"
        assert sorted(made.paths) == sorted(f"assembly/{group}/{name}" for group, name, _, _ in PARTS)
        assert all(part.mesh.is_closed and part.deviation == 0 for part in made.parts)
        same(verdicts(document), verdicts(assembly()), 1e-9)
        # In another unit, with lengths converted.
        metres = impinge.clash(document, clearance=CLEARANCE, units="m")
        depths = {(min(it.a, it.b), max(it.a, it.b)): (it.depth or 0) * 1000 for it in metres}
        assert depths == pytest.approx({pair: it[1] for pair, it in verdicts(assembly()).items()}, abs=1e-9)

        from OCP.STEPCAFControl import STEPCAFControl_Writer

        path = tmp_path / "assembly.step"
        writer = STEPCAFControl_Writer()
        writer.SetNameMode(True)
        writer.Transfer(document)
        writer.Write(str(path))
    read = step_document(path)
    same(verdicts(read), verdicts(assembly()), 1e-6)
    if has_step_reader():
        same(verdicts(path), verdicts(read), 1e-6)


def step_document(path: Path) -> Any:
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


def has_step_reader() -> bool:
    """Whether the command's own reader of STEP files is there."""
    return bool(os.environ.get("IMPINGE_STEP")) or shutil.which("impinge-step") is not None


def test_a_real_step_file_through_ocp() -> None:
    """Counts of parts and triangles are those that the documentation gives for the command's own reader."""
    made = impinge.as_assembly(step_document(data("step", "as1-oc-214.stp")))
    assert (len(made), made.face_count) == (18, 6416)
    assert all(part.mesh.is_closed for part in made.parts)
    assert len({id(part.mesh) for part in made.parts}) and made.paths[0] == "as1/rod-assembly/nut"
    deviations = np.unique(np.concatenate([np.unique(part.deviation) for part in made.parts]))
    assert deviations[0] == 0 and 0 < deviations[-1] <= 0.1001
    report = impinge.clash(made)
    assert len(report) == 32 and report.counts["penetrating"] == 0
    if has_step_reader():
        own = impinge.clash(data("step", "as1-oc-214.stp"))
        rows = [[(it.verdict, it.a, it.b, round(it.depth or 0, 6)) for it in found] for found in (own, report)]
        assert rows[0] == rows[1]


@pytest.mark.parametrize("kind", ["cylinder", "sphere", "cone", "torus"])
def test_curved_shapes_are_near_their_surface_and_closed(kind: str) -> None:
    needs("OCP")
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeCone,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
        BRepPrimAPI_MakeTorus,
    )

    shape = {
        "cylinder": lambda: BRepPrimAPI_MakeCylinder(20.0, 50.0),
        "sphere": lambda: BRepPrimAPI_MakeSphere(20.0),
        "cone": lambda: BRepPrimAPI_MakeCone(20.0, 0.0, 50.0),
        "torus": lambda: BRepPrimAPI_MakeTorus(20.0, 5.0),
    }[kind]().Solid()
    for asked, tolerance in ((None, 0.1), (2e-5, 0.02)):
        (part,) = impinge.as_assembly(shape, tolerance=asked, name=kind).parts
        assert part.name == kind and part.mesh.is_closed
        deviation = np.broadcast_to(part.deviation, len(part.mesh))
        assert 0 < deviation.max() <= tolerance * 1.2
        x, y, z = part.mesh.vertices[part.mesh.faces].mean(axis=1).T
        r = np.hypot(x, y)
        off = {
            "cylinder": np.minimum(20 - r, np.minimum(z, 50 - z)),
            "sphere": 20 - np.sqrt(x * x + y * y + z * z),
            "cone": np.minimum((20 - r - z * 0.4) / np.hypot(1, 0.4), z),
            "torus": 5 - np.hypot(r - 20, z),
        }[kind]
        assert (np.abs(off) <= deviation + 1e-6).all(), kind


def test_ifc_through_the_package_and_through_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ifcopenshell = needs("ifcopenshell")
    monkeypatch.setenv("IMPINGE_PYTHON", sys.executable)
    path = data("ifc", "Building-Structural.ifc")
    own = json.loads(impinge.clash(path).json())
    read = json.loads(impinge.clash(ifcopenshell.open(str(path)), name=str(path)).json())
    assert len(own["clashes"]) > 0
    for document in (own, read):
        document.pop("seconds", None)
    assert read == own
    made = impinge.as_assembly(ifcopenshell.open(str(path)))
    assert made.units == "m" and all(part.id and part.kind.startswith("Ifc") for part in made.parts)
    assert not any(part.kind in ("IfcSpace", "IfcOpeningElement") for part in made.parts)
    with pytest.raises(impinge.ArgumentError, match="not a class that is left out"):
        impinge.as_assembly(ifcopenshell.open(str(path)), ifc_include=["IfcWall"])


def write_ifc(unit: str) -> Any:
    """Return the assembly as an IFC model: elements with triangles, in two storeys."""
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
    length = ifcopenshell.api.unit.add_si_unit(model, unit_type="LENGTHUNIT", prefix="MILLI" if unit == "mm" else None)
    ifcopenshell.api.unit.assign_unit(model, units=[length])
    context = ifcopenshell.api.context.add_context(model, context_type="Model")
    body = ifcopenshell.api.context.add_context(
        model, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW", parent=context
    )
    scale = 1.0 if unit == "mm" else 1e-3
    storeys = {}
    for group in ("frame", "tool"):
        storeys[group] = ifcopenshell.api.root.create_entity(model, ifc_class="IfcBuildingStorey", name=group)
    ifcopenshell.api.aggregate.assign_object(model, products=list(storeys.values()), relating_object=project)
    for group, name, size, pose in PARTS:
        element = ifcopenshell.api.root.create_entity(model, ifc_class="IfcPlate", name=name)
        mesh = box(size)
        points = model.create_entity("IfcCartesianPointList3D", (mesh.vertices * scale).tolist())
        faces = model.create_entity(
            "IfcTriangulatedFaceSet", Coordinates=points, Closed=True, CoordIndex=(mesh.faces + 1).tolist()
        )
        shape = model.create_entity("IfcShapeRepresentation", body, "Body", "Tessellation", [faces])
        ifcopenshell.api.geometry.assign_representation(model, product=element, representation=shape)
        matrix = pose.copy()
        matrix[:3, 3] *= 1e-3
        ifcopenshell.api.geometry.edit_object_placement(model, product=element, matrix=matrix, is_si=True)
        ifcopenshell.api.spatial.assign_container(model, products=[element], relating_structure=storeys[group])
    return model


@pytest.mark.parametrize("unit", ["mm", "m"])
def test_the_assembly_as_ifc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    needs("ifcopenshell")
    monkeypatch.setenv("IMPINGE_PYTHON", sys.executable)
    model = write_ifc(unit)
    made = impinge.as_assembly(model, units="mm")
    assert sorted(made.paths) == sorted(f"{group}/{name}" for group, name, _, _ in PARTS)
    found = verdicts(model)
    same(found, verdicts(assembly()), 1e-6)
    path = tmp_path / "assembly.ifc"
    model.write(str(path))
    same(found, verdicts(path), 0)


def test_unknown_sources_are_named() -> None:
    with pytest.raises(TypeError, match="int"):
        impinge.clash(5)
    with pytest.raises(impinge.MissingFileError):
        impinge.clash("there-is-no-such-file.glb")
    trimesh = needs("trimesh")
    with pytest.raises(TypeError, match="packages"):
        impinge.as_assembly(trimesh.creation.box(), packages=["here"])
