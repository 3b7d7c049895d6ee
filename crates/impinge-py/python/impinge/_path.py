"""Clash checks of parts that move along a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from impinge._clash import SameGroup
from impinge._impinge import PathReport, check_assembly_path
from impinge.sources import as_assembly


def clash_path(
    source: Any,
    moving: str | Sequence[str],
    poses: npt.ArrayLike,
    *,
    times: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
    pivot: npt.ArrayLike | None = None,
    clearance: float | str = 0.0,
    touch: float | str | None = None,
    ignore: str | Sequence[str] = (),
    only: str | Sequence[str] | None = None,
    between: tuple[str, str] | Sequence[tuple[str, str]] = (),
    same_group: SameGroup | None = None,
    group_level: int | None = None,
    adjacent: bool = False,
    allow: str | Sequence[str] | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **load: Any,
) -> PathReport:
    """Move parts of an assembly through the others, and find where they clash, also between the rows of the path.

    `source` is an `Assembly`, a path or a list of paths, or a scene of another package: see `as_assembly`. `moving`
    names the parts that move: a part, a sub-assembly or a pattern such as 'arm/*', or several of them. They move as
    one body.

    `poses` is an array of shape (n, 4, 4) or (n, 3, 4), with at least two rows. Each row displaces the moving parts
    from where they stand in the assembly, in world coordinates: the identity leaves them in place. Between two rows
    they turn about an axis of constant direction with constant speed, while one point, `pivot`, moves on a straight
    line. By default it is the centroid of their surfaces. `times` has one number for each row; they increase.

    The report lists intervals of the path. Outside of them the moving parts are proven to be farther from all others
    than the touch band and the clearance: nothing between two rows is missed.

    >>> import impinge
    >>> import numpy as np
    >>> box = impinge.Mesh(
    ...     [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...     [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    ...      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]],
    ... )
    >>> assembly = impinge.Assembly(units="mm")
    >>> assembly.add("wall", box, np.diag([0.1, 5, 5, 1]))
    >>> assembly.add("box", box, [[1, 0, 0, 2], [0, 1, 0, 2], [0, 0, 1, 2]])
    >>> poses = np.tile(np.eye(4), (2, 1, 1))
    >>> poses[1, 0, 3] = -4  # The box is on the other side of the wall in the next row.
    >>> report = impinge.clash_path(assembly, "box", poses)
    >>> [found] = report
    >>> found.verdict, found.moving, found.other, found.start[0], round(found.start[1], 3)
    ('penetrating', 'box', 'wall', 0, 0.475)

    The other arguments are those of `clash`. A shaft that fits in a hole counts as 'penetrating'. Ctrl-C ends the
    check.

    Raises `PoseError` if two rows that follow each other differ by half a turn, whose direction is not known, and
    `ArgumentError` if no part moves, or all do.
    """
    options = {
        "clearance": clearance,
        "touch": touch,
        "ignore": ignore,
        "only": only,
        "between": between,
        "same_group": same_group,
        "group_level": group_level,
        "adjacent": adjacent,
        "allow": allow,
    }
    return check_assembly_path(
        as_assembly(source, **load),
        [moving] if isinstance(moving, str) else list(moving),
        poses,
        options,
        times=times,
        pivot=pivot,
        threads=threads,
        progress=progress,
    )
