"""The same assembly reaches the same verdicts, names, sub-assemblies, identities and units, whoever has read it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import same_assembly
from conftest import needs
from same_assembly import CLEARANCE, IDS, PARTS, PATHS, VERDICTS

#: The size of units in millimetres.
UNITS = {"mm": 1.0, "in": 25.4, "m": 1000.0}
#: A place far from the origin, in millimetres, that is not a round number in any unit.
FAR = (1234567.3, -2345678.9, 312345.7)

#: The other names that trimesh gives to nodes, because it does not allow two nodes of the same name.
TRIMESH_NAMES = {"bolt_1": "bolt#2", "tool_1": "tool", "tool ": "tool"}


def renamed(path: str, names: dict[str, str]) -> str:
    return "/".join(names.get(part, part) for part in path.split("/"))


def check(
    source: Any,
    *,
    units: str,
    ids: bool,
    names: dict[str, str] | None = None,
    top: str = "",
    offset: Any = (0, 0, 0),
    error: float = 1e-6,
    **load: Any,
) -> impinge.Assembly:
    """Compare a source with what is known of the assembly.

    `units` is the unit that the source itself is in, `top` the name of a sub-assembly around all others, and `error` the
    precision of lengths in millimetres. `names` are names that the source cannot keep, each with the name in the file.
    """
    names = names or {}
    made = impinge.as_assembly(source, **load)
    assert made.units == units
    assert sorted(renamed(path, names) for path in made.paths) == sorted(top + path for path in PATHS)
    assert {renamed(part.name, names): part.id for part in made.parts} == (IDS if ids else dict.fromkeys(IDS))
    assert made.left_out == [] and made.skipped == []

    report = impinge.clash(source, clearance=CLEARANCE, **load, units="mm")
    assert report.units == "mm"
    found = {}
    for it in report:
        pair = tuple(sorted(renamed(name, names) for name in (it.a, it.b)))
        found[pair] = (str(it.verdict), it.depth or 0.0, it.distance or 0.0)
    assert {pair: it[0] for pair, it in found.items()} == {pair: it[0] for pair, it in VERDICTS.items()}
    reference = impinge.clash(same_assembly.assembly(offset), clearance=CLEARANCE)
    same = {tuple(sorted((it.a, it.b))): it for it in reference}
    for pair, (_, depth, distance) in found.items():
        assert depth == pytest.approx(same[pair].depth or 0.0, abs=error), pair
        assert distance == pytest.approx(same[pair].distance or 0.0, abs=error), pair
        _, known_depth, known_distance = VERDICTS[pair]
        assert known_depth is None or depth == pytest.approx(known_depth, abs=error), pair
        assert known_distance is None or distance == pytest.approx(known_distance, abs=error), pair
    return made


def test_the_assembly_has_the_known_verdicts() -> None:
    report = impinge.clash(same_assembly.assembly(), clearance=CLEARANCE)
    assert {tuple(sorted((it.a, it.b))): str(it.verdict) for it in report} == {
        pair: it[0] for pair, it in VERDICTS.items()
    }
    assert {part.name: part.id for part in same_assembly.assembly().parts} == IDS


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
@pytest.mark.parametrize("unit", UNITS)
def test_glb(tmp_path: Path, unit: str, offset: Any) -> None:
    trimesh = needs("trimesh")
    path = tmp_path / "assembly.glb"
    same_assembly.write_glb(path, UNITS[unit], offset)
    # Coordinates are in single precision.
    own = check(path, units=unit, ids=True, file_units=unit, offset=offset, error=1e-4)
    read = check(
        trimesh.load_scene(path), units=unit, ids=True, file_units=unit, names=TRIMESH_NAMES, offset=offset, error=1e-4
    )
    # Nodes share three meshes; each scale makes one more.
    meshes = [len({part.mesh.vertices.tobytes() for part in made.parts}) for made in (own, read)]
    assert meshes == [6, 6]


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
@pytest.mark.parametrize("unit", UNITS)
def test_a_scene_of_trimesh(unit: str, offset: Any) -> None:
    scene = same_assembly.trimesh_scene(UNITS[unit], offset)
    scene.units = unit
    check(scene, units=unit, ids=True, names=TRIMESH_NAMES, offset=offset)


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
@pytest.mark.parametrize("unit", UNITS)
def test_collada(tmp_path: Path, unit: str, offset: Any) -> None:
    """trimesh drops names and levels of nodes, and makes two nodes of a geometry with two lists of triangles."""
    trimesh = needs("trimesh")
    needs("collada")
    path = tmp_path / "assembly.dae"
    same_assembly.write_collada(path, UNITS[unit], offset)
    scene = trimesh.load_scene(path)
    assert len(scene.graph.nodes_geometry) == len(PARTS) + 1
    # pycollada reads coordinates and matrices in single precision, which is 0.125 mm at 2 km.
    check(scene, units=unit, ids=False, offset=offset, error=1e-3 if offset != FAR else 0.2)
    pieces = impinge.as_assembly(scene, primitives=True)
    assert {"frame/plate/1", "frame/plate/2"} < set(pieces.paths) and len(pieces) == len(PARTS) + 1


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
def test_3dxml(tmp_path: Path, offset: Any) -> None:
    """trimesh drops the names of sub-assemblies, and appends numbers to the names of parts."""
    trimesh = needs("trimesh")
    needs("lxml")
    needs("networkx")
    path = tmp_path / "assembly.3dxml"
    same_assembly.write_3dxml(path, offset)
    with pytest.raises(impinge.FileError, match="3DXML"):
        impinge.clash(path)
    check(trimesh.load_scene(path), units="mm", ids=False, top="assembly/", offset=offset)


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
@pytest.mark.parametrize("unit", UNITS)
def test_ifc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str, offset: Any) -> None:
    needs("ifcopenshell")
    monkeypatch.setenv("IMPINGE_PYTHON", sys.executable)
    model = same_assembly.ifc_model(UNITS[unit], offset)
    # IfcOpenShell converts all files to metres.
    check(model, units="m", ids=True, offset=offset)
    path = tmp_path / "assembly.ifc"
    model.write(str(path))
    check(path, units="m", ids=True, offset=offset)


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
def test_a_document_of_ocp(offset: Any) -> None:
    document = same_assembly.ocp_document(offset)
    made = check(document, units="mm", ids=False, top="assembly/", offset=offset)
    assert all(part.mesh.is_closed and part.deviation == 0 for part in made.parts)
    metres = {part.name: part for part in impinge.as_assembly(document, units="m").parts}
    for part in made.parts:
        assert metres[part.name].pose[:3, 3] == pytest.approx(part.pose[:3, 3] / 1000), part.name
        assert metres[part.name].mesh.vertices == pytest.approx(part.mesh.vertices / 1000), part.name


def test_a_shape_of_ocp() -> None:
    """A compound has neither names nor levels: its bodies are numbered."""
    made = impinge.as_assembly(same_assembly.ocp_compound(), name="assembly.step")
    assert made.units == "mm"
    assert made.paths == [f"assembly/assembly/{number + 1}" for number in range(len(PARTS))]
    names = {path.removeprefix("assembly/"): part.name for path, part in zip(made.paths, PARTS, strict=True)}
    names["assembly/10"] = "bolt#2"
    found = {
        tuple(sorted((names[it.a], names[it.b]))): str(it.verdict) for it in impinge.clash(made, clearance=CLEARANCE)
    }
    assert found == {pair: it[0] for pair, it in VERDICTS.items()}


@pytest.mark.parametrize("offset", [(0, 0, 0), FAR], ids=["near", "far"])
@pytest.mark.parametrize("unit", ["MM", "INCH", "M"])
def test_step(tmp_path: Path, step_reader: str, unit: str, offset: Any) -> None:
    path = tmp_path / "assembly.step"
    same_assembly.write_step(same_assembly.ocp_document(offset), path, unit)
    # Both readers convert to millimetres.
    own = check(path, units="mm", ids=False, top="assembly/", offset=offset)
    read = check(same_assembly.read_step(path), units="mm", ids=False, top="assembly/", offset=offset, name=str(path))
    assert own.paths == read.paths
    for a, b in zip(own.parts, read.parts, strict=True):
        assert np.allclose(a.pose, b.pose, rtol=0, atol=1e-9), (a.name, unit)
        assert len(a.mesh) == len(b.mesh), (a.name, unit)
