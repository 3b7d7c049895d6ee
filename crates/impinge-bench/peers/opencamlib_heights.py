"""The heights at which cutters touch a part, by opencamlib's drop-cutter, on one thread.

    opencamlib_heights.py TRIANGLES POSITIONS HEIGHTS KIND,DIAMETER,VALUE...

TRIANGLES holds 9 numbers per triangle, POSITIONS x and y per position: 64-bit floats, little-endian. KIND is ball,
flat, bull (VALUE: the corner radius) or cone (VALUE: the half angle in degrees). HEIGHTS receives the height of the tip
at each position, cutter after cutter; -1e9 where the cutter meets no triangle. Prints one line of JSON per cutter:
the seconds of CPU time for opencamlib's search tree, and for all positions.
"""

import array
import json
import math
import sys
import time

import opencamlib

BELOW_EVERYTHING = -1e9
LENGTH = 1e4  # Of the cutters; opencamlib treats them as endless.


def numbers(path):
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def cutter_of(kind, diameter, value):
    if kind == "ball":
        return opencamlib.BallCutter(diameter, LENGTH)
    if kind == "flat":
        return opencamlib.CylCutter(diameter, LENGTH)
    if kind == "bull":
        return opencamlib.BullCutter(diameter, value, LENGTH)
    # Where a cone touches an edge, opencamlib 2023.1.11 uses the length of the whole cutter in place of the height of the
    # cone, and returns heights that are too low. Without a cylinder above the cone, the two are the same.
    return opencamlib.ConeCutter(diameter, math.radians(value), 0.0)


def main():
    triangles, positions, heights = sys.argv[1:4]
    # opencamlib's own reader of STL files rounds to 32 bits, and never returns for binary files that begin with
    # "solid". So the triangles are handed over one by one.
    surface = opencamlib.STLSurf()
    corners = numbers(triangles)
    for i in range(0, len(corners), 9):
        points = [opencamlib.Point(*corners[i + k : i + k + 3]) for k in (0, 3, 6)]
        surface.addTriangle(opencamlib.Triangle(*points))
    places = numbers(positions)
    found = array.array("d")
    for word in sys.argv[4:]:
        kind, diameter, value = word.split(",")
        # opencamlib keeps pointers to cutter and surface, not references.
        cutter = cutter_of(kind, float(diameter), float(value))
        job = opencamlib.BatchDropCutter()
        job.setThreads(1)
        start = time.process_time()
        job.setSTL(surface)
        job.setCutter(cutter)
        build = time.process_time() - start
        for i in range(0, len(places), 2):
            job.appendPoint(opencamlib.CLPoint(places[i], places[i + 1], BELOW_EVERYTHING))
        start = time.process_time()
        job.run()
        query = time.process_time() - start
        found.extend(point.z for point in job.getCLPoints())
        print(json.dumps({"cutter": word, "build": build, "query": query}))
    with open(heights, "wb") as file:
        file.write(found.tobytes())


main()
