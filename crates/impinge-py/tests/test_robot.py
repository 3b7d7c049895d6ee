"""Robots: structure, forward kinematics, collisions, allowed collisions, motions, pickles."""

from __future__ import annotations

import itertools
import math
import pickle
import shutil
import signal
import threading
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import impinge
from conftest import data as real_file
from conftest import needs
from impinge import ArgumentError, FileError, MissingFileError, PoseError, Robot

BOX = '<collision><geometry><box size="{}"/></geometry></collision>'

#: A base, an arm that turns above it, a hand that slides down from the arm's end, a finger that mimics the hand.
ARM = f"""<robot name="arm">
  <link name="base">{BOX.format("1 1 1")}</link>
  <link name="arm"><collision><origin xyz="1 0 0"/><geometry><box size="2 0.2 0.2"/></geometry></collision></link>
  <link name="hand">{BOX.format("0.2 0.2 0.2")}</link>
  <link name="finger">{BOX.format("0.1 0.1 0.1")}</link>
  <link name="flange"/>
  <joint name="turn" type="continuous"><origin xyz="0 0 2"/><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><origin xyz="2 0 0"/><parent link="arm"/><child link="hand"/>
    <axis xyz="0 0 -1"/><limit lower="0.3" upper="3"/></joint>
  <joint name="plate" type="fixed"><parent link="hand"/><child link="flange"/></joint>
  <joint name="grip" type="prismatic"><parent link="flange"/><child link="finger"/><axis xyz="1 0 0"/>
    <mimic joint="slide" multiplier="2" offset="0.5"/></joint>
</robot>"""

#: Two boxes on rails, on a base without geometry. They are adjacent to nothing but it.
RAILS = f"""<robot name="rails"><link name="rail"/>
  <link name="bed">{BOX.format("0.1 0.1 0.1")}</link>
  <link name="left">{BOX.format("1 1 1")}</link><link name="right">{BOX.format("1 1 1")}</link>
  <joint name="bolt" type="fixed"><origin xyz="0 0 -9"/><parent link="rail"/><child link="bed"/></joint>
  <joint name="x" type="prismatic"><parent link="bed"/><child link="left"/><origin xyz="0 0 9"/></joint>
  <joint name="y" type="prismatic"><parent link="left"/><child link="mid"/></joint><link name="mid">
  <collision><origin xyz="0 5 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="z" type="prismatic"><parent link="mid"/><child link="right"/></joint></robot>"""


@pytest.fixture
def data() -> Path:
    return real_file()


def panda(data: Path) -> Robot:
    return Robot.load(data / "robots/panda/panda.urdf", srdf=data / "robots/panda/panda.srdf")


def laikago(data: Path) -> Robot:
    return Robot.load(data / "robots/laikago/laikago_toes_zup_lores.urdf")


def random_rows(robot: Robot, count: int, seed: int) -> np.ndarray:
    lower, upper = np.clip(robot.limits, -math.pi, math.pi)
    if robot.name != "panda" and robot.dof > 2:
        # The legs of the Laikago are in each other's way in nearly all configurations but those close to the default.
        lower, upper = robot.default - 0.8, robot.default + 0.8
    return np.random.default_rng(seed).uniform(lower, upper, (count, robot.dof))


def cube(size: float) -> impinge.Mesh:
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return impinge.Mesh(np.array(corners) * size / 2, np.array(faces, dtype=np.int64))


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


# -- Structure and forward kinematics ----------------------------------------------------------------------------------


def test_structure() -> None:
    robot = Robot.parse(ARM)
    assert (robot.name, robot.dof, robot.joint_names) == ("arm", 2, ("turn", "slide"))
    assert robot.links == ("base", "arm", "hand", "finger", "flange")
    assert robot.names == ("base", "arm", "hand", "finger")
    assert [(joint.name, joint.kind, joint.is_free, joint.mimics) for joint in robot.joints] == [
        ("turn", "continuous", True, None),
        ("slide", "prismatic", True, None),
        ("plate", "fixed", False, None),
        ("grip", "prismatic", False, "slide"),
    ]
    assert robot.joints[1].limits == (0.3, 3.0) and robot.joints[1].default == 0.3
    np.testing.assert_array_equal(robot.limits, [[-np.inf, 0.3], [np.inf, 3.0]])
    np.testing.assert_array_equal(robot.default, [0.0, 0.3])
    # The flange has no geometry: the finger is adjacent to the hand.
    assert set(robot.allowed) == {("base", "arm"), ("arm", "hand"), ("hand", "finger")}
    assert robot.checked_pairs == [("base", "hand"), ("base", "finger"), ("arm", "finger")]


def test_poses_follow_joints_and_mimics() -> None:
    robot = Robot.parse(ARM)
    poses = robot.poses({"slide": 1.0})
    np.testing.assert_array_equal(poses[robot.links.index("hand")], at(2, 0, 1))
    # 2 · 1 + 0.5
    np.testing.assert_array_equal(poses[robot.links.index("finger")], at(4.5, 0, 1))
    turned = robot.poses([math.pi / 2, 1.0])[robot.links.index("hand")]
    np.testing.assert_allclose(turned[:3, 3], [-1, 0, 0], atol=1e-15)
    many = robot.poses([[0.0, 1.0], [math.pi / 2, 1.0]])
    assert many.shape == (2, 5, 4, 4)
    np.testing.assert_array_equal(many[0], poses)
    np.testing.assert_array_equal(many[1, 2], turned)


def independent_poses(path: Path, values: dict[str, float]) -> dict[str, np.ndarray]:
    """Forward kinematics with nothing but numpy, from the text of the URDF file."""
    root = ElementTree.parse(path).getroot()

    def origin(element: ElementTree.Element | None) -> np.ndarray:
        pose = np.eye(4)
        if element is not None:
            roll, pitch, yaw = map(float, element.get("rpy", "0 0 0").split())
            turns = [(yaw, 2), (pitch, 1), (roll, 0)]
            for angle, axis in turns:
                pose[:3, :3] = pose[:3, :3] @ about(np.eye(3)[axis], angle)
            pose[:3, 3] = list(map(float, element.get("xyz", "0 0 0").split()))
        return pose

    def about(axis: np.ndarray, angle: float) -> np.ndarray:
        x, y, z = axis
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross

    poses: dict[str, np.ndarray] = {}
    joints = root.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    for link in root.findall("link"):
        if link.get("name") not in children:
            poses[link.get("name")] = np.eye(4)
    while len(poses) < len(root.findall("link")):
        for joint in joints:
            parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
            if parent in poses and child not in poses:
                element = joint.find("axis")
                axis = np.array([1.0, 0, 0] if element is None else list(map(float, element.get("xyz").split())))
                mimic = joint.find("mimic")
                value = values.get(joint.get("name"), 0.0)
                if mimic is not None:
                    value = values[mimic.get("joint")] * float(mimic.get("multiplier", 1)) + float(
                        mimic.get("offset", 0)
                    )
                motion = np.eye(4)
                if joint.get("type") in ("revolute", "continuous"):
                    motion[:3, :3] = about(axis / np.linalg.norm(axis), value)
                elif joint.get("type") == "prismatic":
                    motion[:3, 3] = axis / np.linalg.norm(axis) * value
                poses[child] = poses[parent] @ origin(joint.find("origin")) @ motion
    return poses


@pytest.mark.parametrize("make", [panda, laikago])
def test_poses_equal_independent_kinematics(data: Path, make) -> None:
    robot = make(data)
    path = next((data / "robots" / make.__name__).glob("*.urdf"))
    rows = random_rows(robot, 20, seed=1)
    poses = robot.poses(rows)
    for row, found in zip(rows, poses, strict=True):
        expected = independent_poses(path, dict(zip(robot.joint_names, row, strict=True)))
        for link, pose in zip(robot.links, found, strict=True):
            np.testing.assert_allclose(pose, expected[link], atol=1e-12, err_msg=f"{link} at {row.tolist()}")


# -- Checks ------------------------------------------------------------------------------------------------------------


def brute_force(robot: Robot, row: np.ndarray) -> set[tuple[str, str]]:
    """The pairs of links that collide: every face with every face, and a vertex of each mesh in the other."""
    poses = robot.part_poses(row)
    checked = set(robot.checked_pairs)
    shapes = [impinge.Shape(robot.mesh(part), "brute") for part, _ in robot.parts]
    found = set()
    for i, (_, a) in enumerate(robot.parts):
        for j, (_, b) in enumerate(robot.parts):
            if (a, b) not in checked:
                continue
            meets = impinge.intersects(shapes[i], shapes[j], poses[j], pose_a=poses[i])
            for x, y in ((i, j), (j, i)):
                if not meets and shapes[x].mesh.is_closed:
                    vertex = poses[y][:3, :3] @ shapes[y].mesh.vertices[0] + poses[y][:3, 3]
                    meets = bool(impinge.contains_point(shapes[x], vertex, pose=poses[x]) == 1)
            if meets:
                found.add((a, b))
    return found


@pytest.mark.parametrize(("make", "count", "seed"), [(panda, 150, 2), (laikago, 40, 3)])
def test_check_equals_brute_force(data: Path, make, count: int, seed: int) -> None:
    robot = make(data)
    rows = random_rows(robot, count, seed)
    found = robot.check(rows)
    assert found.shape == (count,) and found.dtype == np.bool_
    assert found.any() and not found.all(), f"seed {seed} has only one kind of answer"
    for row, collides in zip(rows, found, strict=True):
        expected = brute_force(robot, row)
        assert collides == bool(expected), f"seed {seed}: {row.tolist()}: {expected}"
        assert {hit.names for hit in robot.collisions(row)} == expected, f"seed {seed}: {row.tolist()}"


@pytest.mark.parametrize(("make", "count", "seed"), [(panda, 300, 4), (laikago, 40, 5)])
def test_check_agrees_with_verdicts(data: Path, make, count: int, seed: int) -> None:
    """The verdicts of clash checks: all but `touching` are collisions, and collisions have a verdict."""
    robot = make(data)
    rows = random_rows(robot, count, seed)
    found = robot.check(rows)
    verdicts: dict[int, set[str | None]] = {}
    for number, row in enumerate(rows):
        contacts = robot.check_motion(row, row).contacts
        verdicts[number] = {contact.verdict for contact in contacts}
    assert found.any() and not found.all(), f"seed {seed} has only one kind of answer"
    for number, collides in enumerate(found):
        listed = verdicts.get(number, set())
        if collides:
            assert listed, f"seed {seed}, row {number} collides, but no pair is listed: {rows[number].tolist()}"
        else:
            assert listed <= {"touching", "undecided"}, f"seed {seed}, row {number}: {listed}: {rows[number].tolist()}"


def test_answers_do_not_depend_on_threads_or_order(data: Path) -> None:
    robot = panda(data)
    rows = random_rows(robot, 3000, seed=6)
    expected = robot.check(rows, threads=1)
    for threads in (None, 2, 3):
        np.testing.assert_array_equal(robot.check(rows, threads=threads), expected)
    np.testing.assert_array_equal(robot.check(rows[::-1]), expected[::-1])
    np.testing.assert_array_equal(robot.check(np.asfortranarray(rows)), expected)
    one = robot.check(rows[0])
    assert one.shape == () and bool(one) == bool(expected[0])
    assert robot.check(np.empty((0, robot.dof))).shape == (0,)


def test_touching_counts_exactly() -> None:
    robot = Robot.parse(RAILS)
    # The boxes are 1 wide, so they touch at a distance of exactly 1.
    touching = robot.configuration({"z": 1.0})
    apart = robot.configuration({"z": math.nextafter(1.0, 2.0)})
    assert robot.checked_pairs == [("bed", "right"), ("bed", "mid"), ("left", "right")]
    assert bool(robot.check(touching)) and not robot.check(apart)
    assert bool(robot.check(apart, within=1e-12))
    assert not robot.check(robot.configuration({"z": 1.5}), within=0.4)
    assert bool(robot.check(robot.configuration({"z": 1.5}), within=0.5))
    hit = robot.collisions(touching, faces=True)[0]
    assert hit.names == ("left", "right") and not hit.is_inside
    assert hit.faces is not None and len(hit.faces) > 0


def test_inside_without_contact_is_a_collision() -> None:
    robot = Robot.parse(RAILS)
    robot.add_obstacle(cube(8.0), at(0, 0, 0), name="room")
    (hit,) = (hit for hit in robot.collisions(robot.configuration({"z": 2.0})) if "right" in hit.names)
    assert hit.names == ("right", "room") and hit.is_inside
    assert bool(robot.check(robot.configuration({"z": 2.0})))


def test_obstacles() -> None:
    robot = Robot.parse(ARM)
    free = [0.0, 1.0]
    assert not robot.check(free)
    name = robot.add_obstacle(cube(0.5), at(2, 0, 1))
    assert name == "obstacle 1" and name in robot.names
    assert {hit.names for hit in robot.collisions(free)} == {("hand", name)}
    robot.move_obstacle(name, at(2, 0, 5))
    assert not robot.check(free)
    robot.move_obstacle(name, at(2, 0, 1))
    robot.allow([(name, "hand")])
    assert not robot.check(free)
    robot.disallow([("hand", name)])
    assert bool(robot.check(free))
    robot.remove_obstacle(name)
    assert not robot.check(free) and robot.obstacles == {}
    robot.add_obstacle(impinge.Shape(cube(0.5), "brute"), at(2, 0, 1)[:3], name="post")
    assert bool(robot.check(free))
    with pytest.raises(ArgumentError, match="post"):
        robot.add_obstacle(cube(1.0), name="post")
    with pytest.raises(ArgumentError, match="base"):
        robot.add_obstacle(cube(1.0), name="base")
    with pytest.raises(ArgumentError, match="no obstacle 'wall'"):
        robot.remove_obstacle("wall")
    with pytest.raises(PoseError):
        robot.move_obstacle("post", np.eye(4) * 2)
    with pytest.raises(TypeError, match="Shape"):
        robot.add_obstacle("wall.stl")  # type: ignore[arg-type]


# -- Bad input ---------------------------------------------------------------------------------------------------------


def test_wrong_configurations_are_refused() -> None:
    robot = Robot.parse(ARM)
    for q, message in [
        ([0.0], r"shape \(1,\), not \(2,\) or \(n, 2\)"),
        (np.zeros((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((1, 2, 2)), r"shape \(1, 2, 2\)"),
        ([0.0, math.nan], r"q\[0\]: the value of the joint `slide` is NaN"),
        ([[0.0, 1.0], [math.inf, 1.0]], r"q\[1\]: the value of the joint `turn` is inf"),
        ({"elbow": 1.0}, "no joint 'elbow'; joints that can be set: turn, slide"),
        ({"grip": 1.0}, "'grip' cannot be set: it mimics 'slide'"),
        ({"plate": 1.0}, "'plate' cannot be set: it is fixed"),
        ("home", "not an array of numbers"),
        ([["a", "b"]], "not an array of numbers"),
    ]:
        for call in (robot.check, robot.poses, robot.part_poses):
            with pytest.raises(ArgumentError, match=message):
                call(q)
    with pytest.raises(ArgumentError, match=r"q\[1\].*range"):
        robot.check([[0.0, 1.0], [0.0, 1.7e308]])
    with pytest.raises(ArgumentError, match="one configuration"):
        robot.collisions([[0.0, 1.0]])
    with pytest.raises(ArgumentError, match="at least two"):
        robot.check_path([[0.0, 1.0]])
    with pytest.raises(ArgumentError, match="clearance"):
        robot.check_motion([0.0, 1.0], [0.0, 2.0], clearance=math.nan)
    with pytest.raises(ArgumentError):
        robot.check([0.0, 1.0], within=-1.0)
    with pytest.raises(ArgumentError, match="threads"):
        robot.check([[0.0, 1.0]], threads=0)
    for pairs in (["base"], [("base",)], [("base", "base")], [("base", "nobody")]):
        with pytest.raises(ArgumentError):
            robot.allow(pairs)  # type: ignore[arg-type]
    assert len(robot.allowed) == 3


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nobody.urdf"):
        Robot.load(tmp_path / "nobody.urdf")
    (tmp_path / "cube.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(FileError, match="no robot"):
        Robot.load(tmp_path / "cube.obj")
    (tmp_path / "bad.urdf").write_text("<robot><link></robot>")
    with pytest.raises(FileError, match="bad.urdf"):
        Robot.load(tmp_path / "bad.urdf")
    robot = Robot.parse(ARM)
    with pytest.raises(MissingFileError, match="nobody.srdf"):
        robot.load_srdf(tmp_path / "nobody.srdf")
    (tmp_path / "bad.srdf").write_text('<robot name="arm">\n<disable_collisions link1="base" link2="nobody"/></robot>')
    with pytest.raises(FileError, match="nobody"):
        robot.load_srdf(tmp_path / "bad.srdf")
    with pytest.raises(FileError, match=r"away.*cannot be written"):
        robot.save_srdf(tmp_path / "away" / "a.srdf")
    assert len(robot.allowed) == 3


# -- Allowed collisions ------------------------------------------------------------------------------------------------


def test_allowed_collisions_by_structure_geometry_and_samples(tmp_path: Path) -> None:
    robot = Robot.parse(
        RAILS.replace("prismatic", "revolute").replace("</joint>", '<limit lower="-1" upper="1"/></joint>')
    )
    found = robot.allowed_collisions(samples=500, seed=7)
    assert found.pairs[("bed", "left")] == "Adjacent" and ("bed", "left") in found.proven
    # They turn about one axis, one through the other: they overlap always.
    assert found.pairs[("left", "right")] == "Always" and ("left", "right") not in found.proven
    assert found.pairs[("bed", "right")] == "Never"
    assert found.checked == 0 and found.samples == 500 and found.seed == 7
    assert robot.allowed_collisions(samples=500, seed=7, threads=1) == found
    assert bool(robot.check(robot.default))
    robot.allow(found)
    assert not robot.check(robot.default)

    file = tmp_path / "rails.srdf"
    robot.save_srdf(file)
    again = pickle.loads(pickle.dumps(robot))
    again.disallow(again.allowed)
    again.load_srdf(file)
    assert again.allowed == robot.allowed
    robot.disallow([("right", "left")])
    assert robot.checked_pairs == [("left", "right")]
    with pytest.raises(ArgumentError, match="default_pose"):
        robot.allowed_collisions(default_pose="home")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="samples"):
        robot.allowed_collisions(samples=-1)


def test_srdf_enables_and_disables(tmp_path: Path) -> None:
    file = tmp_path / "arm.srdf"
    file.write_text(
        '<robot name="arm"><group name="kept"/><enable_collisions link1="arm" link2="base"/>'
        '<disable_collisions link1="finger" link2="base" reason="Never"/></robot>'
    )
    robot = Robot.parse(ARM)
    robot.load_srdf(file)
    assert robot.allowed == {
        ("base", "finger"): "Never",
        ("arm", "hand"): "Adjacent",
        ("hand", "finger"): "Adjacent",
    }
    assert ("base", "arm") in robot.checked_pairs
    robot.save_srdf(tmp_path / "new.srdf", keep=file)
    text = (tmp_path / "new.srdf").read_text()
    assert "<group" in text and "enable_collisions" in text and text.count("disable_collisions") == 3


def test_samples_see_what_the_panda_needs(data: Path) -> None:
    """Pairs that collide in a configuration are never called `Never`."""
    robot = Robot.load(data / "robots/panda/panda.urdf")
    found = robot.allowed_collisions(samples=3000, seed=8)
    never = {pair for pair, reason in found.pairs.items() if reason == "Never"}
    assert len(never) >= 10 and found.checked >= 10
    own = {hit.names for row in random_rows(robot, 300, seed=9) for hit in robot.collisions(row)}
    # With 95 % confidence a pair of `never` collides in less than one of 1000 configurations.
    assert len(own & never) <= 1, own & never


# -- Motions -----------------------------------------------------------------------------------------------------------


def test_first_contact_of_a_motion_is_found_where_it_is() -> None:
    robot = Robot.parse(RAILS)
    # From a distance of 3 to 0: the boxes touch at 1, after two thirds.
    start, end = robot.configuration({"z": 3.0}), robot.configuration({"z": 0.0})
    found = robot.check_motion(start, end)
    assert (found.status, found.is_clear) == ("collision", False)
    assert found.contact is not None
    assert found.contact.names == ("left", "right") and found.contact.verdict == "penetrating"
    assert 2 / 3 - 1e-5 < found.contact.fraction <= 2 / 3
    assert robot.check_motion(start, robot.configuration({"z": 1.1})).is_clear
    # It ends where the boxes touch: neither clear nor a collision.
    touching = robot.check_motion(start, robot.configuration({"z": 1.0}))
    assert touching.status == "not certified" and touching.contact is not None
    assert touching.contact.verdict == "touching"
    near = robot.check_motion(start, robot.configuration({"z": 1.1}), clearance=0.2)
    assert near.contact is not None and near.contact.verdict == "clearance"
    assert near.contact.fraction == pytest.approx(1.8 / 1.9, abs=1e-3)
    path = robot.check_path([start, robot.configuration({"z": 1.5}), end])
    assert path.contact is not None and path.contact.segment == 1
    assert path.contact.fraction == pytest.approx(1 / 3, abs=1e-5)
    begun = robot.check_motion(end, start).contact
    assert begun is not None and (begun.segment, begun.fraction) == (0, 0.0)
    with pytest.raises(TypeError, match="is_clear"):
        bool(found)


def test_thin_obstacles_are_not_jumped_over() -> None:
    robot = Robot.parse(ARM)
    sheet = impinge.Mesh([[1.9, -1, -0.5], [1.9, 1, -0.5], [1.9, 0, 0.5]], [[0, 1, 2]])
    robot.add_obstacle(sheet, name="sheet")
    robot.allow([("sheet", "base")])
    start, end = [0.3, 1.9], [-0.3, 1.9]
    assert not robot.check([start, end]).any()
    found = robot.check_motion(start, end)
    assert not found.is_clear and found.contact is not None and "sheet" in found.contact.names
    samples = np.linspace(start, end, 2001)
    hits = np.flatnonzero(robot.check(samples))
    assert hits.size > 0
    assert found.contact.fraction <= hits[0] / 2000 <= found.contact.fraction + 0.01


def test_certified_motions_are_clear_in_samples(data: Path) -> None:
    robot = panda(data)
    seed = 10
    rows = random_rows(robot, 60, seed)
    rows = rows[~robot.check(rows)][:30]
    clear = 0
    for start, end in itertools.pairwise(rows):
        found = robot.check_motion(start, start + (end - start) * 0.5)
        samples = robot.check(np.linspace(start, start + (end - start) * 0.5, 400))
        if found.is_clear:
            clear += 1
            assert not samples.any(), f"seed {seed}: {start.tolist()} to {end.tolist()}"
        elif samples.any():
            assert found.contact is not None
            first = np.flatnonzero(samples)[0] / 399
            assert found.contact.fraction <= first + 1e-9, f"seed {seed}: {start.tolist()} to {end.tolist()}"
    assert clear >= 5


# -- Python ------------------------------------------------------------------------------------------------------------


def test_pickles_do_not_need_the_files(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "panda"
    shutil.copytree(data / "robots/panda", folder)
    robot = Robot.load(folder / "panda.urdf", srdf=folder / "panda.srdf")
    robot.add_obstacle(cube(0.3), at(0.5, 0, 0.5), name="post")
    robot.allow([("post", "panda_link7")])
    kept = pickle.dumps(robot)
    rows = random_rows(robot, 500, seed=11)
    expected = robot.check(rows)
    shutil.rmtree(folder)
    again = pickle.loads(kept)
    assert again.allowed == robot.allowed and again.checked_pairs == robot.checked_pairs
    np.testing.assert_array_equal(again.check(rows), expected)
    np.testing.assert_array_equal(again.part_poses(rows[:20]), robot.part_poses(rows[:20]))
    assert pickle.loads(pickle.dumps(again)).joint_names == robot.joint_names
    results = (robot.check_motion(rows[0], rows[1]), robot.allowed_collisions(samples=10), robot.joints)
    assert pickle.loads(pickle.dumps(results)) == results


def test_calls_end_when_interrupted(data: Path) -> None:
    robot = panda(data)
    rows = np.tile(random_rows(robot, 1000, seed=12), (2000, 1))
    robot.check(rows[:10])

    def handler(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            robot.check(rows, threads=1)
        assert time.monotonic() - start < 2
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            robot.allowed_collisions(samples=50_000_000)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            robot.check_path(rows[:100_000])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_threads_of_python_share_a_robot() -> None:
    robot = Robot.parse(ARM)
    rows = random_rows(robot, 2000, seed=13)
    expected = robot.check(rows)
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            if not np.array_equal(robot.check(rows), expected):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_answers_equal_those_of_pinocchio_and_coal(data: Path) -> None:
    pin, coal = needs("pinocchio"), needs("coal")
    robot = panda(data)
    urdf = str(data / "robots/panda/panda.urdf")
    model = pin.buildModelFromUrdf(urdf)
    geometry = pin.buildGeomFromUrdf(model, urdf, pin.GeometryType.COLLISION, package_dirs=[str(data / "robots/panda")])
    # The same triangles: their reader mixes up the faces of files with several materials, such as link 6.
    for part, link in robot.parts:
        mesh, model_of = robot.mesh(part), coal.BVHModelOBBRSS()
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for vertex in mesh.vertices:
            points.append(np.array(vertex))
        for face in mesh.faces.tolist():
            triangles.append(coal.Triangle(*face))
        model_of.beginModel(len(triangles), len(points))
        model_of.addSubModel(points, triangles)
        model_of.endModel()
        geometry.geometryObjects[geometry.getGeometryId(f"{link}_0")].geometry = model_of
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, str(data / "robots/panda/panda.srdf"))
    assert len(geometry.collisionPairs) == len(robot.checked_pairs)
    # Their configurations have values of mimic joints, too.
    leaders = {joint.name: joint.mimics or joint.name for joint in robot.joints}
    columns = [robot.joint_names.index(leaders[name]) for name in list(model.names)[1:]]
    rows = random_rows(robot, 10_000, seed=14)
    model_data, geometry_data = model.createData(), geometry.createData()
    theirs = [pin.computeCollisions(model, model_data, geometry, geometry_data, row[columns], True) for row in rows]
    np.testing.assert_array_equal(robot.check(rows), theirs)
