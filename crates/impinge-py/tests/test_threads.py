"""Objects that several threads use at the same time, with the interpreter's lock (GIL) and on free-threaded builds."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pytest

import impinge
from impinge.collision import CollisionManager
from interrupt import assert_ctrl_c_ends
from meshes import cube, poses, shift, soup, sphere

#: Threads that share the objects: more than there are cores here, so that they are also suspended within calls.
THREADS = 8
#: Seconds for which the threads ask queries.
SECONDS = 2.0

ROBOT = """<robot name="lift">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="arm"><collision><geometry><sphere radius="1.5"/></geometry></collision></link>
  <link name="hand"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="up" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="4"/></joint>
  <joint name="down" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="4"/></joint></robot>"""

#: Functions that ask a query, by names.
Queries: TypeAlias = dict[str, Callable[[], Any]]


def plain(value: Any) -> Any:
    """The value as lists and numbers, which `==` compares as a whole."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


def queries() -> Queries:
    """Queries by their names. They share objects; meshes and robots are prepared when the first query needs them."""
    mesh, other, body = soup(300, 1), soup(300, 2), soup(150, 10)
    shape, ball, box = impinge.Shape(soup(200, 3)), sphere(800, 1.0), cube()
    pair = impinge.Pair(impinge.Shape(soup(150, 4)), impinge.Shape(soup(150, 5)))
    many = poses(40, 3.0, seed=6)
    one, apart = many[1], shift(5.0)
    points = np.random.default_rng(7).uniform(-2, 2, (60, 3))
    world = impinge.World()
    crowd = impinge.World(threads=2)
    for number, pose in enumerate(poses(12, 2.0, seed=8)):
        world.add(body if number % 2 else shape, pose)
        crowd.add(body if number % 2 else shape, pose)
    assembly = impinge.Assembly(units="mm")
    for number in range(6):
        assembly.add(f"part {number}", ball, shift(1.5 * number))
    manager = CollisionManager()
    for number in range(6):
        manager.add_object(number, ball, shift(1.9 * number))
    robot = impinge.Robot.parse(ROBOT)
    robot.add_obstacle(cube(), shift(0.0, 0.0, 4.0))
    q = np.random.default_rng(9).uniform(0, 4, (40, 2))

    def step(of: impinge.World) -> Any:
        found = of.step()
        return found.pairs, found.faces, found.offsets

    def distance(found: impinge.Distance | None) -> Any:
        return None if found is None else (found.distance, found.points, found.faces)

    def clashes() -> Any:
        report = impinge.clash(assembly, threads=1)
        return [(clash.parts, clash.verdict, clash.depth) for clash in report]

    def refused() -> str:
        with pytest.raises(impinge.PoseError) as error:
            impinge.check(mesh, other, 2 * many)
        return str(error.value)

    return {
        "intersects": lambda: impinge.intersects(mesh, other, one),
        "check": lambda: impinge.check(mesh, other, many),
        "check on one thread": lambda: impinge.check(mesh, other, many, threads=1),
        "contacts": lambda: impinge.contacts(mesh, other, one),
        "contacts at many poses": lambda: impinge.contacts(mesh, other, many).faces,
        "distance": lambda: distance(impinge.distance(mesh, other, apart)),
        "first_impact": lambda: repr(impinge.first_impact(mesh, other, shift(6.0), shift(-6.0))),
        "nearest_point": lambda: impinge.nearest_point(mesh, points[0]),
        "nearest_point of many": lambda: impinge.nearest_point(shape, points),
        "cast_ray": lambda: impinge.cast_ray(shape, points[0], -points[0]),
        "cast_ray of many": lambda: impinge.cast_ray(mesh, points, -points),
        "contains_point": lambda: impinge.contains_point(box, points),
        "Pair.intersects": lambda: pair.intersects(one),
        "Pair.contacts": lambda: pair.contacts(one),
        "Pair.distance": lambda: distance(pair.distance(apart)),
        "Pair.check": lambda: pair.check(many, threads=2),
        "World.step": lambda: step(world),
        "World.step on two threads": lambda: step(crowd),
        "clash": clashes,
        "CollisionManager": lambda: sorted(manager.in_collision_internal(return_names=True)[1]),
        "CollisionManager.min_distance_single": lambda: manager.min_distance_single(ball, shift(0.0, 4.0)),
        "Robot.check": lambda: robot.check(q),
        "Robot.collisions": lambda: [hit.names for hit in robot.collisions(q[0])],
        "Robot.check_motion": lambda: robot.check_motion(q[0], q[1]).status,
        "Mesh.vertices": lambda: mesh.vertices[7],
        "Mesh.is_closed": lambda: box.is_closed,
        "wrong pose": refused,
    }


def in_threads(act: Callable[[int], Any]) -> list[Any]:
    """Call a function with the number of each thread, in all threads at once. Return the results in order."""
    start = threading.Barrier(THREADS)

    def run(number: int) -> Any:
        start.wait()
        return act(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def ask_all(shared: Queries, expected: dict[str, Any], seed: int) -> list[str]:
    """Ask all queries three times, in random order. Return a line for each wrong answer."""
    names = 3 * list(shared)
    random.Random(seed).shuffle(names)
    wrong = []
    for name in names:
        try:
            found = plain(shared[name]())
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found != expected[name]:
            wrong.append(f"seed {seed}: {name} gave {found}, not {expected[name]}")
    return wrong


def test_answers_in_threads_equal_those_in_one_thread() -> None:
    expected = {name: plain(query()) for name, query in queries().items()}
    # Otherwise the test proves little.
    assert 0 < sum(expected["check"]) < len(expected["check"]) and any(expected["Robot.check"])
    assert expected["contacts"] and expected["World.step"][0] and expected["clash"] and expected["Robot.collisions"]
    end = time.monotonic() + SECONDS
    for number in itertools.count():
        # New objects for each round: the threads compete to prepare them.
        wrong = in_threads(partial(ask_all, queries(), expected))
        assert not any(wrong), f"round {number}\n" + "\n".join(itertools.chain(*wrong))
        if time.monotonic() > end:
            break


def test_threads_move_bodies_of_one_world() -> None:
    ball = sphere(200, 1.0)
    world = impinge.World()
    bodies = [world.add(ball, shift(10.0 * number)) for number in range(THREADS)]

    def move(number: int) -> list[list[int]]:
        body, pairs = bodies[number], []
        for step in range(50):
            extra = world.add(ball, shift(10.0 * number, 0.5, 0.1 * step))
            own = [pair for pair in world.step().pairs.tolist() if extra in pair]
            pairs += [[body - pair[0], extra - pair[1]] for pair in own]
            world.set_pose(body, shift(10.0 * number, 0.0, 0.1 * step))
            assert world.pose(body)[2, 3] == 0.1 * step, f"thread {number}, step {step}"
            world.remove(extra)
        return pairs

    # The bodies of different threads are far from each other.
    assert in_threads(move) == [[[0, 0]] * 50] * THREADS
    assert world.bodies == bodies
    assert len(world.step()) == 0


def test_no_view_of_a_mesh_is_writable_while_another_is_read() -> None:
    mesh = sphere(5_000, 1.0)
    has_ended = threading.Event()

    def read() -> None:
        while not has_ended.is_set():
            impinge.nearest_point(mesh, mesh.vertices, threads=1)

    def view(_: int) -> list[bool]:
        found, end = [], time.monotonic() + 0.2
        while time.monotonic() < end:
            found += [array.flags.writeable for array in (mesh.vertices, mesh.faces)]
        return found

    reader = threading.Thread(target=read)
    reader.start()
    try:
        writable = np.concatenate(in_threads(view))
    finally:
        has_ended.set()
        reader.join()
    assert not writable.any(), f"{writable.sum()} of {writable.size} arrays are writable"


def test_ctrl_c_ends_a_batch_while_other_threads_ask_queries() -> None:
    preparation = """
from meshes import poses, soup, sphere
a, b = soup(200, 1), soup(200, 2)
pair = impinge.Pair(sphere(20_000, 1.0), sphere(20_000, 1.0001))
def ask():
    while True:
        impinge.check(a, b, poses(50, 1.0, 3))
        pair.intersects()
for _ in range(4):
    threading.Thread(target=ask, daemon=True).start()"""
    assert_ctrl_c_ends("pair.check(np.tile(np.eye(4), (500_000, 1, 1)))", preparation)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="not a free-threaded build of Python")
def test_the_package_does_not_switch_on_the_gil() -> None:
    program = "import sys, impinge, impinge.collision; print(sys._is_gil_enabled())"
    # Python warns of a module that switches it on.
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60)
    assert run.stdout == "False\n", run.stdout + run.stderr
