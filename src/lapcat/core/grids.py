"""Numbers on a public grid: every value becomes the floor of value / step, an integer, before noise is added.

Theorem: |⌊x/g⌋ - ⌊y/g⌋| <= ⌈|x - y| / g⌉, so a number of sensitivity Δ has ⌈Δ/g⌉ steps; summed over d coordinates the
         floors add at most one step each, so an array of floats with l1 sensitivity Δ has ⌈Δ/g⌉ + d. Integers on a grid
         that divides them are not moved by the floor, and have Δ/g.
Source:  Mironov 2012 says why noise on floats is none; Casacuberta, Shoemate, Vadhan & Wagaman 2022 why rounding counts.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import exact, exact_text
from lapcat.core.sampling.saturating import FARTHEST
from lapcat.errors import BadArgument

Integers = NDArray[np.int64]

FINENESS = (
    24  # a grid chosen by lapcat has at least 2^24 steps to the noise scale: its floor is lost in the noise
)
FINEST, COARSEST = -1000, 1000  # exponents of a grid: within the range of doubles


def checked_grid(grid: object) -> Fraction:
    """A power of two, exactly.

    >>> checked_grid("0.25")
    Fraction(1, 4)
    """
    read = exact(grid)
    if read <= 0 or (read.numerator & (read.numerator - 1)) or (read.denominator & (read.denominator - 1)):
        raise BadArgument(
            "grid-power",
            f"a grid of {exact_text(read)} is not a power of two",
            why="only such steps divide a float exactly",
            fix="grid=1 for counts, or 0.5, 0.25, …",
        )
    if not FINEST <= _exponent(read) <= COARSEST:
        raise BadArgument(
            "grid-power", f"a grid of 2^{_exponent(read)} is beyond the range of floats", fix="grid=1"
        )
    return read


def fine_grid(scale: Fraction, sensitivity: Fraction, fineness: int = FINENESS) -> Fraction:
    """The largest power of two with 2^fineness steps to the scale; no coarser than 1 where that keeps Δ whole."""
    exponent = _floor_log2(scale) - fineness
    if sensitivity.denominator == 1 and 0 < exponent <= fineness:
        exponent = 0
    return Fraction(2) ** max(FINEST, min(COARSEST, exponent))


def steps_up(x: Fraction, grid: Fraction) -> int:
    """⌈x / g⌉."""
    return math.ceil(x / grid)


def floored(value: object, grid: Fraction) -> int:
    """⌊value / g⌋ of one number: a float counts as the binary number it is.

    >>> floored(17.2, Fraction(1, 4)), floored(-0.1, Fraction(1))
    (68, -1)
    """
    if isinstance(value, bool | np.bool_):
        raise _no_number(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if not math.isfinite(number):
            raise _no_number(value)
        return math.floor(Fraction(number) / grid)
    if isinstance(value, Rational | np.integer):
        return math.floor(Fraction(int(value.numerator), int(value.denominator)) / grid)
    if isinstance(value, Decimal) and value.is_finite():
        return math.floor(Fraction(value) / grid)
    raise _no_number(value)


def floored_array(values: NDArray[np.generic], grid: Fraction) -> Integers:
    """⌊value / g⌋ of each, kept within ±(2^62 - 1); exact, since dividing by a power of two is.

    >>> floored_array(np.array([17.2, -0.1]), Fraction(1, 4)).tolist()
    [68, -1]
    """
    if values.dtype.kind in "iu":
        return _on_whole_steps(_as_int64(values), grid)
    if values.dtype.kind != "f" or values.dtype.itemsize > 8:
        raise BadArgument(
            "array-type",
            f"an array of {values.dtype} cannot be released",
            fix="an array of integers or floats",
        )
    floats = values.astype(np.float64)
    if not np.isfinite(floats).all():
        raise BadArgument(
            "array-value", "the array holds NaN or an infinity", fix="replace them by a number first"
        )
    exponent = _exponent(grid)
    with np.errstate(over="ignore", under="ignore"):
        if exponent >= 0:  # the floor first: a small number divided might be lost to 0
            steps = np.floor(np.ldexp(np.floor(floats), -exponent))
        else:
            steps = np.floor(np.ldexp(floats, -exponent))
    ends = float(1 << 62)
    found: Integers = np.clip(steps, -ends, ends - 1024).astype(np.int64)  # the last double below 2^62
    return np.clip(found, -FARTHEST, FARTHEST)


def _as_int64(values: NDArray[np.generic]) -> Integers:
    """Integers of any width, kept within ±(2^62 - 1)."""
    if values.dtype == np.uint64:
        return np.minimum(values.astype(np.uint64), np.uint64(FARTHEST)).astype(np.int64)
    return np.clip(values.astype(np.int64), -FARTHEST, FARTHEST)


def _on_whole_steps(values: Integers, grid: Fraction) -> Integers:
    if grid >= 1:
        whole = np.int64(min(int(grid), FARTHEST + 1))
        steps: Integers = np.floor_divide(values, whole)
        return steps
    times = int(min(1 / grid, Fraction(FARTHEST)))
    return np.clip(values, -(FARTHEST // times), FARTHEST // times) * np.int64(times)


def back(steps: Integers, grid: Fraction) -> NDArray[np.int64] | NDArray[np.float64]:
    """The released integers in the values' own unit: integers where the step is 1 or more, else floats."""
    if grid == 1:
        return steps
    if grid > 1 and int(np.abs(steps).max(initial=0)) * grid < 1 << 62:
        return steps * int(grid)
    return np.ldexp(steps.astype(np.float64), _exponent(grid))


def back_one(steps: int, grid: Fraction) -> int | float:
    value = steps * grid
    return int(value) if grid >= 1 else float(value)


def _exponent(grid: Fraction) -> int:
    return grid.numerator.bit_length() - grid.denominator.bit_length()


def _floor_log2(x: Fraction) -> int:
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess - (Fraction(2) ** guess > x)


def _no_number(value: object) -> BadArgument:
    return BadArgument(
        "value-unreadable",
        f"{value!r} is not a number that can be released",
        fix="an int, a float, a Fraction or a Decimal",
    )
