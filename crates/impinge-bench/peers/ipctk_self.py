"""Times ipctk's broad phase on the positions of a deforming mesh.

    python ipctk_self.py FILE.frames

FILE.frames is written by `cargo bench -p impinge-bench --bench deform`. Prints one line of JSON for each broad phase:
the shortest milliseconds to build it for a frame, and to find its candidates (edge-edge and face-vertex pairs whose boxes
overlap, without common vertices), on one thread.
"""

import json
import sys
import time

import ipctk
import numpy


def load(path):
    with open(path, "rb") as file:
        vertices, faces, frames = numpy.fromfile(file, dtype="<u8", count=3)
        triangles = numpy.fromfile(file, dtype="<u4", count=3 * faces).reshape(-1, 3)
        positions = numpy.fromfile(file, dtype="<f8").reshape(frames, vertices, 3)
    return numpy.asfortranarray(triangles.astype(numpy.int32)), positions


def main(path):
    faces, frames = load(path)
    ipctk.set_num_threads(1)
    edges = numpy.asfortranarray(ipctk.edges(faces))
    for name, broad in [("LBVH", ipctk.LBVH()), ("HashGrid", ipctk.HashGrid())]:
        if name != "LBVH" and len(faces) > 200_000:
            continue
        update, own, found = float("inf"), float("inf"), 0
        for frame in frames[1:]:
            positions = numpy.asfortranarray(frame)
            start = time.perf_counter()
            broad.build(positions, edges, faces)
            built = time.perf_counter()
            candidates = broad.detect_collision_candidates()
            end = time.perf_counter()
            update, own = min(update, built - start), min(own, end - built)
            found = len(candidates)
        print(
            json.dumps(
                {
                    "engine": f"ipctk {ipctk.__version__}, {name}",
                    "threads": 1,
                    "build_ms": 1e3 * update,
                    "update_ms": 1e3 * update,
                    "self_ms": 1e3 * own,
                    "found": f"{found} pairs of boxes of edges, and of faces and vertices",
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1])
