"""First impacts by FCL, which samples the motion or advances conservatively, for benches/impact.rs: python fcl_continuous.py MOTIONS.json

Prints a JSON line for each of two solvers: engine, mean_us, times (null for no impact)."""

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


def ask(name, **options):
    request = fcl.ContinuousCollisionRequest(ccd_motion_type=fcl.CCDMotionType.CCDM_LINEAR, **options)
    times, total = [], 0.0
    for a, b in scene["motions"]:
        bodies = [fcl.CollisionObject(mesh, transform(ends[0])) for ends in (a, b)]
        ends = [transform(ends[1]) for ends in (a, b)]
        result = fcl.ContinuousCollisionResult()
        start = time.perf_counter()
        fcl.continuousCollide(bodies[0], ends[0], bodies[1], ends[1], request, result)
        total += time.perf_counter() - start
        times.append(result.time_of_contact if result.is_collide else None)
    print(json.dumps({"engine": name, "mean_us": 1e6 * total / len(times), "times": times}))


solvers = fcl.CCDSolverType
ask("FCL, 2,000 samples (Python)", num_max_iterations=2000, ccd_solver_type=solvers.CCDC_NAIVE)
ask(
    "FCL, conservative advancement (Python)",
    num_max_iterations=1000,
    ccd_solver_type=solvers.CCDC_CONSERVATIVE_ADVANCEMENT,
)
