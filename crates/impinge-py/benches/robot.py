"""Robot configurations a second, beside pinocchio + coal, in one run with the same robot, pairs and configurations.

    pip install pin coal
    IMPINGE_DATA=… python crates/impinge-py/benches/robot.py [--rows N] [--rounds N] [--seed S]

Each side answers the same question: does any checked pair of links collide? Both stop at the first pair that does.
pinocchio + coal is called as its documentation shows: `computeCollisions` for each configuration. Times of one thread
are CPU time, so that other work on the machine matters less; the rounds of both sides alternate, and the fastest round
of each counts. Times of all cores are elapsed time.

coal is given the triangles that impinge has read, and not those of its own reader: that reader mixes up the faces of
OBJ files with several materials (link 6 of the Panda), so the two sides would check different robots.

If the answers differ, every difference is listed with what brute force finds: every face with every face, by the exact
test, with the poses and triangles of impinge.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

import impinge

try:
    import coal
    import pinocchio as pin
except ImportError:
    sys.exit("this needs pinocchio and coal: pip install pin coal")


def model_of(mesh: impinge.Mesh) -> coal.BVHModelOBBRSS:
    """The same triangles for coal, in the same tree of volumes that pinocchio makes of a mesh file."""
    model = coal.BVHModelOBBRSS()
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in mesh.vertices:
        points.append(np.array(vertex))
    for a, b, c in mesh.faces:
        triangles.append(coal.Triangle(int(a), int(b), int(c)))
    model.beginModel(len(triangles), len(points))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


class Peer:
    """pinocchio + coal."""

    def __init__(self, urdf: Path, robot: impinge.Robot) -> None:
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.geometry = pin.buildGeomFromUrdf(
            self.model, str(urdf), pin.GeometryType.COLLISION, package_dirs=[str(urdf.parent)]
        )
        poses = robot.part_poses(robot.default)
        links_at = dict(zip(robot.links, robot.poses(robot.default), strict=True))
        frames_of = {shape.name: self.model.frames[shape.parentFrame].name for shape in self.geometry.geometryObjects}
        for (part, link), pose in zip(robot.parts, poses, strict=True):
            shapes = [shape for shape in self.geometry.geometryObjects if frames_of[shape.name] == link]
            if len(shapes) != 1:
                sys.exit(f"{urdf}: the link {link} has {len(shapes)} collision elements")
            # Where the part is on its link, and so on the joint that carries it.
            local = pin.SE3(np.linalg.inv(links_at[link]) @ pose)
            shapes[0].geometry = model_of(robot.mesh(part))
            shapes[0].meshScale = np.ones(3)
            shapes[0].placement = self.model.frames[shapes[0].parentFrame].placement * local
        # The same pairs, by the names of the links.
        checked = {frozenset(pair) for pair in robot.checked_pairs}
        frames = self.model.frames
        links = [frames[shape.parentFrame].name for shape in self.geometry.geometryObjects]
        for i, a in enumerate(links):
            for j, b in enumerate(links[i + 1 :], i + 1):
                if frozenset((a, b)) in checked:
                    self.geometry.addCollisionPair(pin.CollisionPair(i, j))
        leaders = {joint.name: joint.mimics or joint.name for joint in robot.joints}
        names = list(self.model.names)[1:]
        self.columns = [robot.joint_names.index(leaders[name]) for name in names]
        self.data, self.geometry_data = self.model.createData(), self.geometry.createData()

    def rows(self, q: np.ndarray) -> list[np.ndarray]:
        """The configurations as pinocchio takes them, one array each: cosine and sine for joints without limits."""
        rows = np.empty((len(q), self.model.nq))
        for joint, column in zip(list(self.model.joints)[1:], self.columns, strict=True):
            value = q[:, column]
            values = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            rows[:, joint.idx_q : joint.idx_q + joint.nq] = np.stack(values, axis=1)
        return list(rows)

    def check(self, rows: list[np.ndarray]) -> list[bool]:
        compute, model, data = pin.computeCollisions, self.model, self.data
        geometry, geometry_data = self.geometry, self.geometry_data
        return [compute(model, data, geometry, geometry_data, row, True) for row in rows]

    def is_near_contact(self, row: np.ndarray) -> float:
        """The least distance of the checked pairs as coal computes it."""
        pin.computeDistances(self.model, self.data, self.geometry, self.geometry_data, row)
        return min(result.min_distance for result in self.geometry_data.distanceResults)


def brute_force(robot: impinge.Robot, row: np.ndarray) -> bool:
    """Every face with every face, by the exact test."""
    poses = robot.part_poses(row)
    checked = set(robot.checked_pairs)
    shapes = [impinge.Shape(robot.mesh(part), "brute") for part, _ in robot.parts]
    return any(
        (a, b) in checked and impinge.intersects(shapes[i], shapes[j], poses[j], pose_a=poses[i])
        for i, (_, a) in enumerate(robot.parts)
        for j, (_, b) in enumerate(robot.parts)
    )


def fastest(rounds: int, *works: tuple[object, object]) -> list[float]:
    """The time of the fastest round of each function, in seconds; rounds alternate."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for number, (work, clock) in enumerate(works):
            start = clock()
            work()
            best[number] = min(best[number], clock() - start)
    return best


def compare(
    name: str, robot: impinge.Robot, urdf: Path, rows: int, rounds: int, seed: int, reach: float = np.inf
) -> None:
    """Compares with random configurations within the limits, and within a reach of the default configuration."""
    lower, upper = np.clip(robot.limits, -np.pi, np.pi)
    lower, upper = np.maximum(lower, robot.default - reach), np.minimum(upper, robot.default + reach)
    q = np.random.default_rng(seed).uniform(lower, upper, (rows, robot.dof))
    peer = Peer(urdf, robot)
    theirs_rows = peer.rows(q)
    ours, theirs = robot.check(q), np.array(peer.check(theirs_rows))
    for row in np.flatnonzero(ours != theirs):
        truth = brute_force(robot, q[row])
        inside = [hit.names for hit in robot.collisions(q[row]) if hit.is_inside]
        near = peer.is_near_contact(theirs_rows[row])
        print(
            f"  {name}, seed {seed}, row {row}: impinge {ours[row]}, coal {theirs[row]}, "
            f"brute force {truth}, inside without contact {inside}, least distance by coal {near:.3g}"
        )
    one, peer_one, all_cores = fastest(
        rounds,
        (lambda: robot.check(q, threads=1), time.process_time),
        (lambda: peer.check(theirs_rows), time.process_time),
        (lambda: robot.check(q), time.perf_counter),
    )
    rate = [rows / seconds for seconds in (peer_one, one, all_cores)]
    differences = int((ours != theirs).sum())
    print(
        f"| {name} | {len(peer.geometry.collisionPairs)} | {ours.mean():.1%} | {rate[0]:,.0f} | {rate[1]:,.0f} | "
        f"{rate[2]:,.0f} | {rate[1] / rate[0]:.1f}× | {rate[2] / rate[0]:.1f}× | {differences} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = os.environ.get("IMPINGE_DATA")
    if not folder:
        sys.exit("IMPINGE_DATA names no folder of real files")
    robots = Path(folder, "robots")
    load = f"{os.getloadavg()[0]:.1f}"
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {load}, {date.today()}, Python {platform.python_version()}"
    )
    print(f"impinge {impinge.__version__}, pinocchio {pin.__version__}, coal {coal.__version__}, {options.rows} rows\n")
    columns = [
        "robot",
        "pairs",
        "in collision",
        "pinocchio + coal, 1 thread",
        "impinge, 1 thread",
        "impinge, all cores",
    ]
    columns += ["ratio, 1 thread", "ratio, all cores", "different answers"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    panda = robots / "panda/panda.urdf"
    compare(
        "Panda, pairs of its SRDF file",
        impinge.Robot.load(panda, srdf=robots / "panda/panda.srdf"),
        panda,
        options.rows,
        options.rounds,
        options.seed,
    )
    compare(
        "Panda, all but adjacent links", impinge.Robot.load(panda), panda, options.rows, options.rounds, options.seed
    )
    laikago = robots / "laikago/laikago_toes_zup_lores.urdf"
    robot = impinge.Robot.load(laikago)
    # Its joints have no limits. Farther from the default configuration, its legs are mostly in each other.
    compare("Laikago, within 0.8 rad", robot, laikago, options.rows // 4, options.rounds, options.seed, reach=0.8)


if __name__ == "__main__":
    main()
