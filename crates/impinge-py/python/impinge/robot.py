"""Robots: collisions of a URDF robot with itself and with obstacles, in many configurations at once.

>>> import impinge, numpy as np
>>> robot = impinge.Robot.parse('''<robot name="lift">
...   <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
...   <link name="arm"><collision><geometry><box size="3 1 1"/></geometry></collision></link>
...   <link name="hand"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
...   <joint name="up" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
...     <limit lower="0" upper="4"/></joint>
...   <joint name="down" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 -1"/>
...     <limit lower="0" upper="4"/></joint></robot>''')
>>> robot.joint_names
('up', 'down')
>>> robot.check([[3.0, 0.5], [3.0, 2.5]])
array([False,  True])
>>> [hit.names for hit in robot.collisions({"up": 3.0, "down": 2.5})]
[('base', 'hand')]
>>> robot.check_motion([3.0, 0.5], [3.0, 2.5])
MotionCheck('collision', contact of 'base' and 'hand' at segment 0, fraction 0.7500)
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from impinge._errors import ArgumentError, FileError, MissingFileError
from impinge._impinge import Mesh, RobotChecker, RobotCore, Shape
from impinge._numbers import numbers
from impinge._robot_data import AllowedCollisions, Collision, Joint, MotionCheck, MotionContact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    PathLike: TypeAlias = str | os.PathLike[str]

__all__ = ["AllowedCollisions", "Collision", "Joint", "MotionCheck", "MotionContact", "Robot"]


class Robot:
    """A robot of a URDF file, with obstacles around it.

    A configuration `q` is an array of joint values, in radians and metres, in the order of `joint_names`, or a dictionary
    of names and values; joints that are not in the dictionary have their default value. Mimic joints follow. Limits are
    not checked.

    **What counts as a collision.** Two links, or a link and an obstacle, collide if their surfaces share a point, or if
    a connected piece of one lies inside the other. Both decisions are exact, for the triangles as they are placed.
    With `within`, they also collide if their surfaces are at most that far apart.

    **What is checked.** All pairs of links, and all pairs of a link and an obstacle, but for allowed pairs. In the
    beginning, allowed are: links that a joint connects (links without geometry in between do not count), and what an SRDF
    file says. `allow` and `disallow` change it. Two obstacles are never checked.

    All methods may be called from several threads at once.
    """

    def __init__(self, core: RobotCore) -> None:
        # `Robot.load`, `Robot.parse` and `_restore` call this.
        self._core = core
        self._lock = threading.RLock()
        self._obstacles: dict[str, tuple[Shape | Mesh, NDArray[np.float64]]] = {}
        self._checker: RobotChecker | None = None
        self._link_names = tuple(name for name, _ in core.links)
        self._joints = tuple(Joint(*row) for row in core.joints)
        self._free = tuple(self._joints[number] for number in core.free_joints)
        self._columns = {joint.name: column for column, joint in enumerate(self._free)}
        self._allowed: dict[tuple[str, str], str] = {}
        self._take_over(core.allowed(None))

    # -- Reading ------------------------------------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        packages: Iterable[PathLike] = (),
        srdf: PathLike | None = None,
        obstacles: Mapping[str, Shape | Mesh | tuple[Shape | Mesh, ArrayLike]] | None = None,
    ) -> Robot:
        """Reads a URDF file and the meshes of its collision elements.

        `packages` are folders in which packages (``package://…``) are looked for first. `srdf` is a file with pairs of
        links that are not checked; an SRDF file is only used if it is given. `obstacles` are shapes or meshes by name,
        each alone or with its pose.
        """
        folders: list[PathLike] = [packages] if isinstance(packages, str | os.PathLike) else list(packages)
        robot = cls(RobotCore.load(path, folders))
        if srdf is not None:
            robot.load_srdf(srdf)
        for name, obstacle in (obstacles or {}).items():
            shape, pose = obstacle if isinstance(obstacle, tuple) else (obstacle, None)
            robot.add_obstacle(shape, pose, name=name)
        return robot

    @classmethod
    def parse(cls, urdf: str | bytes) -> Robot:
        """Makes a robot of the text of a URDF file that uses no mesh files."""
        return cls(RobotCore.parse(urdf.encode() if isinstance(urdf, str) else urdf))

    # -- Structure ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the robot."""
        return self._core.name

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints, in the order of the file; those that a configuration has values for are `is_free`."""
        return self._joints

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints that a configuration has values for, in its order."""
        return tuple(joint.name for joint in self._free)

    @property
    def dof(self) -> int:
        """The number of values of a configuration."""
        return len(self._free)

    @property
    def limits(self) -> NDArray[np.float64]:
        """The smallest and the largest values of a configuration: an array of shape (2, dof), infinite without limits."""
        free = (-np.inf, np.inf)
        rows = [joint.limits or free for joint in self._free]
        return np.array(rows, dtype=np.float64).reshape(-1, 2).T.copy()

    @property
    def default(self) -> NDArray[np.float64]:
        """The default configuration: every joint at 0, or at the limit nearest to 0."""
        return np.array([joint.default for joint in self._free], dtype=np.float64)

    @property
    def links(self) -> tuple[str, ...]:
        """The names of all links, in the order of `poses`."""
        return self._link_names

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The collision elements: the name of each part and of its link, in the order of `part_poses`."""
        return tuple((name, self._link_names[link]) for name, link in self._core.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of everything that can collide: links with geometry, then obstacles."""
        links = tuple(name for name, has_geometry in self._core.links if has_geometry)
        with self._lock:
            return links + tuple(self._obstacles)

    def mesh(self, part: str) -> Mesh:
        """The mesh of a part, to be placed by its pose of `part_poses`."""
        names = [name for name, _ in self._core.parts]
        if part not in names:
            raise ArgumentError(f"the robot has no part {part!r}; its parts are {', '.join(names)}")
        return self._core.mesh(names.index(part))

    # -- Configurations -----------------------------------------------------------------------------------------------

    def configuration(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """The configuration with these values by name; all other joints have their default value."""
        q = self.default
        for name, value in values.items():
            if name not in self._columns:
                raise ArgumentError(self._unknown_joint(name))
            number = numbers(f"the value of the joint {name!r}", value)
            if number.shape != () or not np.isfinite(number):
                raise ArgumentError(f"the value of the joint {name!r} is {value}, not a finite number")
            q[self._columns[name]] = number
        return q

    def _unknown_joint(self, name: str) -> str:
        joint = next((joint for joint in self._joints if joint.name == name), None)
        if joint is not None and joint.mimics is not None:
            return f"the joint {name!r} cannot be set: it mimics {joint.mimics!r}"
        if joint is not None:
            return f"the joint {name!r} cannot be set: it is {joint.kind}"
        return f"the robot has no joint {name!r}; joints that can be set: {', '.join(self.joint_names)}"

    def _rows(self, q: ArrayLike | Mapping[str, float]) -> tuple[NDArray[np.float64], bool]:
        """The rows of an argument, and whether it is one configuration."""
        if isinstance(q, Mapping):
            return self.configuration(q)[None], True
        rows = numbers("q", q)
        if rows.shape == (self.dof,):
            return rows[None], True
        if rows.ndim == 2 and rows.shape[1] == self.dof:
            return rows, False
        raise ArgumentError(f"q has the shape {rows.shape}, not ({self.dof},) or (n, {self.dof})")

    def _one(self, name: str, q: ArrayLike | Mapping[str, float]) -> NDArray[np.float64]:
        rows, is_one = self._rows(q)
        if not is_one:
            raise ArgumentError(f"{name} has the shape {rows.shape}, not ({self.dof},): one configuration is needed")
        return rows

    def poses(self, q: ArrayLike | Mapping[str, float]) -> NDArray[np.float64]:
        """The poses of all links (forward kinematics): an array of shape (links, 4, 4), or (n, links, 4, 4) for many
        configurations. The pose of a link places its origin in the frame of the robot's first link."""
        rows, is_one = self._rows(q)
        poses = self._core.poses(rows, False)
        return poses[0] if is_one else poses

    def part_poses(self, q: ArrayLike | Mapping[str, float]) -> NDArray[np.float64]:
        """The poses that place the meshes of all parts: an array of shape (parts, 4, 4) or (n, parts, 4, 4)."""
        rows, is_one = self._rows(q)
        poses = self._core.poses(rows, True)
        return poses[0] if is_one else poses

    # -- Checks -------------------------------------------------------------------------------------------------------

    def check(
        self, q: ArrayLike | Mapping[str, float], *, within: float | None = None, threads: int | None = None
    ) -> NDArray[np.bool_]:
        """Which configurations have a collision that is not allowed.

        For an array of shape (n, dof) the answer has the shape (n,); for one configuration it has the shape (). The
        interpreter is released, and all cores are used; `threads` limits them.
        """
        rows, is_one = self._rows(q)
        found = self._prepared().check(rows, within, 1 if is_one and threads is None else threads)
        return found.reshape(()) if is_one else found

    def collisions(
        self, q: ArrayLike | Mapping[str, float], *, within: float | None = None, faces: bool = False
    ) -> list[Collision]:
        """All collisions of one configuration that are not allowed; with `faces`, also which faces touch."""
        found = self._prepared().collisions(self._one("q", q), within, faces)
        return [
            Collision(names, parts, is_inside, touching if faces else None)
            for names, parts, is_inside, touching in found
        ]

    def check_motion(
        self,
        start: ArrayLike | Mapping[str, float],
        end: ArrayLike | Mapping[str, float],
        *,
        clearance: float = 0.0,
        threads: int | None = 1,
    ) -> MotionCheck:
        """Whether the robot is clear on its way from one configuration to another, with joint values that change linearly.

        Nothing is sampled where the answer is ``clear``: it is proven for all configurations on the way.
        """
        path = np.concatenate([self._one("start", start), self._one("end", end)])
        return self.check_path(path, clearance=clearance, threads=threads)

    def check_path(self, path: ArrayLike, *, clearance: float = 0.0, threads: int | None = None) -> MotionCheck:
        """The same for a path through many configurations, an array of shape (n, dof) with at least two rows.

        With a `clearance`, pairs that come closer than that are contacts, too, with the verdict ``clearance``.
        """
        rows, is_one = self._rows(path)
        if is_one or len(rows) < 2:
            raise ArgumentError(f"a path needs at least two configurations; it has the shape {np.shape(path)}")
        if not (np.isfinite(clearance) and clearance >= 0):
            raise ArgumentError(f"clearance is a length, not {clearance}")
        at, after, open_names = self._prepared().check_path(rows, float(clearance), threads)
        contacts = [
            MotionContact(min(row, len(rows) - 2), float(row == len(rows) - 1), names, verdict, verdict != "undecided")
            for row, names, verdict in at
        ]
        contacts += [
            MotionContact(segment, fraction, names, verdict, doubt is None)
            for segment, fraction, names, verdict, doubt in after
        ]
        contacts.sort(key=lambda contact: (contact.segment, contact.fraction))
        return MotionCheck(tuple(contacts), tuple(open_names))

    def _prepared(self) -> RobotChecker:
        with self._lock:
            if self._checker is None:
                obstacles = [(name, shape, pose) for name, (shape, pose) in self._obstacles.items()]
                self._checker = self._core.checker(obstacles, list(self._allowed))
            return self._checker

    # -- Obstacles ----------------------------------------------------------------------------------------------------

    @property
    def obstacles(self) -> dict[str, tuple[Shape | Mesh, NDArray[np.float64]]]:
        """The obstacles: shape and pose by name. A copy."""
        with self._lock:
            return dict(self._obstacles)

    def add_obstacle(self, shape: Shape | Mesh, pose: ArrayLike | None = None, *, name: str | None = None) -> str:
        """Adds something that the robot must not hit, and returns its name."""
        if not isinstance(shape, Shape | Mesh):
            raise TypeError(f"shape is a {type(shape).__name__}, not an impinge.Shape or impinge.Mesh")
        if not isinstance(name, str | None):
            raise TypeError(f"name is a {type(name).__name__}, not a str")
        matrix = RobotCore.pose(pose)
        with self._lock:
            if name is None:
                numbers = itertools.count(len(self._obstacles) + 1)
                name = next(new for number in numbers if (new := f"obstacle {number}") not in self._obstacles)
            if name in self._obstacles or name in self._link_names:
                raise ArgumentError(f"there is a link or an obstacle with the name {name!r} already")
            self._obstacles[name] = (shape, matrix)
            self._checker = None
        return name

    def move_obstacle(self, name: str, pose: ArrayLike | None) -> None:
        """Moves an obstacle."""
        matrix = RobotCore.pose(pose)
        with self._lock:
            shape, _ = self._obstacle(name)
            self._obstacles[name] = (shape, matrix)
            self._checker = None

    def remove_obstacle(self, name: str) -> None:
        """Removes an obstacle."""
        with self._lock:
            self._obstacle(name)
            del self._obstacles[name]
            self._allowed = {pair: reason for pair, reason in self._allowed.items() if name not in pair}
            self._checker = None

    def _obstacle(self, name: str) -> tuple[Shape | Mesh, NDArray[np.float64]]:
        if name not in self._obstacles:
            raise ArgumentError(f"there is no obstacle {name!r}; obstacles: {', '.join(self._obstacles) or 'none'}")
        return self._obstacles[name]

    # -- Allowed collisions -------------------------------------------------------------------------------------------

    @property
    def allowed(self) -> dict[tuple[str, str], str]:
        """The pairs that are not checked, with the reason. A copy."""
        with self._lock:
            return dict(self._allowed)

    @property
    def checked_pairs(self) -> list[tuple[str, str]]:
        """The pairs of links, or of a link and an obstacle, that are checked."""
        return list(dict.fromkeys(self._ordered(pair) for pair in self._prepared().pairs))

    def _ordered(self, pair: tuple[str, str]) -> tuple[str, str]:
        """A pair in the order of the links; obstacles come after links."""
        numbers = {name: number for number, name in enumerate(self._link_names)}
        a, b = sorted(pair, key=lambda name: (numbers.get(name, len(numbers)), name))
        return a, b

    def _pairs(self, pairs: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
        found = []
        for pair in pairs:
            if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
                raise ArgumentError(f"{pair!r} is not a pair of two names")
            for name in pair:
                if name not in self._link_names and name not in self._obstacles:
                    raise ArgumentError(f"there is no link or obstacle {name!r}; there are {', '.join(self.names)}")
            found.append(self._ordered((pair[0], pair[1])))
        return found

    def allow(
        self, pairs: AllowedCollisions | Mapping[tuple[str, str], str] | Iterable[Sequence[str]], reason: str = "User"
    ) -> None:
        """Leaves pairs of links, or of a link and an obstacle, out of all checks from now on.

        Takes pairs of names, a dictionary of pairs and reasons, or what `allowed_collisions` has returned.
        """
        if isinstance(pairs, AllowedCollisions):
            pairs = pairs.pairs
        with self._lock:
            reasons = list(pairs.values()) if isinstance(pairs, Mapping) else None
            found = self._pairs(pairs)
            self._allowed.update(zip(found, reasons or [reason] * len(found), strict=True))
            self._checker = None

    def disallow(self, pairs: Iterable[Sequence[str]]) -> None:
        """Checks pairs again that were allowed, also adjacent ones."""
        with self._lock:
            for pair in self._pairs(pairs):
                self._allowed.pop(pair, None)
            self._checker = None

    def allowed_collisions(
        self,
        *,
        samples: int = 10_000,
        seed: int = 0,
        default_pose: Literal["touching", "colliding", "ignored"] = "touching",
        threads: int | None = None,
    ) -> AllowedCollisions:
        """Computes which pairs of links need no check: the allowed-collision matrix. Does not change the robot.

        ============ ==================================================================================================
        ``Adjacent``  A joint connects the links. From the robot's structure.
        ``Always``    They collide in every configuration. Proven if no joint moves them relative to each other.
        ``Default``   They touch in the default configuration (or collide in it, with ``default_pose="colliding"``).
        ``Never``     They collide in no configuration. Proven if no joint moves them relative to each other; otherwise in
                      none of the samples: with 95 % confidence in less than 3 / samples of all configurations.
        ============ ==================================================================================================

        Obstacles are not considered.
        """
        for argument, value in (("samples", samples), ("seed", seed)):
            if not 0 <= value < 2**64:
                raise ArgumentError(f"{argument} is from 0 to 2**64 - 1, not {value}")
        rows, checked, unlimited = self._core.matrix(samples, seed, default_pose, threads)
        names = self._link_names
        pairs = {(names[a], names[b]): reason for a, b, reason, _ in rows}
        proven = frozenset((names[a], names[b]) for a, b, _, is_proven in rows if is_proven)
        return AllowedCollisions(pairs, proven, checked, tuple(unlimited), samples, seed)

    def _take_over(self, rows: list[tuple[int, int, str]]) -> None:
        for a, b, reason in rows:
            self._allowed[self._link_names[a], self._link_names[b]] = reason

    def load_srdf(self, path: PathLike) -> None:
        """Takes over the pairs of links of an SRDF file: those that it disables are allowed, and those that it enables
        are checked. Whatever was allowed for pairs of links before is replaced."""
        rows = self._core.allowed((_bytes_of(path), path))
        with self._lock:
            obstacles = self._obstacles
            self._allowed = {pair: why for pair, why in self._allowed.items() if pair[1] in obstacles}
            self._take_over(rows)
            self._checker = None

    def save_srdf(self, path: PathLike, *, keep: PathLike | None = None) -> None:
        """Writes the allowed pairs of links to an SRDF file, for planners such as MoveIt.

        With `keep`, everything else of that file is kept: groups, states, comments. Pairs with obstacles are not written.
        """
        with self._lock:
            pairs = [(a, b, why) for (a, b), why in self._allowed.items() if b not in self._obstacles]
        old = None if keep is None else (_bytes_of(keep), keep)
        text = self._core.srdf_text(sorted(pairs), "Allowed collisions, written by impinge", old)
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(f"{path}: cannot be written: {error.strerror}") from error

    # -- Python -------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        counts = f"{self.dof} degrees of freedom, {len(self._link_names)} links, {len(self._obstacles)} obstacles"
        return f"Robot({self.name!r}, {counts})"

    def __reduce__(self) -> tuple[object, ...]:
        with self._lock:
            state = (self._core, dict(self._allowed), dict(self._obstacles))
        return _restore, state


def _bytes_of(path: PathLike) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(f"{path}: there is no such file") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error


def _restore(
    core: RobotCore,
    allowed: dict[tuple[str, str], str],
    obstacles: dict[str, tuple[Shape | Mesh, NDArray[np.float64]]],
) -> Robot:
    """Makes a robot again from what was pickled."""
    robot = Robot(core)
    robot._allowed = dict(allowed)
    robot._obstacles = dict(obstacles)
    return robot
