"""Shared by the mechanisms of this package: argument parsing and display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import brief_text, exact, exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.drawing.curves import spark
from lapcat.errors import BadArgument
from lapcat.mechanisms.grids import LARGEST, checked_grid, fine_grid
from lapcat.plan.margins import checked_above_zero

Released = NDArray[np.int64] | NDArray[np.float64]
Curves = tuple[list[float], list[float]]

FARTHEST_SIZE = Fraction(10) ** 150
MAX_DIMENSIONS = 1 << 40
POINTS = 81  # of a drawn curve
LARGEST_EXPONENT = 700.0  # e^700 still fits a float


def as_array(value: object) -> NDArray[np.generic] | None:
    """The value as an array (from NumPy, a list or a data frame column); None for a single number."""
    if isinstance(value, np.generic) or not (isinstance(value, list | tuple) or hasattr(value, "__array__")):
        return None
    return plain_array(value)


def plain_array(value: object) -> NDArray[Any]:
    """The value as an array. Masked arrays are refused: the numbers below the mask would be released."""
    if isinstance(value, np.ma.MaskedArray):
        raise BadArgument(
            "array-type",
            "a masked array cannot be released",
            why="the numbers below its mask would be released too",
            fix="values.compressed(), or values.filled(0)",
        )
    array: NDArray[Any] = np.asarray(value)
    return array


def declares_integers(value: object) -> bool:
    """Whether this array or data frame column has an integer dtype. A list of Python numbers has none: the dtype that NumPy
    infers depends on the values, and the noise must not."""
    return not isinstance(value, list | tuple) and plain_array(value).dtype.kind in "iu"


def read_dtype(dtype: object) -> bool:
    """Whether the dtype declares integers."""
    try:
        kind = np.dtype(dtype).kind if dtype is not None else "f"  # type: ignore[call-overload]
    except TypeError:
        kind = ""
    if kind not in "iuf" or not kind:
        raise BadArgument("array-type", f"a dtype is int or float, not {dtype!r}", fix="dtype=int")
    return kind != "f"


def require_integers(values: NDArray[np.generic]) -> None:
    if values.dtype.kind not in "iu" and values.size:
        raise BadArgument(
            "array-type",
            f"this mechanism is for integers, but the array is of {values.dtype}",
            why="its noise does not cover the rounding of floats",
            fix="leave dtype out",
        )


def set_fields(target: object, **fields: object) -> None:
    """Sets the fields of a frozen dataclass from within its constructor."""
    for name, value in fields.items():
        object.__setattr__(target, name, value)


def in_reach(
    name: str, value: Fraction, fix: str = "use another unit for the numbers, such as millions"
) -> Fraction:
    """The number, if its square fits a float, as everything that is displayed must."""
    if abs(value) > FARTHEST_SIZE:
        raise BadArgument(
            "number-too-large",
            f"{name} of {brief_text(value)} is beyond 1e150",
            fix=fix,
        )
    return value


def read_epsilon(value: object) -> Fraction:
    read = in_reach("an epsilon", checked_above_zero("epsilon", exact(value)), "epsilon=1")
    in_reach("1 / epsilon", 1 / read, "epsilon=0.1")
    return read


def read_table(code: str, value: object, fix: str) -> list[list[Any]]:
    """The rows of a matrix: lists, tuples, or a NumPy array."""
    rows = plain_array(value).tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(rows, list | tuple) or not all(
        isinstance(row, list | tuple | np.ndarray) for row in rows
    ):
        raise BadArgument(code, f"a matrix is a list of rows, not {type(value).__name__}", fix=fix)
    return [list(row) for row in rows]


def one_of(code: str, name: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        options = " or ".join(f'{name}="{text}"' for text in known)
        raise BadArgument(code, f"{name} is not {value!r}", fix=options)


def checked_sensitivity(value: object, name: str = "a sensitivity") -> Fraction:
    read = in_reach(name, exact(value))
    if read <= 0:
        raise BadArgument(
            "sensitivity-not-positive",
            f"{name} of {exact_text(read)} is not above 0",
            fix="a number that no unit can change needs no noise: release it directly",
        )
    return read


def checked_dimensions(value: object) -> int:
    return checked_whole("dimension-range", "dimensions", value, 1, MAX_DIMENSIONS, "dimensions=3")  # type: ignore[arg-type]


def chosen_grid(
    grid: object, scale: Fraction, sensitivity: Fraction, dimensions: int | None, *, whole: bool = False
) -> Fraction:
    """The given grid, or one fine enough that rounding d coordinates is negligible against the noise; 1 for integers."""
    if whole:
        read = checked_grid(1 if grid is None else grid)
        if read > 1:
            raise BadArgument("grid-power", "a grid for integers divides 1", fix="grid=1")
        return read
    if grid is not None:
        return checked_grid(grid)
    return fine_grid(scale / (dimensions or 1), sensitivity)


def factor_of(epsilon: Fraction | float) -> float:
    """e^epsilon for a picture."""
    return math.exp(float(min(LARGEST_EXPONENT, epsilon)))


def number(value: Fraction) -> str:
    """In full if short, else to six digits."""
    text = exact_text(value)
    if len(text) <= 12:
        return text
    return f"{float(value):.6g}" if abs(value) <= LARGEST else f"{Decimal(int(value)):.5e}"


def describe(name: str, rows: Sequence[tuple[str, str]], curves: Curves | None = None) -> str:
    """Text for a terminal: the parameters and the guarantee of a mechanism, and its two neighbouring curves."""
    lines = [name, *(f"  {key}: {value}" for key, value in rows)]
    if curves is not None:
        here, there = curves
        top = max(*here, *there) or 1.0
        lines += [
            f"  here      {spark([*here[::2], top])[:-1]}",
            f"  neighbour {spark([*there[::2], top])[:-1]}",
        ]
    return "\n".join(lines)
