"""Loops of single queries in one thread and in two: how much faster two threads are.

    python crates/impinge-py/benches/threads.py

On a free-threaded build of Python the loops run side by side. With the GIL they take turns, except within queries.
Prints a JSON line for each query. `alone` and `together` are queries a second of one thread, and of two together; each is
the best of several rounds, which alternate. `cores` is the CPU time of the two threads divided by the elapsed time: with the
GIL about 1, without it 2 if nothing else runs on the machine. Each thread has its own poses and its own `Pair`; the meshes
are shared.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

import impinge

ROUNDS, SECONDS = 15, 0.2


def sphere(side: int, radius: float) -> impinge.Mesh:
    """A sphere around the origin."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, side, endpoint=False), np.linspace(0, np.pi, side), indexing="ij")
    points = radius * np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(side), np.arange(side - 1), indexing="ij")
    a, b = i * side + j, (i + 1) % side * side + j
    faces = np.stack([a, a + 1, b, b, a + 1, b + 1], -1).reshape(-1, 3)
    return impinge.Mesh(points, faces)


def rate(threads: int, make: Callable[[int], Callable[[], object]]) -> tuple[float, float]:
    """Queries a second of several threads together, and how many cores they used."""
    counts = [0] * threads
    start = threading.Barrier(threads + 1)

    def run(number: int) -> None:
        ask = make(number)
        start.wait()
        count, end = 0, time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            for _ in range(20):
                ask()
            count += 20
        counts[number] = count

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    start.wait()
    begin, used = time.perf_counter(), time.process_time()
    for worker in workers:
        worker.join()
    elapsed = time.perf_counter() - begin
    return sum(counts) / elapsed, (time.process_time() - used) / elapsed


def main() -> None:
    """Measure and print."""
    mesh = sphere(100, 1.0)
    shape = impinge.Shape(mesh)

    def pose(x: float) -> np.ndarray:
        matrix = np.eye(4)
        matrix[0, 3] = x
        return matrix

    def pair(x: float, kind: str) -> Callable[[int], Callable[[], object]]:
        def make(number: int) -> Callable[[], object]:
            query, at = getattr(impinge.Pair(shape, shape), kind), pose(x + 1e-6 * number)
            return lambda: query(at)

        return make

    def point(function: Callable[..., object], *rest: object) -> Callable[[int], Callable[[], object]]:
        def make(number: int) -> Callable[[], object]:
            at = np.array([2.0, 0.3, 0.1 * number])
            return lambda: function(mesh, at, *rest)

        return make

    queries = {
        "Pair.intersects, boxes apart": pair(5.0, "intersects"),
        "Pair.intersects, close": pair(1.9999, "intersects"),
        "Pair.distance": pair(2.5, "distance"),
        "nearest_point": point(impinge.nearest_point),
        "cast_ray": point(impinge.cast_ray, [-1.0, 0.0, 0.0]),
    }
    is_gil_enabled = getattr(sys, "_is_gil_enabled", lambda: True)()
    for name, make in queries.items():
        rates = [(rate(1, make), rate(2, make)) for _ in range(ROUNDS)]
        alone, together = (max(column) for column in zip(*rates, strict=True))
        line = {"query": name, "gil": is_gil_enabled, "alone": round(alone[0]), "together": round(together[0])}
        print(json.dumps(line | {"ratio": round(together[0] / alone[0], 2), "cores": round(together[1], 2)}))


if __name__ == "__main__":
    main()
