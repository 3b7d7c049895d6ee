"""NC verification: does a tool path gouge the part?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from impinge._impinge import Assembly, Mesh, NcReport, check_program


def nc(
    part: str | PathLike[str] | Mesh | Assembly,
    program: str | PathLike[str],
    *,
    tool: str | Sequence[str] | Mapping[int, str] | None = None,
    tool_table: str | PathLike[str] | None = None,
    stock: str | PathLike[str] | Mesh | Assembly | Sequence[Sequence[float]] | None = None,
    fixtures: str | Sequence[str | PathLike[str] | Mesh | Assembly] = (),
    stock_to_leave: float | str = 0.0,
    clearance: float | str = 0.0,
    tolerance: float | str = 0.01,
    part_unit: str | None = None,
    program_unit: str = "mm",
    origin: Sequence[float] | None = None,
    start: Sequence[float] | None = None,
    offsets: Mapping[str, Sequence[float]] | None = None,
    home: Sequence[float] | None = None,
    rapids: str = "straight",
    machine: str | PathLike[str] | None = None,
    block_delete: bool = False,
    allow_unknown: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NcReport:
    """Check whether a tool path gouges the part, and whether shank and holder keep clear of it.

    `part` is a file, a `Mesh` or an `Assembly` in millimetres. `program` is the file of a program, or its text if it
    has several lines: G-code, or CSV with the header x,y,z or x,y,z,i,j,k. `tool` is a specification such as
    'ball:d=6,length=20', or several of them by number.

    - `tool_table`: a file with tools: LinuxCNC (.tbl), CAMotics (.json, .camotics) or TOML.
    - `stock`: the material that the part is cut from, which rapid moves, shank and holder must not touch: a body, or two
      opposite corners of a box.
    - `fixtures`: bodies that nothing may touch, or one file.
    - `stock_to_leave`: the allowance that the cutter has to leave on the part.
    - `clearance`: the distance that shank and holder have to keep.
    - `tolerance`: gouges that are no deeper are not reported, and reported depths may be off by as much.
    - `part_unit`: the unit of meshes, and of files that do not name one; millimetres by default.
    - `program_unit`: 'mm' or 'in', for programs that use neither G20 nor G21, and for CSV.
    - `origin`: where the zero of the program is, in the coordinates of the part.
    - `start`: where the tip of the tool is before the first move.
    - `offsets`: the zeros of coordinate systems, such as {'G54': (10, 0, 0)}: X, Y, Z, and A, B, C in degrees.
    - `home`: the position that G28 returns to: X, Y, Z, and A, B, C in degrees.
    - `rapids`: how rapid moves run: 'straight', 'dogleg' or 'both'.
    - `machine`: a machine with rotary axes: a TOML file, or the name of a built-in machine such as 'xyzac'.
    - `block_delete`: passes over lines that start with /.
    - `allow_unknown`: passes over unknown words, with a note, instead of raising an exception.

    Lengths are in millimetres, or texts with a unit:

    >>> import impinge
    >>> block = impinge.Mesh(
    ...     [[x, y, z] for x in (0, 50) for y in (0, 50) for z in (-20, 0)],
    ...     [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    ...      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]],
    ... )
    >>> path = '''x,y,z
    ... -10,25,5
    ... 25,25,5
    ... 25,25,-1.5
    ... 60,25,5
    ... '''
    >>> report = impinge.nc(block, path, tool="ball:d=6,length=30")
    >>> report.moves, report.gouging_moves
    (3, 2)
    >>> for gouge in report:
    ...     print(gouge.line, gouge.with_, round(gouge.depth, 2))
    4 cutter 1.5
    5 cutter 1.5

    `threads` is the number of threads; `None` stands for all cores. `progress` is called now and then with the number
    of moves that are checked, and that of all moves. Ctrl-C ends the check.

    Raises `ArgumentError` for the text of a program that cannot be read and for a value that an option cannot have, and
    `FileError` for a file that cannot be read.
    """
    options: dict[str, Any] = {
        "tool": dict(tool) if isinstance(tool, Mapping) else tool,
        "tool_table": tool_table,
        "part_unit": part_unit,
        "stock": stock,
        "fixtures": fixtures,
        "stock_to_leave": stock_to_leave,
        "clearance": clearance,
        "tolerance": tolerance,
        "program_unit": program_unit,
        "origin": origin,
        "start": start,
        "offsets": dict(offsets) if offsets is not None else None,
        "home": home,
        "rapids": rapids,
        "machine": str(machine) if machine is not None else None,
        "block_delete": block_delete,
        "allow_unknown": allow_unknown,
    }
    return check_program(part, program, options, threads=threads, progress=progress)
