"""Whether two triangles share a point, decided in rational arithmetic by a linear program.

Independent of the library: there are points p = Σ aᵢ Aᵢ = Σ bⱼ Bⱼ with aᵢ, bⱼ ≥ 0 that each add up to 1, or there are
none. Found by the simplex method with Bland's rule on fractions.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def touch(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether two closed triangles, arrays of shape (3, 3), share a point."""
    corners = [[Fraction(float(x)) for x in row] for row in (*a, *b)]
    rows: list[list[Fraction]] = []
    for axis in range(3):
        rows.append([corner[axis] * (1 if k < 3 else -1) for k, corner in enumerate(corners)] + [Fraction(0)])
    rows.append([Fraction(int(k < 3)) for k in range(6)] + [Fraction(1)])
    rows.append([Fraction(int(k >= 3)) for k in range(6)] + [Fraction(1)])
    return _feasible(rows, 6)


def _feasible(rows: list[list[Fraction]], variables: int) -> bool:
    """Whether equations with right sides ≥ 0 have a solution ≥ 0: phase one of the simplex method."""
    count = len(rows)
    table = [row[:-1] + [Fraction(int(k == i)) for k in range(count)] + [row[-1]] for i, row in enumerate(rows)]
    basis = [variables + i for i in range(count)]
    width = variables + count
    cost = [-sum(row[k] for row in table) if k < variables else Fraction(0) for k in range(width)]
    value = -sum(row[-1] for row in table)
    while True:
        entering = next((k for k in range(width) if cost[k] < 0), None)
        if entering is None:
            return value == 0
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            return value == 0
        _, _, leaving = min(ratios)
        pivot = table[leaving][entering]
        table[leaving] = [x / pivot for x in table[leaving]]
        for i, row in enumerate(table):
            if i != leaving and row[entering] != 0:
                factor = row[entering]
                table[i] = [x - factor * y for x, y in zip(row, table[leaving], strict=True)]
        factor = cost[entering]
        value -= factor * table[leaving][-1]
        cost = [x - factor * y for x, y in zip(cost, table[leaving], strict=False)]
        basis[leaving] = entering


def placed(vertices: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vertices placed as the library defines it: ((r0·x + r1·y) + r2·z) + t, each operation rounded."""
    x, y, z = vertices[:, 0], vertices[:, 1], vertices[:, 2]
    columns = [((pose[k, 0] * x + pose[k, 1] * y) + pose[k, 2] * z) + pose[k, 3] for k in range(3)]
    return np.stack(columns, axis=-1)
