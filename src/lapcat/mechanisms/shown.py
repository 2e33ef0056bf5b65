"""What the mechanisms of this folder share: reading their arguments, and showing themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import exact, exact_text
from lapcat.core.grids import LARGEST, checked_grid, fine_grid
from lapcat.drawing.curves import spark
from lapcat.errors import BadArgument

Released = NDArray[np.int64] | NDArray[np.float64]
Curves = tuple[list[float], list[float]]

POINTS = 81  # of a drawn curve
LARGEST_EXPONENT = 700.0  # e^700 still fits a float


def as_array(value: object) -> NDArray[np.generic] | None:
    """The array that was given: of NumPy, a list, a column of a data frame; None for a single number."""
    if isinstance(value, np.generic) or not (isinstance(value, list | tuple) or hasattr(value, "__array__")):
        return None
    return plain_array(value)


def plain_array(value: object) -> NDArray[Any]:
    """The array as it is; of a masked one the numbers below the mask would be released."""
    if isinstance(value, np.ma.MaskedArray):
        raise BadArgument(
            "array-type",
            "a masked array cannot be released",
            why="the numbers below its mask would be released too",
            fix="values.compressed(), or values.filled(0)",
        )
    found: NDArray[Any] = np.asarray(value)
    return found


def set_fields(target: object, **fields: object) -> None:
    """The fields of a frozen value that its own constructor has computed."""
    for name, value in fields.items():
        object.__setattr__(target, name, value)


def checked_sensitivity(value: object, name: str = "a sensitivity") -> Fraction:
    read = exact(value)
    if read <= 0:
        raise BadArgument(
            "sensitivity-not-positive",
            f"{name} of {exact_text(read)} is not above 0",
            fix="a question that nobody can change needs no noise: release it as it is",
        )
    return read


def checked_dimensions(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(
            "dimension-range", f"dimensions is a whole number of 1 or more, not {value!r}", fix="dimensions=3"
        )
    return value


def chosen_grid(grid: object, scale: Fraction, sensitivity: Fraction, dimensions: int | None) -> Fraction:
    """The grid that was given, or one whose steps are lost in the noise, also when each of d floors adds one."""
    if grid is not None:
        return checked_grid(grid)
    return fine_grid(scale / (dimensions or 1), sensitivity)


def factor_of(epsilon: Fraction | float) -> float:
    """e^epsilon for a picture."""
    return math.exp(float(min(LARGEST_EXPONENT, epsilon)))


def number(value: Fraction) -> str:
    """In full where that is short, else to six digits."""
    text = exact_text(value)
    if len(text) <= 12:
        return text
    return f"{float(value):.6g}" if abs(value) <= LARGEST else f"{Decimal(int(value)):.5e}"


def told(name: str, rows: Sequence[tuple[str, str]], curves: Curves | None = None) -> str:
    """A mechanism in a terminal: its parameters, its guarantee, and the two neighbouring curves one above the other."""
    lines = [name, *(f"  {key}: {value}" for key, value in rows)]
    if curves is not None:
        here, there = curves
        top = max(*here, *there) or 1.0
        lines += [
            f"  here      {spark([*here[::2], top])[:-1]}",
            f"  neighbour {spark([*there[::2], top])[:-1]}",
        ]
    return "\n".join(lines)
