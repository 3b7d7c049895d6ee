"""The collision manager beside trimesh's own, on the same scenes in one run.

    IMPINGE_DATA=FOLDER python crates/impinge-py/benches/manager.py [ROUNDS]

Needs trimesh, python-fcl and scipy, and the folder of real files. Each time is the least of several rounds, in which
the two take turns. Names of colliding pairs are compared. A ratio above 1 means that impinge takes less time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh.collision

import impinge.collision

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from scenes import Body, file_scene, mechanism, panda, tumbling

LIBRARIES = {"trimesh": trimesh.collision, "impinge": impinge.collision}


def manager(library: Any, bodies: list[Body]) -> Any:
    """Return a manager with the bodies, at poses of double precision."""
    made = library.CollisionManager()
    for name, mesh, matrix in bodies:
        made.add_object(name, mesh, matrix)
        made.set_transform(name, matrix)
    return made


def fresh(bodies: list[Body]) -> list[Body]:
    """Return the bodies with meshes of which nothing is remembered."""
    copies: dict[int, Any] = {}
    for _, mesh, _ in bodies:
        if id(mesh) not in copies:
            copies[id(mesh)] = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    return [(name, copies[id(mesh)], matrix) for name, mesh, matrix in bodies]


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def questions_about(managers: dict[str, Any], bodies: list[Body]) -> dict[str, Callable[[str], Callable[[], object]]]:
    """Return what is asked of each library: functions that prepare a call, which is then timed."""
    _, mesh, matrix = bodies[-1]

    def add(name: str) -> Callable[[], object]:
        copies = fresh(bodies)
        return lambda: manager(LIBRARIES[name], copies)

    return {
        "add": add,
        "any": lambda name: managers[name].in_collision_internal,
        "names": lambda name: lambda: managers[name].in_collision_internal(return_names=True),
        "contacts": lambda name: lambda: managers[name].in_collision_internal(return_data=True),
        "single": lambda name: lambda: managers[name].in_collision_single(mesh, matrix, return_names=True),
        "distance": lambda name: managers[name].min_distance_internal,
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = Path(os.environ["IMPINGE_DATA"])
    parts = folder / "mechanical"
    scenes = [
        ("car, 109 parts", file_scene(folder / "assemblies/car-concept/CarConcept.geometry.glb")),
        ("watch, 19 parts", file_scene(folder / "assemblies/chronograph-watch/ChronographWatch.gltf")),
        ("as1, 18 parts", file_scene(folder / "step/as1-oc-214.tess.glb")),
        ("press, 6 parts, apart", mechanism(folder / "assemblies/punching-press/140-punching-press.json")),
        *panda(folder / "robots/panda/panda.urdf", range(1)),
        *tumbling(parts / "extruder-body.stl", parts / "extruder-cover.stl", range(2)),
    ]
    scenes.append(("panda, convex hulls", [(name, mesh.convex_hull, matrix) for name, mesh, matrix in scenes[4][1]]))
    print(f"{'scene':42} {'question':10} {'trimesh ms':>11} {'impinge ms':>11} {'ratio':>7}")
    ratios: dict[str, list[float]] = {}
    for title, bodies in scenes:
        managers = {name: manager(library, bodies) for name, library in LIBRARIES.items()}
        found = [it.in_collision_internal(return_names=True)[1] for it in managers.values()]
        if found[0] != found[1]:
            print(f"  {title}: the pairs differ: {sorted(found[0] ^ found[1])[:3]}")
        questions = questions_about(managers, bodies)
        for question, call in questions.items():
            times = {name: np.inf for name in LIBRARIES}
            for _ in range(rounds):
                for name in LIBRARIES:
                    times[name] = min(times[name], seconds(call(name)))
            ratio = times["trimesh"] / times["impinge"]
            ratios.setdefault(question, []).append(ratio)
            print(
                f"{title:42} {question:10} {times['trimesh'] * 1e3:11.3f} {times['impinge'] * 1e3:11.3f} {ratio:7.1f}"
            )
    for question, all_ratios in ratios.items():
        print(f"{'geometric mean':42} {question:10} {'':11} {'':11} {np.exp(np.mean(np.log(all_ratios))):7.1f}")


if __name__ == "__main__":
    main()
