"""Whether triangles and surfaces share a point, in rational arithmetic, by edges that cross triangles.

Independent of the library, and of `exact.py`, which decides the same for two triangles in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

Point = tuple[Fraction, Fraction, Fraction]
Triangle = tuple[Point, Point, Point]


def rational(points: np.ndarray) -> Triangle:
    """Return three points of floats as rational numbers, exactly."""
    a, b, c = (tuple(Fraction(float(value)) for value in point) for point in points)
    return a, b, c


def minus(a: Point, b: Point) -> Point:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a: Point, b: Point) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Point, b: Point) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


ZERO = (Fraction(0), Fraction(0), Fraction(0))


def edges(triangle: Triangle) -> list[tuple[Point, Point]]:
    return list(pairwise((*triangle, triangle[0])))


def segments_meet(p: Point, q: Point, a: Point, b: Point) -> bool:
    """Return whether two closed segments, which may be points, share a point."""
    d, e, w = minus(q, p), minus(b, a), minus(a, p)
    normal = cross(d, e)
    if normal != ZERO:
        if dot(w, normal) != 0:
            return False
        size = dot(normal, normal)
        return 0 <= dot(cross(w, e), normal) <= size and 0 <= dot(cross(w, d), normal) <= size
    if d == ZERO:
        if e == ZERO:
            return p == a
        return cross(minus(p, a), e) == ZERO and 0 <= dot(minus(p, a), e) <= dot(e, e)
    if cross(w, d) != ZERO:
        return False
    ends = sorted((dot(w, d), dot(minus(b, p), d)))
    return ends[0] <= dot(d, d) and ends[1] >= 0


def contains(triangle: Triangle, normal: Point, point: Point) -> bool:
    """Return whether a point in the plane of a triangle is in the closed triangle."""
    return all(dot(cross(minus(to, at), minus(point, at)), normal) >= 0 for at, to in edges(triangle))


def segment_meets(p: Point, q: Point, triangle: Triangle) -> bool:
    """Return whether a closed segment and a closed triangle share a point."""
    a, b, c = triangle
    normal = cross(minus(b, a), minus(c, a))
    if normal == ZERO:
        return any(segments_meet(p, q, *edge) for edge in edges(triangle))
    s, t = dot(normal, minus(p, a)), dot(normal, minus(q, a))
    if s * t > 0:
        return False
    if s == 0 and t == 0:
        return contains(triangle, normal, p) or any(segments_meet(p, q, *edge) for edge in edges(triangle))
    share = s / (s - t)
    d = minus(q, p)
    return contains(triangle, normal, (p[0] + share * d[0], p[1] + share * d[1], p[2] + share * d[2]))


def triangles_meet(a: Triangle, b: Triangle) -> bool:
    """Return whether two closed triangles share a point."""
    return any(segment_meets(*edge, b) for edge in edges(a)) or any(segment_meets(*edge, a) for edge in edges(b))


def surfaces_meet(a: np.ndarray, b: np.ndarray) -> tuple[int, int] | None:
    """Return two of the triangles (n, 3, 3) and (m, 3, 3) that share a point, or None if none do. Exact."""
    low, high = b.min(axis=1), b.max(axis=1)
    near = ((a.min(axis=(0, 1)) <= high) & (a.max(axis=(0, 1)) >= low)).all(axis=1)
    others = np.flatnonzero(near)
    for face, triangle in enumerate(a):
        overlaps = ((triangle.min(axis=0) <= high[others]) & (triangle.max(axis=0) >= low[others])).all(axis=1)
        for other in others[overlaps]:
            # Most pairs are apart by far: one corner-plane test in floats with a safe margin decides them.
            if not plainly_apart(triangle, b[other]) and triangles_meet(rational(triangle), rational(b[other])):
                return face, int(other)
    return None


def plainly_apart(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether the plane of one triangle separates the other from it by much more than rounding."""
    for one, other in ((a, b), (b, a)):
        normal = np.cross(one[1] - one[0], one[2] - one[0])
        size = np.abs(np.concatenate((one, other))).max() ** 3
        heights = (other - one[0]) @ normal
        if (heights > 1e-10 * size).all() or (heights < -1e-10 * size).all():
            return True
    return False


def in_convex(point: Sequence[float], triangles: np.ndarray) -> bool:
    """Return whether a point is in the closed convex solid that triangles, oriented outward, enclose. Exact."""
    spot: Point = tuple(Fraction(float(value)) for value in point)  # type: ignore[assignment]
    for face in triangles:
        a, b, c = rational(face)
        if dot(cross(minus(b, a), minus(c, a)), minus(spot, a)) > 0:
            return False
    return True
