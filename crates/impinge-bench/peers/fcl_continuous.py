"""First impacts by FCL's conservative advancement, for benches/impact.rs: python fcl_continuous.py MOTIONS.json

Prints one JSON line: engine, mean_us, times (null for no impact)."""

import json
import sys
import time

import fcl
import numpy as np

with open(sys.argv[1]) as file:
    scene = json.load(file)
mesh = fcl.BVHModel()
positions, faces = np.array(scene["positions"]), np.array(scene["faces"])
mesh.beginModel(len(positions), len(faces))
mesh.addSubModel(positions, faces)
mesh.endModel()


def transform(rows):
    matrix = np.array(rows).reshape(3, 4)
    return fcl.Transform(matrix[:, :3], matrix[:, 3])


request = fcl.ContinuousCollisionRequest(
    ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR,
    ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
)
times, total = [], 0.0
for a, b in scene["motions"]:
    bodies = [fcl.CollisionObject(mesh, transform(ends[0])) for ends in (a, b)]
    ends = [transform(ends[1]) for ends in (a, b)]
    result = fcl.ContinuousCollisionResult()
    start = time.perf_counter()
    fcl.continuousCollide(bodies[0], ends[0], bodies[1], ends[1], request, result)
    total += time.perf_counter() - start
    times.append(result.time_of_contact if result.is_collide else None)
mean = 1e6 * total / len(times)
print(json.dumps({"engine": "FCL, conservative advancement (Python)", "mean_us": mean, "times": times}))
