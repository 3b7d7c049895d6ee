"""Arrays of numbers, as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from impinge._errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def numbers(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return an argument as an array of real numbers.

    Texts and complex numbers are refused, as the functions that are written in Rust refuse them: NumPy would convert
    the former and drop the imaginary part of the latter.
    """
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biufO":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is not an array of numbers: {error}") from None
    raise ArgumentError(f"{name} is not an array of numbers: it has the type {array.dtype}")
