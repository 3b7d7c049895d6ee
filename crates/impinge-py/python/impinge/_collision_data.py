"""What the collision manager returns: contacts and distances."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Name: TypeAlias = Any


class ContactData:
    """A contact: a face of one body that touches a face of another.

    Contacts of one place, where two bodies overlap, share `normal` and `depth`.
    """

    __slots__ = ("_depth", "_inds", "_normal", "_point", "names")

    def __init__(
        self, names: tuple[Name, Name], faces: tuple[int, int], point: Floats, normal: Floats, depth: float
    ) -> None:
        """Make a contact of the names and faces of two bodies."""
        #: The names of the two bodies: a set.
        self.names: set[Name] = set(names)
        self._inds = {names[0]: faces[0], names[1]: faces[1]}
        self._point = point
        self._normal = normal
        self._depth = depth

    @property
    def normal(self) -> Floats:
        """The direction into which the second body must be moved to end the overlap: a unit vector.

        The second body is the one whose name comes second in the result of `in_collision_internal` and
        `in_collision_other`, and the mesh that was given to `in_collision_single`.
        """
        return self._normal

    @property
    def point(self) -> Floats:
        """A point that both faces share: the middle of their intersection, rounded."""
        return self._point

    @property
    def depth(self) -> float:
        """How far the second body must be moved along the normal to end the overlap; 0 if the bodies only touch."""
        return self._depth

    def index(self, name: Name) -> int:
        """Return the index of the face of the body with this name."""
        return self._inds[name]

    def __eq__(self, other: object) -> bool:
        """Return whether names, faces, point, normal and depth are equal."""
        if not isinstance(other, ContactData):
            return NotImplemented
        arrays = ((self._point, other._point), (self._normal, other._normal))
        return self._key() == other._key() and all(np.array_equal(a, b) for a, b in arrays)

    def __hash__(self) -> int:
        """Return the hash of names, faces and depth."""
        return hash(self._key())

    def _key(self) -> tuple[frozenset[tuple[Name, int]], float]:
        return frozenset(self._inds.items()), self._depth

    def __repr__(self) -> str:
        """Return faces, names and depth."""
        faces = " and ".join(f"face {face} of {name!r}" for name, face in self._inds.items())
        return f"ContactData({faces}, depth {self._depth:.6g})"


class DistanceData:
    """The distance between two bodies, and where it is attained."""

    __slots__ = ("_distance", "_inds", "_points", "names")

    def __init__(self, names: tuple[Name, Name], faces: tuple[int, int], points: Floats, distance: float) -> None:
        """Make a distance of the names, faces and points of two bodies."""
        #: The names of the two bodies: a set.
        self.names: set[Name] = set(names)
        self._inds = {names[0]: faces[0], names[1]: faces[1]}
        self._points: dict[Name, Floats] = {names[0]: points[0], names[1]: points[1]}
        self._distance = distance

    @property
    def distance(self) -> float:
        """The distance: 0 if the bodies collide, and less for two convex ones."""
        return self._distance

    def index(self, name: Name) -> int:
        """Return the index of the nearest face of the body with this name."""
        return self._inds[name]

    def point(self, name: Name) -> Floats:
        """Return the nearest point of the body with this name, in world coordinates."""
        return self._points[name]

    def __eq__(self, other: object) -> bool:
        """Return whether names, faces, points and distance are equal."""
        if not isinstance(other, DistanceData):
            return NotImplemented
        # Without bodies, the points are not numbers.
        return self._key() == other._key() and all(
            np.array_equal(point, other._points[name], equal_nan=True) for name, point in self._points.items()
        )

    def __hash__(self) -> int:
        """Return the hash of names, faces and distance."""
        return hash(self._key())

    def _key(self) -> tuple[frozenset[tuple[Name, int]], float]:
        return frozenset(self._inds.items()), self._distance

    def __repr__(self) -> str:
        """Return distance and names."""
        names = " and ".join(repr(name) for name in self._inds)
        return f"DistanceData({self._distance:.6g} between {names})"
