"""Clash checks of assemblies, from any source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

from impinge._impinge import Assembly, ClashReport, check_assembly
from impinge.sources import as_assembly

Sort: TypeAlias = Literal["severity", "depth", "distance", "name"]
SameGroup: TypeAlias = Literal["skip", "only"]


def clash(
    source: Any,
    *,
    clearance: float | str = 0.0,
    touch: float | str | None = None,
    quick: bool = False,
    ignore: str | Sequence[str] = (),
    only: str | Sequence[str] | None = None,
    between: tuple[str, str] | Sequence[tuple[str, str]] = (),
    same_group: SameGroup | None = None,
    group_level: int | None = None,
    adjacent: bool = False,
    allow: str | Sequence[str] | None = None,
    baseline: str | PathLike[str] | None = None,
    review: str | PathLike[str] | None = None,
    sort: Sort | None = None,
    limit: int | None = None,
    totals: bool = False,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **load: Any,
) -> ClashReport:
    """Find the parts of an assembly that collide, touch or come too close.

    `source` is an `Assembly`, a path or a list of paths, or a scene of another package: see `as_assembly`. Further
    keyword arguments are those of `as_assembly`.

    What counts as a clash:

    - `clearance`: parts that are closer than this are clashes, too; 0 for none.
    - `touch`: the touch band. Parts that reach into each other no deeper only touch. By default each pair has its own,
      from the precision of the two parts.
    - `quick`: decides verdicts only: no depths, volumes and faces, and fits count as penetrating.

    Which pairs are checked and listed:

    - `ignore`: rules for pairs to leave out: 'PATTERN', 'PATTERN :: PATTERN' or 'VERDICT,…: PATTERN :: PATTERN'.
    - `only`: the verdicts to list.
    - `between`: two sub-assemblies, files or parts, by name, path or pattern, or several such pairs. Only pairs of one
      part from each are checked.
    - `same_group`: 'skip' leaves out pairs of parts of the same sub-assembly, 'only' checks no others.
    - `group_level`: the level of these sub-assemblies; 1 is the top level. By default they are the innermost ones.
    - `adjacent`: also checks links of a robot that a joint connects.

    How they are listed:

    - `baseline`: the JSON report of an earlier check, to compare with.
    - `review`: a file with what people decided about clashes: see `ClashReport.save_review`. It need not exist.
    - `allow`: clashes that are not failures: verdicts, 'known' for those of the baseline unless they became worse, and
      'approved' for those that the review approves.
    - `sort`: the order of the list: 'severity' (the default), 'depth', 'distance' or 'name'.
    - `limit`: the largest number of listed clashes; counts include all.
    - `totals`: whether the JSON report counts clashes by pairs of sub-assemblies.

    `threads` is the number of threads; `None` stands for all cores.

    Lengths are numbers in the unit of the assembly, or texts with a unit:

    >>> import impinge
    >>> cube = impinge.Mesh(
    ...     [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...     [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    ...      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]],
    ... )
    >>> assembly = impinge.Assembly(units="mm")
    >>> for number, x in enumerate((0.0, 0.9, 1.95)):
    ...     assembly.add(f"cube {number}", cube, [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> report = impinge.clash(assembly, clearance="0.1mm")
    >>> for found in report:
    ...     print(found.verdict, found.a, found.b, round(found.depth or found.distance, 6))
    penetrating cube 0 cube 1 0.1
    clearance cube 1 cube 2 0.05

    `progress` is called now and then with the stage ('meshes' or 'pairs'), the number of items that are done, and the
    number of all items. Ctrl-C ends the check.

    Raises `ArgumentError` for a value that an option cannot have, and warns about rules that match no part.
    """
    options = {
        "clearance": clearance,
        "touch": touch,
        "quick": quick,
        "ignore": ignore,
        "only": only,
        "between": between,
        "same_group": same_group,
        "group_level": group_level,
        "adjacent": adjacent,
        "allow": allow,
        "baseline": baseline,
        "review": review,
        "sort": sort,
        "limit": limit,
        "totals": totals,
    }
    assembly: Assembly = as_assembly(source, **load)
    return check_assembly(assembly, options, threads=threads, progress=progress)


def check_options(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the keyword arguments of `clash` into those of the check and those of `Assembly.load`."""
    names = set(clash.__kwdefaults__ or ()) - {"threads", "progress"}
    check = {name: value for name, value in options.items() if name in names}
    return check, {name: value for name, value in options.items() if name not in names}
