"""Units of length of the library, for the sources that name or compute theirs."""

from __future__ import annotations

import math

from impinge._errors import ArgumentError

#: The units of the library in metres, by their symbols.
METRES = {"µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "ft": 0.3048}


def metres_of(name: str) -> float | None:
    """Return the size of a unit of the library in metres; `None` if there is no unit of this name."""
    # The micro sign and the Greek letter are the same after folding.
    folded = {symbol.casefold(): metres for symbol, metres in (METRES | {"um": 1e-6}).items()}
    return folded.get(name.casefold())


def nearest_unit(metres: float) -> tuple[str, float]:
    """Return the unit of this size and the factor 1; or metres, and the factor that converts coordinates to metres."""
    for symbol, size in METRES.items():
        if abs(metres / size - 1) < 1e-9:
            return symbol, 1.0
    return "m", metres


def check_tolerance(tolerance: float | None) -> None:
    """Refuse a tolerance that is no positive number, as the readers of files do."""
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0):
        raise ArgumentError(f"the tolerance must be a positive number, not {tolerance:g}")
