"""What robots are asked about and return: joints, collisions, motions, allowed collisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Joint:
    """A joint of a robot."""

    name: str
    #: ``fixed``, ``revolute``, ``continuous``, ``prismatic``, ``planar`` or ``floating``.
    kind: str
    #: The smallest and the largest value, in radians or metres; `None` without limits.
    limits: tuple[float, float] | None
    #: The value where a configuration has none: 0, or the limit nearest to 0.
    default: float
    #: The name of the joint that this joint follows.
    mimics: str | None
    #: The name of the link that carries the joint.
    parent: str
    #: The name of the link that the joint moves.
    child: str

    @property
    def is_free(self) -> bool:
        """Whether a configuration has a value for the joint: it turns or slides, and follows no other joint."""
        return self.kind in ("revolute", "continuous", "prismatic") and self.mimics is None


@dataclass(frozen=True, eq=False)
class Collision:
    """Two links, or a link and an obstacle, that collide in a configuration."""

    #: The names of the links or obstacles.
    names: tuple[str, str]
    #: The names of their parts: a link with several collision elements has several parts.
    parts: tuple[str, str]
    #: Whether a piece of one lies inside the other, and the surfaces do not meet.
    is_inside: bool
    #: The faces that touch, an array of shape (n, 2); `None` unless they were asked for.
    faces: NDArray[np.uint32] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collision):
            return NotImplemented
        return self._key() == other._key() and _are_equal(self.faces, other.faces)

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        """What can be compared and hashed: everything but the array."""
        return self.names, self.parts, self.is_inside


def _are_equal(a: NDArray[np.uint32] | None, b: NDArray[np.uint32] | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)


@dataclass(frozen=True)
class MotionContact:
    """Two links, or a link and an obstacle, that come into contact during a motion."""

    #: The motion from row `segment` of the path to the next one.
    segment: int
    #: The share of the way to the next row, from 0 to 1, at which the contact begins: not later than it does.
    fraction: float
    #: The names of the links or obstacles.
    names: tuple[str, str]
    #: ``penetrating``, ``inside``, ``touching``, …; `None` if the parts come within the touch band of each other, but no
    #: check says that they touch.
    verdict: str | None
    #: Whether the verdict is certain. If not, something worse cannot be ruled out.
    is_certain: bool

    @property
    def is_collision(self) -> bool:
        """Whether the parts certainly collide."""
        return self.verdict in ("penetrating", "inside", "duplicate", "fit")


@dataclass(frozen=True, repr=False)
class MotionCheck:
    """What is known about a motion.

    There are three states:

    - ``clear``: proven. No pair that is checked touches anywhere on the way.
    - ``collision``: a pair collides; `contact` tells where.
    - ``not certified``: parts come so close that they touch, up to the precision of their meshes (the touch band), and
      nothing deeper was found. Whether they collide is not proven in either direction.
    """

    #: The contacts, earliest first. A contact at a row of the path has the fraction 0 or, at the last row, 1.
    contacts: tuple[MotionContact, ...]
    #: Links and obstacles whose surfaces have holes. Another part may get inside of them without a contact; that their
    #: surfaces do not meet is proven nevertheless.
    open_names: tuple[str, ...]

    @property
    def status(self) -> Literal["clear", "collision", "not certified"]:
        """The state: ``clear``, ``collision`` or ``not certified``."""
        if not self.contacts:
            return "clear"
        return "collision" if any(contact.is_collision for contact in self.contacts) else "not certified"

    @property
    def is_clear(self) -> bool:
        """Whether it is proven that nothing touches on the way."""
        return not self.contacts

    @property
    def contact(self) -> MotionContact | None:
        """The first collision; if there is none, the first contact that is not certified."""
        collisions = (contact for contact in self.contacts if contact.is_collision)
        return next(collisions, self.contacts[0] if self.contacts else None)

    def __bool__(self) -> bool:
        raise TypeError("a MotionCheck is neither true nor false: use is_clear or status")

    def __repr__(self) -> str:
        contact = self.contact
        if contact is None:
            return "MotionCheck('clear')"
        a, b = contact.names
        where = f"segment {contact.segment}, fraction {contact.fraction:.4f}"
        return f"MotionCheck({self.status!r}, contact of {a!r} and {b!r} at {where})"


@dataclass(frozen=True, repr=False)
class AllowedCollisions:
    """The pairs of links that need no check, computed from the robot's structure, its geometry and samples."""

    #: For each pair of links the reason: ``Adjacent``, ``Always``, ``Default`` or ``Never``.
    pairs: dict[tuple[str, str], str] = field(hash=False)
    #: The pairs whose reason is proven, and does not depend on samples.
    proven: frozenset[tuple[str, str]]
    #: The number of pairs that need a check.
    checked: int
    #: Joints that stayed in their default position because they slide without limits.
    unlimited: tuple[str, ...]
    #: The number of random configurations.
    samples: int
    #: The seed of the random configurations.
    seed: int

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        reasons = list(self.pairs.values())
        counts = ", ".join(f"{reasons.count(reason)} {reason}" for reason in sorted(set(reasons)))
        return f"AllowedCollisions({counts or 'no pairs'}; {self.checked} pairs need a check)"
