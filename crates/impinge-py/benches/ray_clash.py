"""Measures clash checks on a local Ray cluster.

    python ray_clash.py efficiency [--parts 4000] [--rounds 5]
    python ray_clash.py plant [--faces 100000000] [--workers 2] [--store-mb 1500] [--cache-mb 500]

`efficiency` checks the same plant with one worker and with two, in turns, and compares wall time, CPU time of the tasks
and how busy the workers were. The last line has the efficiency of each round (half the time of one worker over the
time of two), their median, and the load of the machine before each run: more than 0.5 before a run means that other
programs take part of the time. `plant` makes a plant of distinct meshes by tasks, checks it, and reports memory, bytes
and times. One JSON object per run is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray

import impinge
from impinge.ray import _search, _store, _tasks

SIDES = 20
PIPE, FLANGE, VALVE, GASKET, RACK = 2048.0, 64.0, 512.0, 2.0, 640.0


def revolved(outline: list[tuple[float, float]]) -> impinge.Mesh:
    """The closed surface of revolution about x of an outline of radii and positions along x."""
    radius, along = np.array(outline).T
    angles = np.arange(SIDES) * (2 * np.pi / SIDES)
    count = len(outline)
    ring = np.stack([np.zeros(SIDES), np.cos(angles), np.sin(angles)], -1)
    points = ring[None] * radius[:, None, None]
    points[:, :, 0] = along[:, None]
    a = np.arange(count)[:, None] * SIDES + np.arange(SIDES)[None]
    b = np.roll(a, -1, 1)
    c, d = np.roll(a, -1, 0), np.roll(b, -1, 0)
    faces = np.stack([np.stack([a, c, b], -1), np.stack([b, c, d], -1)], 2).reshape(-1, 3)
    return impinge.Mesh(points.reshape(-1, 3), faces)


def tube(radius: float, length: float, bulge: float = 0.0) -> impinge.Mesh:
    """A tube of about a thousand faces, thicker in its middle if it bulges."""
    steps = np.linspace(0.0, 1.0, 13)
    outside = [(radius * (1.0 + bulge * 4.0 * t * (1.0 - t)), t * length) for t in steps]
    return revolved(outside + [(radius * 0.875, t * length) for t in steps[::-1]])


class Line:
    """Lines of pipes, flanges and valves, made where they are needed. Every part has a mesh of its own."""

    def __init__(self, first: int, count: int, across: int) -> None:
        """Lines from `first` on, in a rack that is `across` wide."""
        self.first, self.count, self.across = first, count, across

    def __call__(self) -> impinge.Assembly:
        """Make the lines, a hundred parts each."""
        assembly = impinge.Assembly(name="plant", units="mm")
        for line in range(self.first, self.first + self.count):
            random = np.random.default_rng(line)
            x, number = 0.0, 0
            at = np.eye(4)
            at[:3, 3] = [0.0, line % self.across * RACK, line // self.across * RACK]
            while number < 100:
                radius = 40.0 + 100.0 * random.random()
                for name, length, gap, bulge in (
                    ("pipe", PIPE, 0.0, 0.0),
                    ("flange", FLANGE, GASKET, 0.4),
                    ("valve", VALVE, GASKET, 0.5),
                ):
                    at[0, 3] = x
                    own = at.copy()
                    if name == "pipe" and random.random() < 0.04:
                        # A pipe that is not where it should be: it reaches into the flange.
                        own[0, 3] += 40.0
                    assembly.add(f"line {line:05} {name} {number}", tube(radius, length, bulge), own)
                    x += length + gap
                    number += 1
                    if number == 100:
                        break
        return assembly


def lines(faces: int, per_piece: int = 10) -> list[Line]:
    """The pieces of a plant with about so many faces: a hundred parts of 1040 faces a line."""
    count = max(1, round(faces / 104_000))
    across = max(1, round(count**0.5))
    return [Line(first, min(per_piece, count - first), across) for first in range(0, count, per_piece)]


def status(field: str) -> int:
    """A number of kilobytes from the status of this process."""
    for row in Path("/proc/self/status").read_text().splitlines():
        if row.startswith(field + ":"):
            return int(row.split()[1])
    return 0


def measured(log: str, check: Any) -> Any:
    """A task that also writes what it took to a file."""

    def timed(job: str, task: bytes, places: Any, budget: int, *bundles: Any) -> bytes:
        start, cpu = time.time(), time.process_time()
        share: bytes = check(job, task, places, budget, *bundles)
        row = {
            "pid": os.getpid(),
            "start": start,
            "end": time.time(),
            "cpu": time.process_time() - cpu,
            "anon_kb": status("RssAnon"),
            "shared_kb": status("RssShmem"),
            "bytes": len(share),
            "sent": len(task),
            "moved": sum(len(bundle) for bundle in bundles),
        }
        with Path(log, str(os.getpid())).open("a") as file:
            file.write(json.dumps(row) + "\n")
        return share

    return timed


def search(assembly: Any, store: Any, limits: _search.Limits) -> dict[str, Any]:
    """Check an assembly and tell what it took."""
    with tempfile.TemporaryDirectory() as log:
        start = time.time()
        plan = impinge._impinge.Plan(assembly, {})
        planned = time.time()
        run = _search.Search(ray, plan, store, limits)
        run._check = ray.remote(measured(log, _tasks.check_cell)).options(max_retries=5)
        prepared = time.time()
        while not run.step()[2]:
            pass
        ended = time.time()
        shares = run.shares()
        report = plan.finish(shares)
        rows = [json.loads(row) for file in Path(log).iterdir() for row in file.read_text().splitlines()]
    workers = len({row["pid"] for row in rows})
    first, last = min(row["start"] for row in rows), max(row["end"] for row in rows)
    return {
        "pairs": report.pairs_checked,
        "clashes": len(report),
        "cells": run.cell_count,
        "workers": workers,
        "near_pairs_s": round(planned - start, 2),
        "cells_and_put_s": round(prepared - planned, 2),
        "search_s": round(ended - prepared, 2),
        "merge_s": round(time.time() - ended, 2),
        "task_cpu_s": round(sum(row["cpu"] for row in rows), 2),
        "busy": round(sum(row["end"] - row["start"] for row in rows) / (workers * (last - first)), 3),
        "worker_private_mb": max(row["anon_kb"] for row in rows) // 1024,
        "worker_shared_mb": max(row["shared_kb"] for row in rows) // 1024,
        "task_bytes": sum(row["sent"] for row in rows) // len(rows),
        "share_bytes": sum(row["bytes"] for row in rows) // len(rows),
        "bundle_bytes_per_task": sum(row["moved"] for row in rows) // len(rows),
        "driver_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def spilled() -> int:
    """The bytes of objects that Ray has written to disk."""
    session = ray._private.worker._global_node.get_session_dir_path()
    files = Path(session).glob("*spilled*/**/*")
    return sum(file.stat().st_size for file in files if file.is_file())


def start(workers: int, store_mb: int) -> None:
    """Start a cluster, and its workers."""
    ray.init(
        address="local",
        num_cpus=workers,
        object_store_memory=store_mb << 20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    ray.get([ray.remote(lambda: time.sleep(0.5)).remote() for _ in range(workers)])


def settle() -> float:
    """Wait until the load that the last run has left is gone, for at most a minute, and return the load that remains.

    The load is the number of processes that run now, without this one: averages over a minute would count the last run.
    """
    running = 0.0
    for _ in range(30):
        samples = []
        for _ in range(20):
            samples.append(int(Path("/proc/loadavg").read_text().split()[3].split("/")[0]) - 1)
            time.sleep(0.1)
        running = sum(samples) / len(samples)
        if running < 0.2:
            break
    return running


def efficiency(parts: int, rounds: int, cell_work: int) -> None:
    """Check the same plant with one worker and with two, in turns."""
    ratios, loads, found = [], [], set()
    for number in range(rounds):
        times: dict[int, float] = {}
        # The order alternates, so that what changes with time changes both alike.
        for workers in (1, 2) if number % 2 == 0 else (2, 1):
            load = settle()
            start(workers, 1000)
            assembly, store = _store.load_pieces(ray, lines(parts * 1040), None)
            # The same cells for both.
            result = search(assembly, store, _search.Limits(cell_work=cell_work))
            ray.shutdown()
            print(json.dumps({"round": number, "cpus": workers, "load": round(load, 2)} | result), flush=True)
            times[workers] = result["search_s"]
            loads.append(load)
            found.add((result["pairs"], result["clashes"], result["cells"]))
            assert len(found) == 1, f"the runs differ: {found}"
        ratios.append(times[1] / (2 * times[2]))
    summary = {
        "efficiency": round(statistics.median(ratios), 3),
        "each_round": [round(ratio, 3) for ratio in ratios],
        "largest_load_before_a_run": round(max(loads), 2),
    }
    print(json.dumps(summary), flush=True)


def plant(faces: int, workers: int, store_mb: int, cache_mb: int) -> None:
    """Make and check a large plant in bounded memory."""
    load = settle()
    start(workers, store_mb)
    began = time.time()
    assembly, store = _store.load_pieces(ray, lines(faces), None)
    loaded = time.time()
    result = search(assembly, store, _search.Limits(cell_faces=1_000_000, cache_bytes=cache_mb << 20))
    facts = {
        "faces": assembly.face_count,
        "parts": len(assembly),
        "load_s": round(loaded - began, 1),
        "store_mb": store_mb,
        "spilled_mb": spilled() >> 20,
        "cache_mb": cache_mb,
        "load": round(load, 2),
    }
    print(json.dumps(facts | result), flush=True)
    ray.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["efficiency", "plant"])
    parser.add_argument("--parts", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cell-work", type=int, default=5_000)
    parser.add_argument("--faces", type=int, default=100_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--store-mb", type=int, default=1500)
    parser.add_argument("--cache-mb", type=int, default=500)
    chosen = parser.parse_args()
    if chosen.what == "efficiency":
        efficiency(chosen.parts, chosen.rounds, chosen.cell_work)
    else:
        plant(chosen.faces, chosen.workers, chosen.store_mb, chosen.cache_mb)
