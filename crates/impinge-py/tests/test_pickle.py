"""Every public class can be pickled and copied."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impinge
import impinge.collision
import impinge.ray
from meshes import cube, poses, shift, sphere
from test_nc import PATH, block

ROBOT = """<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="hand"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="slide" type="prismatic">
    <parent link="base"/><child link="hand"/><axis xyz="1 0 0"/><limit lower="0" upper="4" effort="1" velocity="1"/>
  </joint>
</robot>"""
MACHINE = """G21 G90
G0 X-10 Y25 Z5 A0 C0
G1 X25 Y25 Z-1.5 A10 C20 F100
G1 X60 Z5 A0 C40
"""


def assembly() -> impinge.Assembly:
    made = impinge.Assembly(units="mm")
    made.add("cube", cube(), group=["left"], id="A1")
    made.add("cube", cube(), shift(0.5), group=["right"])
    made.add("ball", sphere(200, 0.4), shift(0.5, 0.5, 0.5), group=["right"])
    return made


def clash_report() -> impinge.ClashReport:
    return impinge.clash(assembly(), clearance="1mm", allow="fit")


def path_report() -> impinge.PathReport:
    path = np.stack([shift(-4), shift(0), shift(4, 1)])
    return impinge.clash_path(assembly(), "left", path, times=[0, 1, 3])


def nc_report() -> impinge.NcReport:
    return impinge.nc(block(), PATH, tool="bull:d=6,r=1,length=20", fixtures=[block(0.2)])


def robot(folder: Path) -> impinge.Robot:
    path = folder / "arm.urdf"
    path.write_text(ROBOT)
    return impinge.Robot.load(path)


def world() -> impinge.World:
    made = impinge.World()
    for place in (0, 0.5):
        made.add(cube(), shift(place))
    return made


def manager() -> impinge.collision.CollisionManager:
    made = impinge.collision.CollisionManager()
    made.add_object("a", cube())
    made.add_object("b", cube(), shift(0.5))
    return made


def contact_data() -> Any:
    return manager().in_collision_internal(return_data=True)[1][0]


def distance_data() -> Any:
    apart = impinge.collision.CollisionManager()
    apart.add_object("a", cube())
    apart.add_object("b", cube(), shift(2))
    return apart.min_distance_internal(return_data=True)[1]


def motion(folder: Path) -> impinge.MotionCheck:
    arm = robot(folder)
    arm.add_obstacle(cube(), shift(3), name="wall")
    return arm.check_motion([0], [4])


#: An object of each public class.
EXAMPLES: dict[type, Callable[[Path], Any]] = {
    impinge.AllowedCollisions: lambda folder: robot(folder).allowed_collisions(samples=100),
    impinge.Assembly: lambda _: assembly(),
    impinge.Clash: lambda _: clash_report()[0],
    impinge.ClashReport: lambda _: clash_report(),
    impinge.Collision: lambda folder: impinge.Collision(("a", "b"), ("a", "b"), True),
    impinge.ContactLists: lambda _: impinge.contacts(cube(), cube(), poses(20, 1.0, 1)),
    impinge.Distance: lambda _: impinge.distance(cube(), cube(), shift(2)),
    impinge.Gouge: lambda _: nc_report()[0],
    impinge.Impact: lambda _: impinge.first_impact(cube(), cube(), shift(2), shift(0)),
    impinge.Joint: lambda folder: robot(folder).joints[0],
    impinge.Mesh: lambda _: cube(),
    impinge.MotionCheck: motion,
    impinge.MotionContact: lambda folder: motion(folder).contacts[0],
    impinge.NcReport: lambda _: nc_report(),
    impinge.Pair: lambda _: impinge.Pair(cube(), cube()),
    impinge.Part: lambda _: assembly().part(0),
    impinge.PathClash: lambda _: path_report()[0],
    impinge.PathReport: lambda _: path_report(),
    impinge.Robot: robot,
    impinge.Shape: lambda _: impinge.Shape(cube()),
    impinge.Step: lambda _: world().step(),
    impinge.World: lambda _: world(),
    impinge.collision.CollisionManager: lambda _: manager(),
    impinge.collision.CollisionObject: lambda _: impinge.collision.CollisionManager().add_object("a", cube()),
    impinge.collision.ContactData: lambda _: contact_data(),
    impinge.collision.DistanceData: lambda _: distance_data(),
}


def public_classes() -> set[type]:
    modules = (impinge, impinge.collision, impinge.robot, impinge.sources, impinge.ray)
    names = [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]
    return {value for value in names if inspect.isclass(value)}


def test_every_public_class_has_an_example() -> None:
    exceptions = {kind for kind in public_classes() if issubclass(kind, BaseException)}
    assert public_classes() - exceptions == set(EXAMPLES)
    for kind in exceptions:
        again = pickle.loads(pickle.dumps(kind("a text")))
        assert type(again) is kind and str(again) == "a text"


def described(value: Any, depth: int = 2) -> Any:
    """All public attributes of an object, to be compared with those of its copy."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (str, int, float, bytes, type(None), type)) or depth == 0:
        return value if isinstance(value, (str, int, float, bytes)) else type(value)
    if isinstance(value, dict):
        return {str(key): described(each, depth) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        # Sets have no order: that of a copy may differ.
        return sorted((described(each, depth) for each in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [described(each, depth) for each in value]
    names = [name for name in dir(value) if not name.startswith("_")]
    attributes = {name: getattr(value, name) for name in names}
    return repr(value), {name: described(each, depth - 1) for name, each in attributes.items() if not callable(each)}


def copies(value: Any) -> list[Any]:
    pickles = [pickle.dumps(value, protocol) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    return [*map(pickle.loads, pickles), copy.copy(value), copy.deepcopy(value)]


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_copies_are_equal(kind: type, tmp_path: Path) -> None:
    value = EXAMPLES[kind](tmp_path)
    assert type(value) is kind
    for again in copies(value):
        assert type(again) is kind
        if "object at 0x" not in repr(value):
            assert described(again) == described(value)


#: The classes whose objects are not compared by their contents.
WITHOUT_EQUALITY = {
    impinge.Assembly,
    impinge.ContactLists,
    impinge.Pair,
    impinge.Part,
    impinge.Robot,
    impinge.Shape,
    impinge.World,
    impinge.collision.CollisionManager,
    impinge.collision.CollisionObject,
}


@pytest.mark.parametrize("kind", EXAMPLES.keys() - WITHOUT_EQUALITY, ids=lambda kind: kind.__name__)
def test_copies_of_results_compare_equal(kind: type, tmp_path: Path) -> None:
    value = EXAMPLES[kind](tmp_path)
    for again in copies(value):
        assert again == value and (again != value) is False
        if kind.__hash__ is not None:
            assert hash(again) == hash(value)
    assert value != "something else" and value is not None


def test_a_copy_of_an_assembly_takes_further_parts() -> None:
    made = impinge.Assembly(name="bench", units="in", up="y")
    made.add("a", ball := sphere(200, 1), np.diag([2.0, 1, -1, 1]), group=["left", "top"], id="A", kind="IfcWall")
    made.add("b", cube(), shift(3), rounding=1e-3, deviation=0.01)
    made.add("b", ball, shift(4), deviation=np.linspace(0, 0.1, len(ball)))
    expected = [*made.parts]
    for again in copies(made):
        assert again.units == "in" and again.paths == made.paths == ["left/top/a", "b", "b#2"]
        for part, copied in zip(expected, again.parts, strict=True):
            assert described(copied) == described(part)
            assert copied.mesh == part.mesh
        again.add("c", cube(), shift(3.5))
        assert len(again) == 4 and len(made) == 3
    made.add("c", cube(), shift(3.5))
    report = impinge.clash(made)
    assert len(report) > 0 and report == impinge.clash(again) and report.json() == impinge.clash(again).json()


def test_parts_of_a_copied_assembly_share_their_mesh() -> None:
    made, ball = impinge.Assembly(), sphere(20_000, 1)
    for number in range(10):
        made.add("ball", ball, shift(3 * number))
    assert len(pickle.dumps(made)) < 1.1 * len(pickle.dumps(ball)) + 10_000


def test_a_loaded_assembly_takes_no_further_parts(tmp_path: Path) -> None:
    cube().save(tmp_path / "cube.stl")
    loaded = impinge.Assembly.load(tmp_path / "cube.stl")
    for again in (loaded, *copies(loaded)):
        with pytest.raises(impinge.ArgumentError, match="was loaded"):
            again.add("more", cube())


def files(report: Any, folder: Path, kinds: str) -> dict[str, bytes]:
    """The files that a report writes."""
    written = {}
    for kind in kinds.split():
        path = folder / f"report.{kind}"
        report.save(path)
        written[kind] = path.read_bytes()
    return {**written, "json()": report.json().encode(), "html()": report.html().encode()}


def test_copies_of_a_clash_report_write_the_same_files(tmp_path: Path) -> None:
    first, review = tmp_path / "first.json", tmp_path / "review.json"
    earlier = impinge.Assembly(units="mm")
    for name, group, place in (("cube", "left", 0), ("cube", "right", 0.7), ("gone", "left", 0.9)):
        earlier.add(name, cube(), shift(place), group=[group], id="A1" if place == 0 else None)
    impinge.clash(earlier).save(first)
    impinge.clash(earlier).save_review(review)
    report = impinge.clash(assembly(), baseline=first, review=review, totals=True, clearance="1mm", limit=2)
    assert len(report) == 2 and report.counts["penetrating"] + report.counts["inside"] > 1
    expected = files(report, tmp_path, "json csv html glb png")
    written = json.loads(expected["json"])
    assert written["resolved"] and {clash["status"] for clash in written["clashes"]} > {"new"}, written
    for again in copies(report):
        assert files(again, tmp_path, "json csv html glb png") == expected
        again.save_review(tmp_path / "again.json")
        report.save_review(tmp_path / "once.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "once.json").read_bytes()


def test_copies_of_a_path_report_write_the_same_files(tmp_path: Path) -> None:
    report = path_report()
    assert len(report) > 0
    expected = files(report, tmp_path, "json csv html")
    for again in copies(report):
        assert files(again, tmp_path, "json csv html") == expected


@pytest.mark.parametrize("machine", [False, True])
def test_copies_of_an_nc_report_write_the_same_files(machine: bool, tmp_path: Path) -> None:
    options: dict[str, Any] = {"machine": "xyzac"} if machine else {"fixtures": [block(0.2)]}
    report = impinge.nc(block(), MACHINE if machine else PATH, tool="ball:d=6,length=20", **options)
    assert len(report) > 0
    expected = files(report, tmp_path, "json csv html glb")
    for again in copies(report):
        assert files(again, tmp_path, "json csv html glb") == expected


def test_items_share_their_report() -> None:
    report = clash_report()
    items = list(report) * 10
    assert len(pickle.dumps(items)) < 1.2 * len(pickle.dumps(report)) + 100 * len(items)
    again = pickle.loads(pickle.dumps(items))
    assert [repr(item) for item in again] == [repr(item) for item in items]


@pytest.mark.parametrize("make", [clash_report, path_report, nc_report])
def test_a_manipulated_pickle_is_refused(make: Callable[[], Any]) -> None:
    restore, state = make().__reduce__()

    def cut(value: Any) -> Any:
        """The last bytes of the state, without their end."""
        if isinstance(value, bytes):
            return value[: len(value) // 2]
        if isinstance(value, tuple):
            at = max(number for number, each in enumerate(value) if isinstance(each, (bytes, tuple)))
            return (*value[:at], cut(value[at]), *value[at + 1 :])
        return value

    with pytest.raises(impinge.ArgumentError):
        restore(*cut(state))
