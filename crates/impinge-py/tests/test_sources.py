"""Assemblies of other packages: what is specific to a package or a format.

`test_same_assembly.py` compares one assembly in all of them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import same_assembly
from conftest import data, needs
from meshes import cube
from same_assembly import read_step
from scenes import euler, moved, rotation

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
    # The part is named after the file, as the command names it.
    made = impinge.as_assembly(trimesh.creation.box(), name="box.stl")
    assert made.paths == ["box"] and made.face_count == 12


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


def random_scene(seed: int) -> Any:
    """Return a scene of nested nodes, some of which are scaled, stretched or mirrored."""
    trimesh = needs("trimesh")
    random = np.random.default_rng(seed)
    scene = trimesh.Scene()
    scene.geometry["box"] = trimesh.creation.box(random.uniform(0.5, 2, 3))
    scene.geometry["ball"] = trimesh.creation.icosphere(1, random.uniform(0.5, 1))
    nodes = [scene.graph.base_frame]
    scales = [np.ones(3), np.array([-1, 1, 1]), np.full(3, random.uniform(0.5, 2)), random.uniform(0.3, 2, 3)]
    for number in range(14):
        matrix = moved(*random.uniform(-2, 2, 3)) @ rotation(random) @ np.diag([*scales[random.integers(4)], 1.0])
        above = nodes[random.integers(len(nodes))]
        shown = {"geometry": ["box", "ball"][random.integers(2)]} if number < 2 or random.random() < 0.7 else {}
        scene.graph.update(frame_to=f"node {number}", frame_from=above, matrix=matrix, **shown)
        nodes.append(f"node {number}")
    return scene


def test_random_scenes_in_memory_and_in_files(tmp_path: Path) -> None:
    """A scene in memory, written and read by trimesh, and read by the command's own reader."""
    trimesh = needs("trimesh")
    clashes = 0
    for seed in range(15):
        scene = random_scene(seed)
        path = tmp_path / f"{seed}.glb"
        path.write_bytes(scene.export(file_type="glb"))
        own = impinge.Assembly.load(path)
        found = verdicts(path)
        for other in (trimesh.load_scene(path), scene):
            # In memory there is no unit; GLB files are in metres.
            made = impinge.as_assembly(other, file_units="m")
            assert sorted(made.paths) == sorted(own.paths), seed
            for name, part in ((part.name, part) for part in made.parts):
                corners = [
                    (it.mesh.vertices @ it.pose[:3, :3].T + it.pose[:3, 3])[it.mesh.faces]
                    for it in (part, own.part(name))
                ]
                volumes = [np.einsum("ij,ij->i", it[:, 0], np.cross(it[:, 1], it[:, 2])).sum() / 6 for it in corners]
                assert volumes[0] > 0 and volumes[0] == pytest.approx(volumes[1], rel=1e-4), (seed, name)
                bounds = [np.ravel([it.min(axis=(0, 1)), it.max(axis=(0, 1))]) for it in corners]
                assert bounds[0] == pytest.approx(bounds[1], abs=1e-5), (seed, name)
            same_verdicts = {pair: it[0] for pair, it in verdicts(other, file_units="m").items()}
            assert same_verdicts == {pair: it[0] for pair, it in found.items()}, seed
        clashes += len(found)
    assert clashes > 60, f"the parts hardly touch, so that the test proves little: {clashes}"


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


def test_nodes_of_a_collada_library(tmp_path: Path) -> None:
    """A sub-assembly in the library of nodes is used twice. Geometries have names as trimesh makes them."""
    trimesh = needs("trimesh")
    needs("collada")
    path = tmp_path / "library.dae"
    same_assembly.write_collada(path)
    text = path.read_text(encoding="utf-8")
    box = re.search(r'<geometry id="box".*?</geometry>', text)
    assert box is not None
    # trimesh calls the second use of `box` so, too.
    other = box.group(0).replace('"box', '"box_1').replace("#box", "#box_1")
    lines = '<lines count="1"><input semantic="VERTEX" source="#box_1-v" offset="0"/><p>0 1</p></lines></mesh>'
    pair = (
        '<library_nodes><node id="pair"><node name="left"><instance_geometry url="#box"/></node><node><translate>100 0 0'
        '</translate><instance_geometry url="#box"/><instance_geometry url="#tetra"/></node></node></library_nodes>'
    )
    use = '<node name="{0}"><translate>0 {1} 0</translate><instance_node url="#pair"/></node>'
    more = use.format("a", 1000) + use.format("b", 2000) + '<node name="odd"><instance_geometry url="#box_1"/></node>'
    # A geometry without triangles.
    wire = re.sub("<triangles.*</triangles>", "", other.replace("</mesh>", lines)).replace("box_1", "wire")
    more += '<node name="wire"><instance_geometry url="#wire"/></node>'
    text = text.replace("</library_geometries>", other.replace("</mesh>", lines) + wire + "</library_geometries>")
    text = text.replace("<library_visual_scenes>", pair + "<library_visual_scenes>")
    path.write_text(text.replace("</visual_scene>", more + "</visual_scene>"), encoding="utf-8")
    made = impinge.as_assembly(trimesh.load_scene(path))
    new = {part.name: part for part in made.parts[len(same_assembly.PARTS) :]}
    paths = ["a/pair/left", "a/pair/box", "a/pair/tetra", "b/pair/left#2", "b/pair/box#2", "b/pair/tetra#2", "odd"]
    assert made.paths[len(same_assembly.PARTS) :] == paths
    assert made.left_out == [("mesh without triangles", 1, ["wire"])]
    assert [new[name].pose[:2, 3].tolist() for name in ("left", "box", "tetra#2")] == [
        [0, 1000],
        [100, 1000],
        [100, 2000],
    ]
    assert (len(new["box#2"].mesh), len(new["tetra"].mesh)) == (12, 4)


def test_a_real_step_file_through_ocp() -> None:
    """Counts of parts and triangles are those that the documentation gives for the command's own reader."""
    made = impinge.as_assembly(read_step(data("step", "as1-oc-214.stp")))
    assert (len(made), made.face_count) == (18, 6416)
    assert all(part.mesh.is_closed for part in made.parts)
    assert len({id(part.mesh) for part in made.parts}) and made.paths[0] == "as1/rod-assembly/nut"
    deviations = np.unique(np.concatenate([np.unique(part.deviation) for part in made.parts]))
    assert deviations[0] == 0 and 0 < deviations[-1] <= 0.1001
    report = impinge.clash(made)
    assert len(report) == 32 and report.counts["penetrating"] == 0


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


def test_unknown_sources_are_named() -> None:
    with pytest.raises(TypeError, match="int"):
        impinge.clash(5)
    with pytest.raises(impinge.MissingFileError):
        impinge.clash("there-is-no-such-file.glb")
    trimesh = needs("trimesh")
    with pytest.raises(TypeError, match="packages"):
        impinge.as_assembly(trimesh.creation.box(), packages=["here"])
