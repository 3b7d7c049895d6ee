"""Batches of poses, points and rays; threads, forks and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time

import numpy as np
import numpy.typing as npt
import pytest

import impinge
from exact import placed
from interrupt import assert_ctrl_c_ends
from meshes import cube, poses, shift, soup


def test_a_batch_is_a_loop() -> None:
    a, b = soup(60, 1), soup(60, 2)
    many = poses(3000, 1.6, 3)
    expected = [impinge.intersects(a, b, pose) for pose in many]
    assert 300 < sum(expected) < 2900
    for threads in (None, 1, 2, 3):
        found = impinge.check(a, b, many, threads=threads)
        assert found.dtype == np.bool_ and found.tolist() == expected, f"{threads} threads"
    assert impinge.check(a, b, many[:, :3]).tolist() == expected
    assert impinge.check(a, b, np.asfortranarray(many)).tolist() == expected
    assert impinge.check(a, b, many[::-1]).tolist() == expected[::-1]
    assert impinge.check(a, b, many.tolist()[:10]).tolist() == expected[:10]
    assert impinge.Pair(a, b).check(many).tolist() == expected


def test_contacts_of_many_poses() -> None:
    a, b = soup(60, 1), soup(60, 2)
    many = poses(2500, 1.6, 4)
    lists = impinge.contacts(a, b, many)
    assert len(lists) == 2500
    assert lists.offsets[0] == 0 and lists.offsets[-1] == len(lists.faces)
    assert (lists.counts == np.diff(lists.offsets)).all()
    for number in (*range(0, 2500, 97), -1):
        assert lists[number].tolist() == impinge.contacts(a, b, many[number]).tolist(), f"pose {number}"
    assert lists.faces.size > 1000
    with pytest.raises(IndexError):
        lists[2500]
    again = pickle.loads(pickle.dumps(lists))
    assert again.faces.tolist() == lists.faces.tolist() and len(again) == 2500
    within = impinge.contacts(a, b, many[:50], within=0.1)
    assert (within.counts >= lists.counts[:50]).all() and within.counts.sum() > lists.counts[:50].sum()


def test_empty_batches() -> None:
    one = cube()
    assert impinge.check(one, one, np.zeros((0, 4, 4))).tolist() == []
    assert len(impinge.contacts(one, one, np.zeros((0, 4, 4)))) == 0


def test_a_bad_pose_is_named() -> None:
    many = poses(5000, 1.0, 5)
    many[4321, 0, 0] = 7
    with pytest.raises(impinge.PoseError, match=r"poses\[4321\]: .*rotation"):
        impinge.check(cube(), cube(), many)
    with pytest.raises(impinge.PoseError, match=r"\(n, 4, 4\)"):
        impinge.check(cube(), cube(), np.eye(4))
    for threads in (0, -1, 5000):
        with pytest.raises((impinge.ArgumentError, OverflowError)):
            impinge.check(cube(), cube(), many, threads=threads)


def test_points_and_rays_of_a_cube() -> None:
    one = cube()
    points = np.random.default_rng(6).uniform(-1, 2, (500, 3))
    distances, nearest, faces = impinge.nearest_point(one, points)
    inside = ((points > 0) & (points < 1)).all(1)
    outside_distance = np.linalg.norm(points - points.clip(0, 1), axis=1)
    inside_distance = np.minimum(points, 1 - points).min(1)
    expected = np.where(inside, inside_distance, outside_distance)
    assert np.abs(distances - expected).max() < 1e-12
    assert np.abs(np.linalg.norm(points - nearest, axis=1) - distances).max() < 1e-12
    assert ((faces >= 0) & (faces < 12)).all()
    assert impinge.contains_point(one, points).tolist() == np.where(inside, 1, -1).tolist()
    assert impinge.contains_point(one, [0.5, 0.5, 1.0]) == 0
    parameters, hit = impinge.cast_ray(one, [0.5, 0.25, 3.0], [[0, 0, -1], [0, 0, 1], [0, 0, -2]])
    assert parameters.tolist() == [2, np.inf, 1] and hit[1] == -1
    assert impinge.cast_ray(one, [0.5, 0.25, 3.0], [0, 0, 1]) is None
    found = impinge.cast_ray(one, [0.5, 0.25, 3.0], [0, 0, -1], pose=shift(0, 0, 1))
    assert found is not None and found[0] == 1.0
    single = impinge.nearest_point(one, [2, 0.5, 0.5])
    assert single is not None and single[0] == 1.0 and single[1].tolist() == [1, 0.5, 0.5]


def test_single_and_many_points_agree_at_a_pose() -> None:
    mesh = soup(80, 3)
    pose = poses(1, 1.0, 9)[0]
    points = np.random.default_rng(7).uniform(-2, 2, (40, 3))
    distances, nearest, faces = impinge.nearest_point(mesh, points, pose=pose)
    for number, point in enumerate(points):
        one = impinge.nearest_point(mesh, point, pose=pose)
        assert one is not None
        assert (one[0], one[2]) == (distances[number], faces[number]), number
        corners = placed(np.array(mesh.vertices), pose)
        assert one[0] <= np.linalg.norm(corners - point, axis=1).min() + 1e-12
        assert (one[1] == nearest[number]).all()


def test_bad_points_and_rays() -> None:
    one = cube()
    with pytest.raises(impinge.ArgumentError, match="points has the shape"):
        impinge.nearest_point(one, [[1, 2]])
    with pytest.raises(impinge.ArgumentError, match="ray 1"):
        impinge.cast_ray(one, [0, 0, 0], [[0, 0, 1], [0, 0, 0]])
    with pytest.raises(impinge.ArgumentError, match="2 origins, but 3 directions"):
        impinge.cast_ray(one, np.zeros((2, 3)), np.ones((3, 3)))
    assert impinge.nearest_point(one, [np.nan, 0, 0]) is None
    distances, _, faces = impinge.nearest_point(one, [[np.nan, 0, 0], [2, 0, 0]])
    assert distances.tolist() == [np.inf, 1] and faces[0] == -1
    with pytest.raises(impinge.ArgumentError, match=r"edge|solid"):
        impinge.contains_point(soup(5, 1), np.zeros((4, 3)))


def test_queries_from_many_threads_share_a_pair() -> None:
    a, b = soup(60, 1), soup(60, 2)
    many = poses(200, 1.6, 3)
    expected = impinge.check(a, b, many).tolist()
    pair = impinge.Pair(a, b)
    results: dict[int, list[bool]] = {}

    def work(number: int) -> None:
        results[number] = [pair.intersects(pose) for pose in many]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(4))


def test_the_interpreter_runs_during_a_batch() -> None:
    shape = impinge.Shape(soup(3000, 1))
    many = np.tile(np.eye(4), (400, 1, 1))
    done = threading.Event()
    counted = 0

    def work() -> None:
        impinge.contacts(shape, shape, many, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 5, f"another thread ran {counted} times only: the interpreter was not released"


def _check_in_child(queue: multiprocessing.Queue[int], many: object) -> None:
    queue.put(int(impinge.check(cube(), cube(), many).sum()))  # type: ignore[arg-type]


def test_batches_work_after_a_fork() -> None:
    many = poses(4000, 1.5, 3)
    expected = int(impinge.check(cube(), cube(), many).sum())
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[int] = context.Queue()
    process = context.Process(target=_check_in_child, args=(queue, many))
    process.start()
    assert queue.get(timeout=60) == expected
    process.join(60)
    assert process.exitcode == 0


# Each call takes minutes: spheres so close together, points as far from all faces as from any, and rays through a corner
# of a hundred faces are slow to decide.
PREPARATION = """
from meshes import sphere
inner, outer = impinge.Shape(sphere(20_000, 1.0)), impinge.Shape(sphere(20_000, 1.0001))
poses = np.tile(np.eye(4), (200_000, 1, 1))
points = np.zeros((20_000_000, 3))
"""


@pytest.mark.parametrize(
    "call",
    [
        "impinge.check(inner, outer, poses)",
        "impinge.contacts(inner, outer, poses, within=0.01)",
        "impinge.nearest_point(inner, points)",
        "impinge.cast_ray(inner, points, [0, 0, 1])",
    ],
)
def test_ctrl_c_ends_a_batch(call: str) -> None:
    assert_ctrl_c_ends(call, PREPARATION)


CUBE = cube()


def along_x(positions: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Poses that shift along x."""
    positions = np.asarray(positions)
    many = np.tile(np.eye(4), (len(positions), 1, 1))
    many[:, 0, 3] = positions
    return many


def test_lists_of_contacts_are_sequences_with_equality() -> None:
    many = along_x([0.5, 5.0, 1.0, 0.25])
    lists = impinge.contacts(CUBE, CUBE, many)
    assert [len(pairs) for pairs in lists] == lists.counts.tolist()
    for part in (slice(1, 3), slice(None, None, -1), slice(-2, None), slice(7, 9)):
        expected = [lists[number] for number in range(*part.indices(len(lists)))]
        found = lists[part]
        assert len(found) == len(expected) and all((a == b).all() for a, b in zip(found, expected, strict=True)), part
    for index in (4, -5, 10**30):
        with pytest.raises(IndexError, match="there are 4 poses"):
            lists[index]
    again = impinge.contacts(CUBE, CUBE, many, threads=1)
    assert lists == again and hash(lists) == hash(again)
    assert lists != impinge.contacts(CUBE, CUBE, many[:3]) and lists != "lists"
    for offsets in ([], [0], [1, 2], [0, 9, 3], [0, 10**9]):
        with pytest.raises(impinge.ArgumentError, match="offsets must ascend from 0"):
            impinge.ContactLists(lists.faces, np.array(offsets, np.uint64))


def test_the_first_bad_pose_is_named_on_any_number_of_threads() -> None:
    many = along_x(np.linspace(0, 3, 50_000))
    many[[31_007, 31_008, 40_000, 49_999], 0, 0] = 2
    for threads in (None, 1, 2, 5):
        with pytest.raises(impinge.PoseError, match=r"^poses\[31007\]"):
            impinge.check(CUBE, CUBE, many, threads=threads)
        with pytest.raises(impinge.PoseError, match=r"^poses\[31007\]"):
            impinge.contacts(CUBE, CUBE, many, threads=threads)


def test_batches_of_any_size_keep_the_order_of_the_poses() -> None:
    for count in (0, 1, 15, 16, 17, 33, 1000, 40_001):
        positions = np.random.default_rng(count).uniform(0, 2, count)
        for threads in (None, 1, 2, 7):
            found = impinge.check(CUBE, CUBE, along_x(positions), threads=threads)
            assert (found == (positions <= 1)).all(), f"{count} poses, {threads} threads"


def test_integers_that_are_no_number_of_threads_are_refused() -> None:
    many = along_x([0.5, 1.5])
    for threads in (-1, 0, 10**30):
        for call in (
            lambda n: impinge.check(CUBE, CUBE, many, threads=n),
            lambda n: impinge.contacts(CUBE, CUBE, many, threads=n),
            lambda n: impinge.nearest_point(CUBE, np.zeros((2, 3)), threads=n),
            lambda n: impinge.cast_ray(CUBE, np.zeros((2, 3)), [0, 0, 1], threads=n),
            lambda n: impinge.contains_point(CUBE, np.zeros((2, 3)), threads=n),
        ):
            with pytest.raises(impinge.ArgumentError, match="threads is"):
                call(threads)


def test_fields_of_packed_structures_are_read_as_their_copies() -> None:
    """Their items are not at multiples of the size of an item."""
    random = np.random.default_rng(5)
    packed = np.zeros(
        40, dtype=[("flag", "u1"), ("point", "f8", 3), ("face", "u4", 3), ("pose", "f8", (4, 4)), ("wide", "i8", 3)]
    )
    packed["point"] = random.uniform(-2, 2, (40, 3))
    packed["face"] = packed["wide"] = random.integers(0, 40, (40, 3))
    packed["pose"] = along_x(random.uniform(0, 2, 40))
    bytes_of_a_file = b"x" + packed["point"].tobytes()
    shifted = np.frombuffer(bytes_of_a_file, np.float64, offset=1).reshape(-1, 3)
    for points in (packed["point"], packed["point"][::-1], shifted, shifted[1::2]):
        copy = points.copy()
        assert (impinge.Mesh(points, np.zeros((0, 3), int)).vertices == copy).all()
        for found, expected in zip(impinge.nearest_point(CUBE, points), impinge.nearest_point(CUBE, copy), strict=True):
            assert (found == expected).all()
        for found, expected in zip(
            impinge.cast_ray(CUBE, points, [1, 0, 0]), impinge.cast_ray(CUBE, copy, [1, 0, 0]), strict=True
        ):
            assert (found == expected).all()
    for faces in (packed["face"], packed["wide"]):
        assert (impinge.Mesh(packed["point"], faces).faces == faces.copy()).all()
    found = impinge.check(CUBE, CUBE, packed["pose"])
    assert (found == (packed["pose"][:, 0, 3] <= 1)).all() and 5 < found.sum() < 35


def test_a_batch_does_not_wait_for_that_of_another_thread() -> None:
    soups = impinge.Shape(soup(3000, 1, 0.5)), impinge.Shape(soup(3000, 2, 0.5))
    many = poses(200, 0.5, 7)
    start = time.perf_counter()
    impinge.contacts(*soups, many[:20])
    # About four seconds on one core.
    slow = np.tile(many, (max(1, int(0.4 / (time.perf_counter() - start))), 1, 1))
    other = threading.Thread(target=lambda: impinge.contacts(*soups, slow))
    other.start()
    try:
        start = time.perf_counter()
        calls = 0
        while other.is_alive() and calls < 5:
            impinge.check(CUBE, CUBE, along_x(np.linspace(0, 2, 30_000)))
            calls += 1
        assert calls == 5, f"only {calls} calls in {time.perf_counter() - start} s, beside a batch of {len(slow)} poses"
    finally:
        other.join()


def test_few_slow_items_have_the_same_answers_on_any_number_of_threads() -> None:
    soups = impinge.Shape(soup(3000, 1, 0.5), "brute"), impinge.Shape(soup(3000, 2, 0.5), "brute")
    many = poses(8, 0.5, 7)
    expected = impinge.contacts(*soups, many, threads=1)
    assert impinge.contacts(*soups, many, threads=2) == expected and len(expected.faces) > 1000
