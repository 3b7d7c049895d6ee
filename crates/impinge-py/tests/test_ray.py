"""Checks on a local Ray cluster of several nodes give what one machine gives, to the byte, also when a node is lost."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
from conftest import needs
from meshes import cube, open_cube, shift, sphere

ray = needs("ray")

import impinge.ray  # noqa: E402
from impinge.ray import _search, _store, _tasks, _window  # noqa: E402


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


class Logged:
    """Checks cells, and writes the node of each attempt to a file. The worker imports nothing from this file."""

    def __init__(self, folder: Path, dies: bool = False, stuck: str = "") -> None:
        """The first attempt at each cell may kill its worker. Attempts on the node `stuck` do not end."""
        self.folder, self.dies, self.stuck = str(folder), dies, stuck

    def __call__(self, job: str, task: bytes, *rest: Any) -> bytes:
        """Check a cell."""
        import hashlib
        import os
        import time
        from pathlib import Path

        import ray

        from impinge.ray import _tasks

        node = ray.get_runtime_context().get_node_id()
        attempts = Path(self.folder, hashlib.sha256(task).hexdigest())
        is_first = not attempts.exists()
        with attempts.open("a") as file:
            file.write(f"{node}\n")
        if self.dies and is_first:
            os._exit(1)
        if node == self.stuck:
            time.sleep(1000)
        return _tasks.check_cell(job, task, *rest)

    def attempts(self) -> list[list[str]]:
        """Return the nodes of the attempts at each cell."""
        return [file.read_text().splitlines() for file in Path(self.folder).iterdir()]


def logged(search: _search.Search, check: Logged) -> list[int]:
    """Let a search use this function. Returns the list of the cells whose results it takes."""
    by_value = lambda *arguments: check(*arguments)  # noqa: E731
    search._check = ray.remote(by_value).options(max_retries=_window.MAX_RETRIES)
    taken: list[int] = []
    step = search._window.step

    def counted(timeout: float = 0.2) -> list[int]:
        ended = step(timeout)
        taken.extend(ended)
        return ended

    search._window.step = counted  # type: ignore[method-assign]
    return taken


@pytest.fixture(autouse=True)
def by_value() -> None:
    """Let Ray send the functions of this file to workers, which cannot import it."""
    from ray import cloudpickle

    for module in (__name__, "meshes"):
        cloudpickle.register_pickle_by_value(sys.modules[module])


def test_a_node_is_lost_midway(cluster: Any, tmp_path: Path) -> None:
    """Tasks and meshes of the lost node come back: nothing is lost, nothing comes twice."""
    cluster.add_node(num_cpus=1, object_store_memory=150 << 20)
    # All nodes have a worker before the files are read.
    pause = ray.remote(lambda: time.sleep(0.5)).options(scheduling_strategy="SPREAD")
    ray.get([pause.remote() for _ in range(12)])
    count = 40
    files = []
    for number in range(count):
        mesh = sphere(1000, 1.0 + 1e-3 * number)
        files.append(tmp_path / f"{number:02}.obj")
        impinge.Mesh(mesh.vertices + [1.5 * number, 0, 0], mesh.faces).save(files[-1])
    expected = impinge.clash(files)
    assert expected.counts["penetrating"] == count - 1
    # Small loads, so that every node holds some of the meshes as results of tasks.
    assembly, store = _store.load_files(ray, impinge._impinge.Listing(*files), None, load_bytes=1) or pytest.fail()
    bundles = list({bundle for bundle, _ in store.places.values()})
    assert len(bundles) == count
    places = [place["node_ids"] for place in ray.experimental.get_object_locations(bundles).values()]
    node = max(cluster.worker_nodes, key=lambda node: places.count([node.node_id]))
    lost = places.count([node.node_id])
    assert lost >= 3, f"{lost} bundles will be lost with the node"

    plan = plan_of(assembly)
    search = _search.Search(ray, plan, store, _search.Limits(cell_work=1))
    assert search.cell_count == plan.pair_count >= count - 1
    attempts = tmp_path / "attempts"
    attempts.mkdir()
    check = Logged(attempts, stuck=node.node_id)
    taken = logged(search, check)
    is_killed = False
    has_ended = False
    start = time.monotonic()
    while not has_ended:
        done, total, has_ended = search.step()
        if not is_killed and done > 0 and any(node.node_id in nodes for nodes in check.attempts()):
            cluster.remove_node(node, allow_graceful=False)
            is_killed = True
        assert time.monotonic() < start + 120, f"{done} of {total}"
    assert is_killed
    assert sorted(taken) == list(range(search.cell_count)), "each result exactly once"
    assert plan.finish(search.shares()).json() == expected.json()
    tried = check.attempts()
    assert len(tried) == search.cell_count
    assert all(nodes[-1] != node.node_id for nodes in tried), "no result is of the lost node"
    assert any(node.node_id in nodes for nodes in tried), "some cells were lost with it and repeated"


def test_workers_are_lost(cluster: Any, tmp_path: Path) -> None:
    """Every cell is lost once with its worker."""
    assembly = spheres(7, 500)
    plan = plan_of(assembly)
    search = _search.Search(ray, plan, None, _search.Limits(cell_work=1))
    check = Logged(tmp_path, dies=True)
    taken = logged(search, check)
    reported: list[tuple[int, int]] = []
    shares = search.run(lambda done, total: reported.append((done, total)))
    assert sorted(taken) == list(range(search.cell_count)), "each result exactly once"
    assert reported[-1] == (plan.pair_count, plan.pair_count)
    assert plan.finish(shares).json() == impinge.clash(assembly).json()
    assert [len(nodes) for nodes in check.attempts()] == [2] * search.cell_count, "each cell was lost once"


def test_results_that_do_not_fit_are_refused(cluster: Any) -> None:
    assembly = spheres(5, 500)

    def shares() -> tuple[Any, list[bytes]]:
        plan = plan_of(assembly)
        search = _search.Search(ray, plan, None, _search.Limits(cell_work=1))
        return plan, list(search.run(lambda done, total: None))

    plan, found = shares()
    with pytest.raises(impinge.ArgumentError, match=r"pairs were checked, not"):
        plan.finish(found[1:])
    with pytest.raises(impinge.ArgumentError, match=r"not the bytes of a share"):
        plan_of(assembly).finish([b"x"])
    plan, found = shares()
    with pytest.raises(impinge.ArgumentError, match=r"checked twice"):
        plan.finish([found[0], *found[:-1]])


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


def test_a_node_with_another_version_is_an_error(cluster: Any) -> None:
    search = _search.Search(ray, plan_of(grid(20)), None, _search.Limits())
    search._job = "1234 0.0.0"
    with pytest.raises(impinge.ClusterError, match=r"caller has version 0\.0\.0 .* a node has"):
        search.run(lambda done, total: None)


def test_a_bad_option_is_an_error_of_the_package(cluster: Any) -> None:
    with pytest.raises(impinge.ArgumentError, match=r"matches"):
        impinge.ray.clash(grid(5), between=("none", "left"))
    with pytest.raises(TypeError, match="nonsense"):
        impinge.ray.clash(["a.obj", "b.obj"], nonsense=1)
    for name, value in (("cell_work", 0), ("cell_faces", -1), ("cache_bytes", -1), ("cell_work", 2**70)):
        with pytest.raises(impinge.ArgumentError, match=name):
            impinge.ray.clash(grid(5), **{name: value})
    with pytest.raises(impinge.ClusterError, match="already connected"):
        impinge.ray.clash(grid(5), address="192.0.2.1:1")
    assert len(impinge.ray.clash(grid(5), address=cluster.address)) == len(impinge.clash(grid(5)))


def test_a_function_that_fails_is_named_with_its_exception(cluster: Any, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(impinge.ClusterError, match="^load task 0 failed: ZeroDivisionError: division by zero$"):
        impinge.ray.clash([lambda: 1 / 0])
    with pytest.raises(impinge.ClusterError, match="^load task 0 failed: TypeError: .*Assembly"):
        impinge.ray.clash([lambda: 3])
    # Ray prints an exception that was not taken when its reference is dropped.
    gc.collect()
    time.sleep(0.5)
    assert "Unhandled error" not in caplog.text


def test_a_large_part_is_in_few_cells(cluster: Any) -> None:
    """A part with more faces than a cell may need does not make a cell of each of its pairs."""
    assembly = impinge.Assembly()
    assembly.add("ground", sphere(8000, 50.0))
    for number in range(60):
        turn = 2 * np.pi * number / 60
        assembly.add(f"cube {number}", cube(), shift(50 * np.cos(turn), 50 * np.sin(turn)))
    plan = plan_of(assembly)
    cells = plan.divide(2**62, 5000)
    assert plan.pair_count >= 50 and sum(pairs for _, pairs in cells) == plan.pair_count
    assert len(cells) == 1, "the cubes share a mesh of 12 faces"
    report = impinge.ray.clash(assembly, cell_faces=5000)
    assert report.json() == impinge.clash(assembly).json()


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


def test_an_assembly_can_be_pickled() -> None:
    import pickle

    assembly = grid(30)
    copy = pickle.loads(pickle.dumps(assembly))
    assert copy.names == assembly.names and copy.paths == assembly.paths
    assert impinge.clash(copy).json() == impinge.clash(assembly).json()
    assert _tasks.Fragment(copy).blobs.sizes == _tasks.Fragment(assembly).blobs.sizes
