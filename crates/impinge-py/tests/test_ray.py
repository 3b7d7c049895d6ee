"""Checks on a local Ray cluster of several nodes give what one machine gives, to the byte, also when a node is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import needs
from meshes import cube, shift, sphere

ray = needs("ray")

import impinge.ray  # noqa: E402
from impinge.ray import _search, _store, _tasks, _window  # noqa: E402


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of three nodes with a CPU each. The first is that of the driver."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 150 << 20, "include_dashboard": False},
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=150 << 20)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def open_cube() -> impinge.Mesh:
    """A cube without two of its faces."""
    whole = cube()
    return impinge.Mesh(whole.vertices, whole.faces[2:])


def grid(count: int, seed: int = 1) -> impinge.Assembly:
    """Cubes on a grid: many touch, many boxes are the same, reference points lie on borders of cells; some are open."""
    random = np.random.default_rng(seed)
    assembly = impinge.Assembly(name="grid", units="mm")
    shapes = [cube(), open_cube(), impinge.Mesh(cube().vertices * [9.0, 0.5, 0.5], cube().faces)]
    for number in range(count):
        mesh = shapes[int(random.choice(3, p=[0.7, 0.2, 0.1]))]
        place = random.integers(0, max(2, int(count ** (1 / 3))), 3) * random.choice([1.0, 0.5])
        group = ["left" if place[0] < 2 else "right"]
        assembly.add(f"part {number}", mesh, shift(*place), group=group)
    return assembly


def spheres(count: int, faces: int) -> impinge.Assembly:
    """Spheres in a row, each overlapping the next, each with its own mesh."""
    assembly = impinge.Assembly(name="row", units="mm")
    for number in range(count):
        assembly.add(f"ball {number}", sphere(faces, 1.0 + 1e-3 * number), shift(1.5 * number))
    return assembly


OPTIONS: list[dict[str, Any]] = [
    {},
    {"clearance": "0.3mm", "ignore": ["touching: part 1*", "part 2 :: *"], "sort": "name"},
    {"quick": True, "between": ("left", "right"), "limit": 5},
    {"touch": 0.01, "only": "penetrating,touching", "same_group": "only", "totals": True},
]


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_reports_are_those_of_one_machine(cluster: Any, number: int) -> None:
    options = OPTIONS[number]
    assembly = grid(60, seed=number)
    expected = impinge.clash(assembly, **options)
    assert expected.pairs_checked > 50
    # One cell for all, a cell for each pair, and something between; more cells than parts.
    for work in (None, 1, 2000, 10**9):
        report = impinge.ray.clash(assembly, cell_work=work, **options)
        assert report.json() == expected.json(), f"options {number}, work {work}"


def test_parts_that_span_many_cells_and_identical_boxes(cluster: Any) -> None:
    assembly = impinge.Assembly(units="mm")
    floor = impinge.Mesh(cube().vertices * [40.0, 40.0, 1.0], cube().faces)
    assembly.add("floor", floor, shift(0, 0, -1))
    for number in range(40):
        assembly.add(f"same {number % 7}", cube(), shift(number // 2, 0, 0))
    expected = impinge.clash(assembly, clearance=0.2)
    assert expected.counts["duplicate"] == 20
    for faces in (1, 30, 10**9):
        report = impinge.ray.clash(assembly, clearance=0.2, cell_work=500, cell_faces=faces)
        assert report.json() == expected.json(), f"faces {faces}"
    assert report.html() == expected.html()


def test_no_pairs_and_no_clashes(cluster: Any) -> None:
    assembly = impinge.Assembly()
    assembly.add("a", cube())
    assembly.add("b", cube(), shift(5))
    assert impinge.ray.clash(assembly).json() == impinge.clash(assembly).json()


def plan_of(assembly: impinge.Assembly) -> Any:
    return impinge._impinge.Plan(assembly, {})


def test_a_node_is_lost_midway(cluster: Any, tmp_path: Path) -> None:
    """Tasks and meshes of the lost node come back: nothing is lost, nothing comes twice."""
    node = cluster.add_node(num_cpus=2, object_store_memory=150 << 20)
    for number in range(12):
        part = impinge.Assembly()
        part.add("ball", sphere(3000, 1.0 + 1e-3 * number), shift(1.5 * number))
        mesh = part.part(0).mesh
        impinge.Mesh(mesh.vertices + [1.5 * number, 0, 0], mesh.faces).save(tmp_path / f"{number:02}.obj")
    files = sorted(tmp_path.glob("*.obj"))
    expected = impinge.clash(files)
    assert expected.counts["penetrating"] == 11
    # Small loads, so that every node holds some of the meshes as results of tasks.
    assembly, store = _store.load_files(ray, impinge._impinge.Listing(*files), None, load_bytes=1) or pytest.fail()
    plan = plan_of(assembly)
    search = _search.Search(ray, plan, store, _search.Limits(cell_work=1))
    assert search.cell_count == plan.pair_count >= 11
    taken: list[int] = []
    step = search._window.step

    def counted(timeout: float = 0.2) -> list[int]:
        ended = step(timeout)
        taken.extend(ended)
        return ended

    search._window.step = counted  # type: ignore[method-assign]
    is_killed = False
    has_ended = False
    start = time.monotonic()
    while not has_ended:
        done, total, has_ended = search.step()
        if not is_killed and done > 0:
            cluster.remove_node(node, allow_graceful=False)
            is_killed = True
        assert time.monotonic() < start + 90, f"{done} of {total}"
    assert is_killed
    assert sorted(taken) == list(range(search.cell_count)), "each result exactly once"
    assert plan.finish(search.shares()).json() == expected.json()


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


def test_a_task_that_always_fails_is_a_clear_error(cluster: Any) -> None:
    plan = plan_of(grid(20))
    search = _search.Search(ray, plan, None, _search.Limits(cell_work=1))
    for number, (bundle, _) in search._store.places.items():
        search._store.places[number] = (bundle, 10**9)
    with pytest.raises(impinge.Error, match=r"blob .* is missing"):
        while not search.step()[2]:
            pass

    def crash(number: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return number

    remote = ray.remote(crash).options(max_retries=1)
    window: Any = _window.Window(ray, 2, remote.remote, 2, "the task")
    with pytest.raises(impinge.ClusterError, match=r"the task \d was lost and could not be repeated"):
        window.run()

    def wrong(number: int) -> int:
        raise ValueError(f"number {number}")

    window = _window.Window(ray, 2, ray.remote(wrong).remote, 2, "the task")
    with pytest.raises(impinge.ClusterError, match=r"the task \d failed: .*number"):
        window.run()


def test_a_bad_option_is_an_error_of_the_package(cluster: Any) -> None:
    with pytest.raises(impinge.ArgumentError, match=r"matches"):
        impinge.ray.clash(grid(5), between=("none", "left"))
    with pytest.raises(TypeError, match="nonsense"):
        impinge.ray.clash(["a.obj", "b.obj"], nonsense=1)
    with pytest.raises(impinge.ClusterError, match="task"):
        impinge.ray.clash([lambda: 1 / 0])


def test_ctrl_c_ends_a_check(cluster: Any) -> None:
    assembly = spheres(30, 20_000)
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            while time.monotonic() < start + 60:
                impinge.ray.clash(assembly, cell_work=1)
    finally:
        timer.cancel()
    # The cluster is still of use.
    assert impinge.ray.clash(grid(10)).json() == impinge.clash(grid(10)).json()


def test_batches_are_those_of_one_machine(cluster: Any) -> None:
    random = np.random.default_rng(5)
    poses = np.tile(np.eye(4), (1000, 1, 1))
    poses[:, :3, 3] = random.uniform(-2.5, 2.5, (1000, 3))
    a, b = sphere(500, 1.0), cube()
    for options in ({}, {"within": 0.1, "pose_a": shift(0.2)}):
        expected = impinge.check(a, b, poses, **options)
        assert 50 < expected.sum() < 950
        found = impinge.ray.check(a, b, poses, poses_per_task=97, **options)
        assert found.dtype == bool and np.array_equal(found, expected)
        lists, there = impinge.contacts(a, b, poses, **options), impinge.ray.contacts(a, b, poses, **options)
        assert np.array_equal(lists.faces, there.faces) and np.array_equal(lists.offsets, there.offsets)
    assert len(impinge.ray.check(a, b, np.zeros((0, 4, 4)))) == 0
    assert len(impinge.ray.contacts(a, b, np.zeros((0, 4, 4)))) == 0
    with pytest.raises(impinge.PoseError, match="shape"):
        impinge.ray.check(a, b, np.eye(4))
    poses[700, 0, 0] = 7.0
    with pytest.raises(impinge.PoseError):
        impinge.ray.check(a, b, poses)


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "impinge", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=100,
    )


def test_the_command_gives_the_same_output(cluster: Any, tmp_path: Path) -> None:
    for number in range(5):
        mesh = [cube(), open_cube()][number % 2]
        impinge.Mesh(mesh.vertices + [0.9 * number, 0, 0], mesh.faces).save(tmp_path / f"part{number}.obj")
    files = sorted(tmp_path.glob("*.obj"))
    tables = [tmp_path / "a.csv", tmp_path / "b.csv"]
    options = ["--json", "--clearance", "0.2", "--csv"]
    here = command("clash", *files, *options, tables[0])
    there = command("clash", *files, *options, tables[1], "--ray", cluster.address)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    assert here.returncode == 1 and tables[0].read_bytes() == tables[1].read_bytes()
    # The table, with the number of faces, and an assembly that is generated here.
    here, there = command("clash", *files), command("clash", *files, "--ray", cluster.address)
    first = [run.stdout.splitlines()[0] for run in (here, there)]
    assert first[0] == first[1] and "face" in first[0]
    here, there = command("clash", "--json"), command("clash", "--json", "--ray", cluster.address)
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    # Files with faces, which need the meshes here.
    pages = [tmp_path / "a.glb", tmp_path / "b.glb"]
    assert command("clash", *files, "--glb", pages[0]).returncode == 1
    there = command("clash", *files, "--glb", pages[1], "--ray", cluster.address)
    assert there.returncode == 1, there.stderr
    assert pages[0].read_bytes() == pages[1].read_bytes()
    there = command("clash", tmp_path / "none.obj", files[0], "--ray", cluster.address)
    assert there.returncode == 2 and "none.obj" in there.stderr


def test_an_assembly_can_be_pickled() -> None:
    import pickle

    assembly = grid(30)
    copy = pickle.loads(pickle.dumps(assembly))
    assert copy.names == assembly.names and copy.paths == assembly.paths
    assert impinge.clash(copy).json() == impinge.clash(assembly).json()
    assert _tasks.Fragment(copy).blobs.sizes == _tasks.Fragment(assembly).blobs.sizes
