"""Batches of poses beside a loop over python-fcl, and what a call costs.

    python crates/impinge-py/benches/batch.py [POSES]

Two bumpy balls of about 20,000 triangles each; the second at random poses around the first. Every answer is compared.
Needs python-fcl.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import fcl
import numpy as np
from numpy.typing import NDArray

import impinge

R = TypeVar("R")

ROUNDS = 3


def bumpy_ball(rings: int, seed: int) -> impinge.Mesh:
    """A ball of `2 * rings * (rings - 1) * 2` triangles whose radius varies."""
    random = np.random.default_rng(seed)
    around = 2 * rings
    waves = random.integers(2, 9, (6, 2))
    polar = np.linspace(0, np.pi, rings + 1)[1:-1]
    azimuth = np.linspace(0, 2 * np.pi, around, endpoint=False)
    p, a = np.meshgrid(polar, azimuth, indexing="ij")
    radius = 1 + sum(0.04 * np.sin(m * a) * np.sin(n * p) for m, n in waves)
    points = np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], -1) * radius[..., None]
    vertices = np.concatenate([points.reshape(-1, 3), [[0, 0, 1.0], [0, 0, -1.0]]])
    north, south = len(vertices) - 2, len(vertices) - 1
    faces = []
    for j in range(around):
        k = (j + 1) % around
        faces.append([north, j, k])
        for i in range(rings - 2):
            at = i * around
            faces.append([at + j, at + around + j, at + around + k])
            faces.append([at + j, at + around + k, at + k])
        at = (rings - 2) * around
        faces.append([south, at + k, at + j])
    return impinge.Mesh(vertices, np.array(faces))


def random_poses(count: int, seed: int) -> NDArray[np.float64]:
    """Rotations at random, at distances at which about half of the poses touch."""
    random = np.random.default_rng(seed)
    x, y, z, w = random.normal(size=(4, count)) / 1.0
    norm = np.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    poses = np.zeros((count, 4, 4))
    poses[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1)
    poses[:, 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1)
    poses[:, 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    poses[:, :3, 3] = direction * random.uniform(1.9, 2.3, (count, 1))
    poses[:, 3, 3] = 1
    return poses


def fcl_object(mesh: impinge.Mesh) -> fcl.CollisionObject:
    """The mesh as python-fcl has it."""
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.faces))
    model.addSubModel(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64))
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())


def fcl_loop(a: fcl.CollisionObject, b: fcl.CollisionObject, poses: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether b touches a at each pose, one call after another."""
    request = fcl.CollisionRequest()
    touches = np.zeros(len(poses), bool)
    for number, pose in enumerate(poses):
        b.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
        touches[number] = fcl.collide(a, b, request, fcl.CollisionResult()) > 0
    return touches


def timed(work: Callable[[], R]) -> tuple[float, R]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    """Print the tables."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    a, b = bumpy_ball(71, 1), bumpy_ball(71, 2)
    shapes = impinge.Shape(a), impinge.Shape(b)
    poses = random_poses(count, 3)
    objects = fcl_object(a), fcl_object(b)
    load = os.getloadavg()[0]
    print(f"{len(a)} and {len(b)} triangles, {count} poses, {os.cpu_count()} cores, load {load:.1f}")
    impinge.check(*shapes, poses[:1000])
    pair = impinge.Pair(*shapes)
    engines: list[tuple[str, Callable[[], NDArray[np.bool_]]]] = [
        ("impinge.check, all cores", lambda: impinge.check(*shapes, poses)),
        ("impinge.check, one thread", lambda: impinge.check(*shapes, poses, threads=1)),
        ("impinge.Pair.intersects in a loop", lambda: np.array([pair.intersects(pose) for pose in poses])),
        ("python-fcl in a loop", lambda: fcl_loop(*objects, poses)),
    ]
    # The rounds of all engines alternate, and the fastest of each counts.
    rounds = [[timed(ask) for _, ask in engines] for _ in range(ROUNDS)]
    fastest = [min(run[number][0] for run in rounds) for number in range(len(engines))]
    ours, theirs = rounds[0][0][1], rounds[0][-1][1]
    assert all((answer == ours).all() for run in rounds for _, answer in run[:-1])
    for (name, _), seconds in zip(engines, fastest, strict=True):
        print(f"{name:36} {seconds:8.3f} s  {seconds / count * 1e6:9.2f} us a pose  {seconds / fastest[0]:7.1f}")
    differ = np.flatnonzero(ours != theirs)
    print(f"{ours.sum()} poses touch; python-fcl differs at {len(differ)}")
    small = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    pair, pose = impinge.Pair(small, small), np.eye(4)
    pose[0, 3] = 0.25
    calls = 200_000
    single = min(timed(lambda: [pair.intersects(pose) for _ in range(calls)])[0] for _ in range(5))
    many = np.broadcast_to(pose, (calls, 4, 4)).copy()
    batch = min(timed(lambda: pair.check(many, threads=1))[0] for _ in range(5))
    print(f"one call: {single / calls * 1e9:.0f} ns; in a batch: {batch / calls * 1e9:.0f} ns")


if __name__ == "__main__":
    main()
