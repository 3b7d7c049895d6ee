"""STEP files read by OCP and by the command's own reader: the same parts, meshes, names and verdicts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import same_assembly
from conftest import data, needs
from scenes import moved

FILES = ["as1-oc-214.stp", "base_interface_AP203.STEP", "featuretype.STEP", "io1-cm-214.stp"]


def volume(part: impinge.Part) -> float:
    corners = part.mesh.vertices[part.mesh.faces]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


def area(part: impinge.Part) -> float:
    a, b, c = np.moveaxis(part.mesh.vertices[part.mesh.faces], 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def compare(path: Path, document: Any, **load: Any) -> tuple[impinge.Assembly, impinge.Assembly]:
    """Compare a file that the command's own reader reads with the document that OCP has made of it.

    The two use different versions of OpenCASCADE, which cut some surfaces into different triangles. Each triangle is
    within the part's deviation of the true surface, so that lengths differ by at most the deviations of both.
    """
    own, read = impinge.Assembly.load(path, **load), impinge.as_assembly(document, name=str(path), **load)
    assert (own.units, own.paths) == (read.units, read.paths)
    deviation = {}
    for a, b in zip(own.parts, read.parts, strict=True):
        assert np.allclose(a.pose, b.pose, rtol=0, atol=1e-9), a.name
        assert a.mesh.is_closed == b.mesh.is_closed, a.name
        assert np.max(a.deviation) == pytest.approx(np.max(b.deviation), rel=0.2), a.name
        deviation[a.name] = 1e-6 + float(np.max(a.deviation) + np.max(b.deviation))
        for corner in (np.min, np.max):
            bounds = [corner(part.mesh.vertices, axis=0) for part in (a, b)]
            assert np.abs(bounds[0] - bounds[1]).max() <= deviation[a.name], a.name
        assert abs(volume(a) - volume(b)) <= area(a) * deviation[a.name], a.name
    found = []
    for made in (own, read):
        report = impinge.clash(made, clearance="1mm")
        found.append({(it.a, it.b): (str(it.verdict), it.depth or 0.0, it.distance or 0.0) for it in report})
    assert {pair: it[0] for pair, it in found[0].items()} == {pair: it[0] for pair, it in found[1].items()}
    for pair, (_, depth, distance) in found[0].items():
        error = deviation[pair[0]] + deviation[pair[1]]
        assert found[1][pair][1:] == pytest.approx((depth, distance), abs=error), pair
    return own, read


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("tolerance", [None, 5e-4])
def test_real_files(step_reader: str, name: str, tolerance: float | None) -> None:
    path = data("step", name)
    own, _ = compare(path, same_assembly.read_step(path), tolerance=tolerance)
    assert len(own) == (18 if name == "as1-oc-214.stp" else 1)


def curved_document() -> Any:
    """Return a document with curved bodies: a product of three bodies, used twice, and a product without a name."""
    needs("OCP")
    from OCP.BRep import BRep_Builder
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeBox,
        BRepPrimAPI_MakeCone,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
    )
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopoDS import TopoDS_Compound
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    compound, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(compound)
    builder.Add(compound, BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Solid())
    builder.Add(compound, BRepPrimAPI_MakeSphere(7.0).Solid().Moved(same_assembly.ocp_location(moved(50))))
    builder.Add(compound, BRepPrimAPI_MakeCylinder(3.0, 40.0).Solid().Moved(same_assembly.ocp_location(moved(5, 5, 5))))
    top = tool.NewShape()
    several = tool.AddShape(compound, False)
    single = tool.AddShape(BRepPrimAPI_MakeCone(6.0, 0.0, 9.0).Solid(), False)
    for label, name in ((top, "top"), (several, "several"), (single, "cone")):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name, True))
    tool.AddComponent(top, several, same_assembly.ocp_location(np.eye(4)))
    tool.AddComponent(top, several, same_assembly.ocp_location(moved(0, 0, 29.5)))
    tool.AddComponent(top, single, same_assembly.ocp_location(moved(-3, 5, 5)))
    tool.UpdateAssemblies()
    return document


def test_products_with_several_bodies(step_reader: str, tmp_path: Path) -> None:
    path = tmp_path / "case.step"
    same_assembly.write_step(curved_document(), path)
    own, _ = compare(path, same_assembly.read_step(path))
    assert own.paths[:3] == ["top/several/several/1", "top/several/several/2", "top/several/several/3"]
    # Without names, parts are named after the file.
    unnamed = re.sub(r"\bPRODUCT\('[^']*','[^']*'", "PRODUCT('',''", path.read_text())
    path.write_text(unnamed)
    assert "case/case/case/1" in impinge.Assembly.load(path).paths


def test_names_of_bodies(step_reader: str, tmp_path: Path) -> None:
    """OCP keeps the names of bodies if it is asked to, with `read.stepcaf.subshapes.name`."""
    path = tmp_path / "case.step"
    same_assembly.write_step(curved_document(), path)
    from OCP.Interface import Interface_Static

    names = iter(("lid", "ball", "pin", "tip"))
    named = re.sub(r"MANIFOLD_SOLID_BREP\('[^']*'", lambda _: f"MANIFOLD_SOLID_BREP('{next(names)}'", path.read_text())
    path.write_text(named)
    Interface_Static.SetIVal_s("read.stepcaf.subshapes.name", 1)
    try:
        own, _ = compare(path, same_assembly.read_step(path))
    finally:
        Interface_Static.SetIVal_s("read.stepcaf.subshapes.name", 0)
    assert own.paths[:3] == ["top/several/lid", "top/several/ball", "top/several/pin"]


def test_shapes_are_found_whatever_is_imported() -> None:
    """A shape is recognised although the user has imported neither OCP.TopoDS nor OCP.TDocStd."""
    needs("OCP")
    script = (
        "import impinge\nfrom OCP.BRepPrimAPI import BRepPrimAPI_MakeBox\n"
        "print(len(impinge.as_assembly(BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Solid())))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "1\n", done.stderr
