"""Public grids: every value becomes the integer ⌊value / step⌋ before noise is added.

Theorem: |⌊x/g⌋ - ⌊y/g⌋| <= ⌈|x - y| / g⌉, so a number of sensitivity Δ has ⌈Δ/g⌉ steps; summed over d coordinates the
         floors add at most one step each, so an array of floats with l1 sensitivity Δ has ⌈Δ/g⌉ + d. Integers on a grid
         that divides them are not moved by the floor, and have Δ/g.
Source:  Mironov 2012 (noise on floats is unsafe); Casacuberta, Shoemate, Vadhan & Wagaman 2022 (rounding adds sensitivity).
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import exact, exact_text
from lapcat.core.sampling.saturating import FARTHEST
from lapcat.errors import BadArgument

Integers = NDArray[np.int64]

FINENESS = 24  # an automatic grid has at least 2^24 steps per noise scale, so that rounding is negligible
LARGEST = int(sys.float_info.max)
FINEST, COARSEST = -1000, 1000  # exponents of a grid: within the range of doubles


def checked_grid(grid: object) -> Fraction:
    """The grid as a fraction, if it is a power of two.

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
    """The largest power of two with 2^fineness steps per scale; at most 1 if that keeps an integer Δ exact."""
    exponent = _floor_log2(scale) - fineness
    if sensitivity.denominator == 1 and 0 < exponent <= fineness:
        exponent = 0
    return Fraction(2) ** max(FINEST, min(COARSEST, exponent))


def steps_up(x: Fraction, grid: Fraction) -> int:
    """⌈x / g⌉."""
    return math.ceil(x / grid)


def floored(value: object, grid: Fraction) -> int:
    """⌊value / g⌋ of one number; a float counts as its exact binary value.

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
        if abs(int(value.numerator)) > LARGEST * int(value.denominator):
            raise _too_far()
        return math.floor(Fraction(int(value.numerator), int(value.denominator)) / grid)
    if isinstance(value, Decimal) and value.is_finite():
        if value.adjusted() > sys.float_info.max_10_exp:
            raise _too_far()
        return math.floor(Fraction(value) / grid)
    raise _no_number(value)


def floored_array(values: NDArray[np.generic], grid: Fraction) -> Integers:
    """⌊value / g⌋ of each; exact, since division by a power of two is exact. Refuses values beyond ±(2^62 - 1) steps.

    >>> floored_array(np.array([17.2, -0.1]), Fraction(1, 4)).tolist()
    [68, -1]
    """
    if values.dtype.kind in "iu":
        return _on_whole_steps(values, grid)
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
        if exponent >= 0:  # floor first: dividing a small number might underflow to 0
            steps = np.floor(np.ldexp(np.floor(floats), -exponent))
        else:
            steps = np.floor(np.ldexp(floats, -exponent))
    if np.abs(steps).max(initial=0) >= 2.0**62:
        raise out_of_reach(grid)
    whole_steps: Integers = steps.astype(np.int64)
    return whole_steps


def _on_whole_steps(values: NDArray[np.generic], grid: Fraction) -> Integers:
    """Integers of any width: multiples of a grid of 1 or less, else shifted by its exponent, which is the floor."""
    exponent = _exponent(grid)
    shifted = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)
    if exponent > 0:
        beyond = shifted.dtype.kind == "u" and exponent > 63
        shifted = np.zeros_like(shifted) if beyond else shifted >> min(exponent, 63)
        exponent = 0
    reach = FARTHEST >> -exponent
    if shifted.size and (int(shifted.max()) > reach or int(shifted.min()) < -reach):
        raise out_of_reach(grid)
    return shifted.astype(np.int64) << min(-exponent, 62)


def back(steps: Integers, grid: Fraction) -> NDArray[np.int64] | NDArray[np.float64]:
    """The released integers in the original unit: integers if the step is 1 or more, else floats."""
    if grid == 1:
        return steps
    if grid > 1 and int(np.abs(steps).max(initial=0)) * grid < 1 << 62:
        return steps * int(grid)
    return np.ldexp(steps.astype(np.float64), _exponent(grid))


def back_one(steps: int, grid: Fraction) -> int | float:
    value = steps * grid
    return int(value) if grid >= 1 else float(max(Fraction(-LARGEST), min(Fraction(LARGEST), value)))


def _exponent(grid: Fraction) -> int:
    return grid.numerator.bit_length() - grid.denominator.bit_length()


def _floor_log2(x: Fraction) -> int:
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess - (Fraction(2) ** guess > x)


def out_of_reach(grid: Fraction) -> BadArgument:
    reach = float(min(Fraction(LARGEST), FARTHEST * grid))
    return BadArgument(
        "value-reach",
        f"the array holds a number beyond ±{reach:.3g}, the range of a grid of {exact_text(grid)}",
        why="an array is released as 64-bit integers in steps of the grid; the number would be clipped silently",
        fix="clip it to public bounds first, or use a coarser grid: grid=1",
    )


def _too_far() -> BadArgument:
    return BadArgument(
        "value-reach",
        "a number beyond the largest float cannot be released",
        fix="clip it to public bounds first",
    )


def _no_number(value: object) -> BadArgument:
    return BadArgument(
        "value-unreadable",
        f"{value!r} is not a number that can be released",
        fix="an int, a float, a Fraction or a Decimal",
    )
