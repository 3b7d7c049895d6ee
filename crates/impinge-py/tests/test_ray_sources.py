"""Whatever is checked on a cluster, and whatever is wrong with it: reports and errors are those of one machine."""

from __future__ import annotations

import json
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import needs
from meshes import cube, open_cube, shift, sphere

ray = needs("ray")

import impinge.ray  # noqa: E402
from impinge.ray import _store, _tasks  # noqa: E402


def save(path: Path, mesh: impinge.Mesh, *at: float) -> Path:
    """Save a mesh, shifted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    impinge.Mesh(mesh.vertices + np.array(at), mesh.faces).save(path)
    return path


def outcome(check: Callable[[], impinge.ClashReport]) -> tuple[Any, ...]:
    """The report, or the exception, and all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            report = check()
            result: tuple[Any, ...] = (report.json(), report.notes)
        except Exception as error:
            result = (type(error), str(error))
    return *result, sorted(str(warning.message) for warning in caught)


def is_same(source: Any, **options: Any) -> tuple[Any, ...]:
    """Check here and on the cluster, and compare. Returns the outcome."""
    here = outcome(lambda: impinge.clash(source, **options))
    there = outcome(lambda: impinge.ray.clash(source, cell_work=1, **options))
    assert there == here, f"{source} {options}"
    return here


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Files of several formats that clash; two have the same name and content."""
    return [
        save(tmp_path / "a.obj", cube(), 0, 0, 0),
        save(tmp_path / "b.stl", cube(), 0.9, 0, 0),
        save(tmp_path / "c.ply", sphere(200, 0.7), 1.5, 0, 0),
        save(tmp_path / "x" / "a.obj", cube(), 0.5, 0.5, 0.5),
        save(tmp_path / "y" / "a.obj", cube(), 0.5, 0.5, 0.5),
    ]


def assembly(*parts: Any) -> impinge.Assembly:
    made = impinge.Assembly(units="mm")
    for mesh, *pose in parts:
        made.add("part", mesh, *pose)
    return made


def test_small_and_degenerate_assemblies(cluster: Any) -> None:
    nothing = impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    flat = impinge.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    point = impinge.Mesh([[0.5, 0.5, 0]], [[0, 0, 0]])
    assert is_same(assembly())[0] is impinge.ArgumentError
    assert json.loads(is_same(assembly((cube(),)))[0])["pairs_checked"] == 0
    is_same(assembly((nothing,), (nothing,)))
    is_same(assembly((nothing,), (cube(),), (cube(), shift(0.5))))
    is_same(assembly((flat,), (flat, shift(1)), (point,), (point,), (cube(), shift(0, 0, -1))), clearance=0.1)
    is_same(assembly(*[(cube(),)] * 9))
    is_same(assembly(*[(cube(), np.diag([scale, 1, 1 / scale, 1])) for scale in (1, 2, 3, -1)]))
    is_same(assembly(*[(cube(), shift(1e9 + 0.5 * number, 1e9)) for number in range(5)]))


def test_the_distances_of_curved_surfaces(cluster: Any) -> None:
    made = impinge.Assembly(units="mm")
    faces = len(sphere(300, 1.0).faces)
    for number in range(6):
        deviation: Any = 0.01 if number % 2 else np.linspace(0, 0.02, faces)
        made.add("ball", sphere(300, 1.0), shift(1.99 * number), deviation=deviation, rounding=1e-4)
    report = json.loads(is_same(made, clearance=0.05)[0])
    assert report["total"] >= 5


OPTIONS: list[dict[str, Any]] = [
    {},
    {"clearance": 0.2},
    {"quick": True},
    {"units": "mm", "file_units": "in", "clearance": "1mm"},
    {"clearance": "1mm"},
    {"ignore": ["a*", "matches nothing"]},
    {"keep_going": True, "split": True},
    {"totals": True, "group_level": 1},
    {"only": "wrong"},
    {"clearance": -1},
    {"between": ("x", "y")},
    {"between": [("a", "b")]},
    {"between": []},
    {"wrong": 1},
    {"scale": 2.0},
    {"scale": 0},
    {"joints": {"elbow": 1.0}},
    {"baseline": "no such file.json"},
    {"limit": 1},
    {"same_group": "skip"},
]


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_options(cluster: Any, files: list[Path], number: int) -> None:
    is_same(files, **OPTIONS[number])


def test_baselines_and_reviews(cluster: Any, files: list[Path], tmp_path: Path) -> None:
    before = impinge.clash(files[:3], clearance=0.2)
    baseline, review = tmp_path / "baseline.json", tmp_path / "review.json"
    before.save(baseline)
    before.save_review(review)
    known = json.loads(is_same(files, clearance=0.2, baseline=baseline, allow="known")[0])
    assert 0 < known["failures"] < known["total"]
    is_same(files, clearance=0.2, review=review)
    saved = []
    for check in (impinge.clash, impinge.ray.clash):
        check(files, clearance=0.2, review=review).save_review(tmp_path / "next.json")
        saved.append((tmp_path / "next.json").read_bytes())
    assert saved[0] == saved[1]


def test_files_that_cannot_be_read(cluster: Any, files: list[Path], tmp_path: Path) -> None:
    first, second = tmp_path / "first.obj", tmp_path / "second.obj"
    first.write_text("v 0 0\n")
    second.write_text("v 0 0 0\nf 1 2 3\n")
    (tmp_path / "empty.stl").write_bytes(bytes(84))
    (tmp_path / "notes.txt").write_text("text")
    (tmp_path / "scene.dae").write_text("<x/>")
    missing = tmp_path / "none.obj"
    assert is_same([files[0], missing, files[1]])[0] is impinge.MissingFileError
    assert is_same([files[0], first, second])[0] is impinge.FileError
    for wrong in ("first.obj", "second.obj", "empty.stl", "notes.txt", "scene.dae", "none.obj", "none.xyz", "none"):
        for keep_going in (False, True):
            is_same([*files, tmp_path / wrong], keep_going=keep_going)
            is_same([first, tmp_path / wrong], keep_going=keep_going)
    for source in ([], 5, [5, 6], [files[0], 5], None, [files[0], files[0]], tuple(files), missing):
        is_same(source)


def test_relative_paths_are_those_of_the_caller(
    cluster: Any, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working directory of the workers is another one."""
    monkeypatch.chdir(tmp_path)
    names = [os.fspath(file.relative_to(tmp_path)) for file in files]
    assert json.loads(is_same(names)[0])["files"] == names
    is_same(".")
    assert is_same([*names, "none.obj"])[0] is impinge.MissingFileError
    assert not Path(ray.get(ray.remote(lambda: os.getcwd()).remote())).samefile(tmp_path), "tasks put it back"
    report = impinge.ray.clash([lambda name=name: impinge.Assembly.load(name) for name in names])
    assert len(report) == len(impinge.clash(names))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_not_utf_8(cluster: Any, files: list[Path], tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.obj"))
    odd.write_bytes(files[0].read_bytes())
    assert "clashes" in is_same([odd, *files])[0]


def test_a_report_without_meshes(cluster: Any, files: list[Path]) -> None:
    report = impinge.ray.clash(files)
    assert len(report) > 3
    assert pickle.loads(pickle.dumps(report)).json() == report.json()
    shown = report._repr_html_()
    assert "<table" in shown and "<iframe" not in shown and "meshes of the parts are not here" in shown
    assert "<iframe" in impinge.clash(files)._repr_html_()


def test_the_caller_does_not_hold_the_meshes_of_small_pieces(cluster: Any) -> None:
    """Ray keeps small results in the memory of the caller; bundles of meshes are never that small."""
    from ray import cloudpickle

    for module in (__name__, "meshes"):
        cloudpickle.register_pickle_by_value(sys.modules[module])
    _, store = _store.load_pieces(ray, [Piece(first) for first in range(0, 40, 4)], None)
    bundles = list({bundle for bundle, _ in store.places.values()})
    places = ray.experimental.get_object_locations(bundles)
    assert len(bundles) >= 1 and all(places[bundle]["node_ids"] for bundle in bundles), f"{places}"


def test_bundles_have_about_the_same_size() -> None:
    parts = [(sphere(2000, 1.0 + 0.01 * number), shift(3 * number)) for number in range(100)]
    fragment = _tasks.Fragment(assembly(*parts))
    total = sum(fragment.blobs.sizes)
    for count in (1, 4, 64):
        (_, places), *bundles = _tasks._packed([fragment], count)
        assert len(bundles) == count
        sizes = [len(bundle) for bundle in bundles if len(bundle)]
        assert sum(sizes) == total and len(sizes) == min(count, total // _tasks.BUNDLE_BYTES), f"{count}: {sizes}"
        for number, (bundle, start) in enumerate(places[0]):
            blob, _ = fragment.blobs.pack([number])
            assert np.array_equal(bundles[bundle][start : start + len(blob)], blob), f"{count}: blob {number}"
    (_, [[(bundle, start)]]), *bundles = _tasks._packed([_tasks.Fragment(assembly((cube(),)))], 64)
    assert (bundle, start) == (0, 0)
    assert [len(bundle) for bundle in bundles] == [_tasks.LEAST_BUNDLE_BYTES] + [0] * 63


def test_files_are_read_by_tasks(cluster: Any, tmp_path: Path) -> None:
    """Several files and folders: names, groups and shared meshes are those of one machine."""
    for number in range(6):
        folder = tmp_path / "parts" / f"bay {number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        mesh = [cube(), open_cube(), sphere(400, 0.7)][number % 3]
        impinge.Mesh(mesh.vertices + [0.9 * number, 0, 0], mesh.faces).save(folder / f"part{number}.obj")
        mesh.save(folder / f"same{number}.stl")
    sources: list[Any] = [tmp_path / "parts", sorted((tmp_path / "parts").rglob("*.*"))]
    for source in sources:
        for load in ({}, {"units": "mm", "file_units": "in"}, {"split": True}):
            expected = impinge.clash(source, clearance=0.1, **load)
            assert len(expected) > 3
            report = impinge.ray.clash(source, clearance=0.1, **load)
            assert report.json() == expected.json(), f"{load}"
    with pytest.raises(impinge.ArgumentError, match="meshes"):
        report.html()
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(impinge.FileError) as alone:
        impinge.clash([*sources[1], bad])
    with pytest.raises(impinge.FileError) as there:
        impinge.ray.clash([*sources[1], bad])
    assert str(there.value) == str(alone.value)
    report = impinge.ray.clash([*sources[1], bad], keep_going=True)
    assert report.json() == impinge.clash([*sources[1], bad], keep_going=True).json()


class Piece:
    """A function that makes a piece where it is needed. The worker imports nothing from this file."""

    def __init__(self, first: int) -> None:
        """Remember the first cube, and the meshes."""
        self.first, self.meshes = first, [cube(), open_cube()]

    def __call__(self) -> Any:
        """Make the piece."""
        import impinge as package

        piece = package.Assembly(name="row", units="mm")
        for number in range(self.first, self.first + 4):
            matrix = np.eye(4)
            matrix[0, 3] = 0.9 * number
            piece.add(f"cube {number}", self.meshes[number % 2], matrix)
        return piece


def test_pieces_are_made_by_tasks(cluster: Any) -> None:
    from ray import cloudpickle

    for module in (__name__, "meshes"):
        cloudpickle.register_pickle_by_value(sys.modules[module])
    whole = impinge.Assembly(name="row", units="mm")
    for number in range(20):
        whole.add(f"cube {number}", [cube(), open_cube()][number % 2], shift(0.9 * number))
    report = impinge.ray.clash([Piece(first) for first in range(0, 20, 4)])
    rows = [(clash.verdict, clash.a, clash.b, clash.depth, clash.volume) for clash in report]
    assert rows == [(clash.verdict, clash.a, clash.b, clash.depth, clash.volume) for clash in impinge.clash(whole)]
    assert len(rows) == 19
