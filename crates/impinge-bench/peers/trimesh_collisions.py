"""Finds the colliding parts of an assembly with trimesh's CollisionManager (FCL).

    python trimesh_collisions.py FILE…

Prints one line of JSON: the seconds to load, to build the manager, to find the colliding pairs and
to list all contacts, and the numbers of pairs and contacts.
"""

import json
import sys
import time

import trimesh


def main(paths):
    start = time.perf_counter()
    loaded = [trimesh.load_scene(path) for path in paths]
    parts = []
    for scene in loaded:
        for node in scene.graph.nodes_geometry:
            transform, geometry = scene.graph[node]
            parts.append((f"{len(parts)} {node}", scene.geometry[geometry], transform))
    load = time.perf_counter()
    manager = trimesh.collision.CollisionManager()
    for name, mesh, transform in parts:
        manager.add_object(name, mesh, transform)
    build = time.perf_counter()
    _, pairs = manager.in_collision_internal(return_names=True)
    detect = time.perf_counter()
    _, contacts = manager.in_collision_internal(return_data=True)
    end = time.perf_counter()
    print(
        json.dumps(
            {
                "engine": f"trimesh {trimesh.__version__}",
                "parts": len(parts),
                "load": load - start,
                "build": build - load,
                "detect": detect - build,
                "list": end - detect,
                "pairs": len(pairs),
                "contacts": len(contacts),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1:])
