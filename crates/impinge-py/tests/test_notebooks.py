"""The example notebooks run, and what they show is a page with a 3D view."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import needs
from meshes import cube, shift

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def page_in(frame: str) -> str:
    """The page that a frame shows."""
    found = re.fullmatch(r'<iframe ([^<>]*?) srcdoc="([^"<>]*)"></iframe>', frame)
    assert found, frame[:200]
    assert 'sandbox="allow-scripts allow-downloads"' in found.group(1)
    return html.unescape(found.group(2))


def header_of(page: str) -> dict[str, Any]:
    """The data of a report page, as its script reads them."""
    found = re.search(r'<script id="findings"[^>]*>([^<]*)</script>', page)
    assert found
    packed = zlib.decompress(base64.b64decode(found.group(1)))
    length = int.from_bytes(packed[:4], "little")
    header: dict[str, Any] = json.loads(packed[4 : 4 + length])
    return header


def assembly(name: str = "b") -> impinge.Assembly:
    made = impinge.Assembly(name="two", units="mm")
    made.add("a", cube())
    made.add(name, cube(), shift(0.5))
    return made


def test_there_are_notebooks() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path) -> None:
    nbformat, nbclient = needs("nbformat"), needs("nbclient")
    needs("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code), "outputs are stored"
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    pages = [
        page_in(output.data["text/html"])
        for cell in code
        for output in cell.outputs
        if output.output_type == "execute_result" and "text/html" in output.data
    ]
    shown = [header_of(page) for page in pages]
    parts = [header["parts"]["name"] for header in shown]
    expected = {
        "01": [["mesh"], ["first", "second"]],
        "02": [["base", "left post", "right post", "lid"]] * 2,
        "03": [["left", "right", "bolt"]],
    }
    assert parts == expected[path.name[:2]]
    if path.name.startswith("02"):
        assert [header["is_checked"] for header in shown] == [False, True]
        assert len(shown[1]["rows"]) == 3
    if path.name.startswith("03"):
        assert shown[0]["path"]["rows"] == 3
        assert {row["verdict"] for row in shown[0]["rows"]} == {"penetrating"}


def test_a_mesh_and_a_shape_show_the_same() -> None:
    header = header_of(page_in(cube()._repr_html_()))
    assert header["face_count"] == 12
    assert not header["is_checked"]
    assert header_of(page_in(impinge.Shape(cube())._repr_html_())) == header


def test_reports_show_their_pages() -> None:
    clash = impinge.clash(assembly())
    path = impinge.clash_path(assembly(), "b", [shift(0), shift(3)])
    program = "x,y,z\n5,0.5,2\n0.5,0.5,2\n0.5,0.5,0.5\n"
    gouges = impinge.nc(cube(), program, tool="ball:d=0.5,length=3")
    assert (len(clash), len(path), len(gouges)) == (1, 1, 1)
    for report in (clash, path, gouges):
        assert page_in(report._repr_html_()) == report.html(), report


def test_hostile_names_do_not_leave_the_frame() -> None:
    name = "\"></iframe><script>alert('&quot;')</script>"
    frame = impinge.clash(assembly(name))._repr_html_()
    assert frame.count("<") == 2  # The frame alone.
    header = header_of(page_in(frame))
    assert name in header["parts"]["name"]
    assert header_of(page_in(assembly(name)._repr_html_()))["parts"]["name"] == header["parts"]["name"]


def test_large_scenes_are_shown_as_tables() -> None:
    """Random vertices cannot be compressed: the page would have more than 8 MB."""
    random = np.random.default_rng(5)
    count = 600_000
    vertices = random.normal(size=(count, 3))
    big = impinge.Mesh(vertices, random.permutation(count)[: count // 3 * 3].reshape(-1, 3))
    assert big._repr_html_() == f"<p>Mesh({count} vertices, {len(big)} faces)</p>"
    scene = assembly("<b>")
    scene.add("big", big, shift(100))
    text = scene._repr_html_()
    assert "<iframe" not in text
    assert "<td>&lt;b&gt;</td>" in text
    assert f"<td>big</td><td>{len(big)}</td>" in text
    report = impinge.clash(scene, between=("a", "<b>"))._repr_html_()
    assert "<iframe" not in report
    assert "save(&#39;report.html&#39;)" in report
    assert "<td>penetrating</td><td>a</td><td>&lt;b&gt;</td><td>0.5000</td>" in report
    path = impinge.clash_path(scene, "<b>", np.stack([shift(0), shift(3)]), between=("a", "<b>"))._repr_html_()
    assert "<iframe" not in path
    assert "<td>&lt;b&gt;</td><td>a</td><td>0.0000</td>" in path


def test_a_report_without_meshes_is_shown_as_a_table(tmp_path: Path) -> None:
    """A cluster returns the boxes of the parts only. A 3D view of them would show wrong parts."""
    from impinge._impinge import Fragment, Listing, Plan, check_task

    files = [tmp_path / "a.stl", tmp_path / "b.stl"]
    for path, place in zip(files, (0, 0.5), strict=True):
        impinge.Mesh(cube().vertices + [place, 0, 0], cube().faces).save(path)
    listing = Listing(*files)
    fragments = [Fragment.read(*listing.file(number)) for number in range(2)]
    outline, blobs = listing.join([fragment.state for fragment in fragments])
    plan = Plan(outline)
    [_] = plan.divide(10**9, 10**9)
    task, needed = plan.task(0)
    packed = [fragments[blobs[number][0]].blobs.pack([blobs[number][1]]) for number in needed]
    places = [(number, bundle, packed[bundle][1][0]) for bundle, number in enumerate(needed)]
    report = plan.finish([check_task("job", task, [bundle for bundle, _ in packed], places, 0)])
    assert report == impinge.clash(files) and "<iframe" in impinge.clash(files)._repr_html_()
    text = report._repr_html_()
    assert "<iframe" not in text and "meshes of the parts are not here" in text
    assert "<td>penetrating</td><td>a</td><td>b</td>" in text
    with pytest.raises(impinge.ArgumentError, match="meshes"):
        report.save(tmp_path / "report.html")
    with pytest.raises(impinge.ArgumentError, match="extension"):
        report.save(tmp_path / "report.pdf")
    report.save(tmp_path / "report.JSON")
    assert (tmp_path / "report.JSON").read_text() == report.json()
