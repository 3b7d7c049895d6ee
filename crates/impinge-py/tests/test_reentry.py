"""Objects that are used while a call on them is running, and objects that are no longer used."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

import impinge
from impinge.collision import CollisionManager
from meshes import cube, shift

HANDLER = """
import impinge, numpy as np, signal, sys, threading
sys.path.insert(0, {folder!r})
from impinge.collision import CollisionManager
from meshes import shift, soup, sphere
answers = []
{prepare}
def handler(*_):
    answers.append({query})
    raise TimeoutError
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    {call}
except TimeoutError:
    print("answered", answers)
"""

PAIR = "pair = impinge.Pair(sphere(20_000, 1.0), sphere(20_000, 1.0001))\nposes = np.tile(np.eye(4), (200_000, 1, 1))"
MANAGER = """manager = CollisionManager()
for number in range(400):
    manager.add_object(str(number), sphere(20_000, 1.0 + 1e-5 * number))"""


def answered(prepare: str, query: str, call: str) -> str:
    """Run a program whose signal handler asks a query during a call that takes minutes."""
    program = HANDLER.format(folder=str(Path(__file__).parent), prepare=prepare, query=query, call=call)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    ).stdout


def test_a_signal_handler_may_use_a_pair_that_is_in_use() -> None:
    assert answered(PAIR, "pair.intersects(shift(1.0))", "pair.check(poses)") == "answered [True]\n"


def test_a_signal_handler_may_use_a_manager_that_is_in_use() -> None:
    query = "manager.in_collision_single(soup(10, 1), shift(100.0))"
    assert answered(MANAGER, query, "manager.in_collision_internal(return_names=True)") == "answered [False]\n"


def test_managers_keep_no_mesh_alive() -> None:
    manager = CollisionManager()
    manager.add_object("cube", cube())
    mesh = cube()
    shape = impinge.Shape(cube())
    gone = weakref.ref(mesh), weakref.ref(shape)
    for body in (mesh, shape):
        assert manager.in_collision_single(body)
        manager.add_object("other", body)
        assert manager.in_collision_internal()
        manager.remove_object("other")
    del mesh, shape, body
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_a_world_forgets_bodies_that_were_removed() -> None:
    world, ball = impinge.World(), cube()
    fixed = world.add(ball, shift(0.5))
    for _ in range(300):
        body = world.add(ball)
        assert world.step().pairs.tolist() == [[fixed, body]]
        world.remove(body)
        assert world.step().ended.tolist() == [[fixed, body]]
        # Removed before any step.
        world.remove(world.add(ball))
    assert len(world) == 1 and fixed in world and body not in world
    assert -1 not in world and "0" not in world


FINALIZER = """
import gc, pickle, sys, weakref
sys.path.insert(0, {folder!r})
import impinge
from meshes import cube
world, ends, mesh = impinge.World(), [], cube()
vertices = mesh.vertices.copy()
body = world.add(mesh)
{program}
print("ended", ends)
"""


def ended(program: str) -> str:
    """Run a program in which the end of an object uses a world. It would wait for itself forever."""
    program = FINALIZER.format(folder=str(Path(__file__).parent), program=program)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    return run.stdout + run.stderr


@pytest.mark.parametrize(("call", "bodies"), [("world.remove(body)", 0), ("world.set_vertices(body, vertices)", 1)])
def test_a_world_may_be_used_when_one_of_its_shapes_ends(call: str, bodies: int) -> None:
    program = f"weakref.finalize(mesh, lambda: ends.append(len(world)))\ndel mesh\n{call}"
    assert ended(program) == f"ended [{bodies}]\n"


@pytest.mark.parametrize(
    "call",
    ["world.pose(body)", "world.step()", "world.set_vertices(body, vertices)", "pickle.dumps(world)"],
)
def test_a_world_may_be_used_when_garbage_is_collected(call: str) -> None:
    # Each collection ends an object and makes another one. Until Python 3.11, new arrays start collections.
    program = f"""
class Cycle:
    def __init__(self):
        self.own = self
    def __del__(self):
        ends[:] = [len(world)]
        Cycle()
gc.set_threshold(1)
Cycle()
for _ in range(20):
    {call}
gc.disable()
gc.collect()"""
    assert ended(program) == "ended [1]\n"
