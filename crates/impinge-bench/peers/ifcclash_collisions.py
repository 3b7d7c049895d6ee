"""Finds the colliding elements of IFC files with ifcclash (IfcOpenShell's tree of triangles).

    python ifcclash_collisions.py FILE.ifc…

Prints one line of JSON: the seconds to load the files and to find all colliding pairs (touching
pairs count), and the number of pairs. Finding them includes the triangulation of the elements.
"""

import json
import logging
import sys
import time
from importlib.metadata import version

from ifcclash.ifcclash import Clasher, ClashSettings


def main(paths):
    settings = ClashSettings()
    settings.logger = logging.getLogger("ifcclash")
    clasher = Clasher(settings)
    start = time.perf_counter()
    for path in paths:
        clasher.load_ifc(path)
    load = time.perf_counter()
    wanted = {"name": "all", "mode": "collision", "allow_touching": True}
    clasher.clash_sets = [dict(wanted, a=[{"file": path} for path in paths])]
    clasher.clash()
    end = time.perf_counter()
    elements = clasher.groups["a"]["elements"]
    clashes = clasher.clash_sets[0]["clashes"]
    pairs = {tuple(sorted((c["a_global_id"], c["b_global_id"]))) for c in clashes.values()}
    print(
        json.dumps(
            {
                "engine": f"ifcclash {version('ifcclash')}",
                "parts": len(elements),
                "load": load - start,
                "build": 0.0,
                "detect": end - load,
                "list": 0.0,
                "pairs": len(pairs),
                "contacts": None,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1:])
