"""Times ipctk's continuous collision detection on queries with known answers.

    python ipctk_ccd.py FILE.queries

FILE.queries is written by `cargo bench -p impinge-bench --bench ccd`: 26 doubles for each query, with the low byte first.
They are 1 for a vertex and a face or 0 for two edges, 1 or 0 for the known answer, four points at time 0, and the same
points at time 1. Prints one line of JSON for each method and kind of query: the mean time in ns, and the numbers of
missed and false contacts.
"""

import json
import sys
import time

import ipctk
import numpy


def main(path):
    queries = numpy.fromfile(path, dtype="<f8").reshape(-1, 26)
    for name, ccd in [
        ("additive", ipctk.AdditiveCCD()),
        ("tight inclusion", ipctk.TightInclusionCCD()),
    ]:
        for has_face in [True, False]:
            test = ccd.point_triangle_ccd if has_face else ccd.edge_edge_ccd
            count, seconds, missed, false = 0, 0.0, 0, 0
            for query in queries[queries[:, 0] == has_face]:
                points = list(query[2:].reshape(8, 3))
                start = time.perf_counter()
                found = test(*points)[0]
                seconds += time.perf_counter() - start
                count += 1
                missed += bool(query[1]) and not found
                false += found and not query[1]
            row = {
                "engine": f"ipctk {ipctk.__version__}, {name}",
                "has_face": has_face,
                "mean_ns": 1e9 * seconds / count,
                "missed": missed,
                "false": false,
            }
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
