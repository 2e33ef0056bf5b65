"""SQRT, LN, EXP, POWER and the like of a released answer, with their enclosures.

Theorem: if every operand lies within its own enclosure, so does the result, in whichever library it is computed.
Proof:   SQRT is correctly rounded, and MOD exact. For the others the mathematical library's error is below 8 ulps (glibc
         states at most 4), and every end is moved outwards by 16. Each function is monotone in each operand between the
         points that its rule treats apart: POWER(x, y) is exp(y · ln x) for x > 0, whose exponent is bilinear in y and
         ln x, so that its extremes over a box are at the corners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.columns import RealFunction
from lapcat.plan.released.enclosures import Enclosure
from lapcat.plan.released.vectors import Flags, Vector

Floats = npt.NDArray[np.float64]
SLACK = 2.0**-48
"""Sixteen ulps."""
TINY = float(np.finfo(np.float64).tiny)

_MONOTONE: dict[str, tuple[Callable[[Floats], Floats], float, bool]] = {
    "sqrt": (np.sqrt, 0.0, True),
    "cbrt": (np.cbrt, -np.inf, True),
    "ln": (np.log, 0.0, False),
    "log2": (np.log2, 0.0, False),
    "log10": (np.log10, 0.0, False),
    "exp": (np.exp, -np.inf, True),
}
"""The function, the lower end of its domain, and whether that end belongs to the domain."""


def real_value(function: RealFunction, operands: Sequence[Vector]) -> Vector:
    """The value in every row; the operands are doubles."""
    with np.errstate(all="ignore"):
        null = operands[0].null
        for operand in operands[1:]:
            null = null | operand.null
        x = operands[0].data
        match function.name:
            case "power":
                result = np.power(x, operands[1].data)
            case "mod":
                result = np.fmod(x, operands[1].data)
            case name:
                compute, least, closed = _MONOTONE[name]
                inside = x >= least if closed else x > least
                result = np.where(inside, compute(np.where(inside, x, 1.0)), np.nan)
        outside = ~np.isfinite(result)
        return Vector(np.where(outside, 0.0, result), null | outside)


def real_enclosure(function: RealFunction, operands: Sequence[Enclosure]) -> Enclosure:
    """The enclosure of the value, given those of the operands."""
    with np.errstate(all="ignore"):
        match function.name:
            case "power":
                return _power(*operands)
            case "mod":
                return _mod(*operands)
            case name:
                return _monotone(name, *operands)


def _monotone(name: str, x: Enclosure) -> Enclosure:
    compute, least, closed = _MONOTONE[name]
    none = x.none | (x.high < least if closed else x.high <= least)
    outside = x.low < least if closed else x.low <= least
    low, high = compute(np.maximum(x.low, least)), compute(np.maximum(x.high, least))
    if name == "exp":
        high = np.maximum(high, TINY)  # it may underflow in one library alone
    return _enclosed(low, high, x.null | outside, none)


def _power(x: Enclosure, y: Enclosure) -> Enclosure:
    none, null = x.none | y.none, x.null | y.null
    corners = [np.power(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    low, high = _hull(corners)
    # a whole exponent: even powers fall up to 0 and rise from there, negative ones have a pole at 0
    whole = (y.low == y.high) & (np.rint(y.low) == y.low)
    around = (x.low <= 0) & (x.high >= 0)
    low = np.where(whole & around & (y.low >= 0), np.minimum(low, 0.0), low)
    pole = whole & around & (y.low < 0)
    undefined = ~whole & ((x.low < 0) | (x.low == 0) & (y.low <= 0))
    unknown = pole | undefined | np.isnan(low) | np.isnan(high)
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    high = np.where(high == 0, TINY, high)  # it may underflow in one library alone
    return _enclosed(low, high, null | unknown, none)


def _mod(x: Enclosure, y: Enclosure) -> Enclosure:
    none, null = x.none | y.none, x.null | y.null | (y.low <= 0) & (y.high >= 0)
    size = np.maximum(np.abs(y.low), np.abs(y.high))
    steps = [np.trunc(end / y.low) for end in (x.low, x.high)]
    same = (y.low == y.high) & (steps[0] == steps[1]) & (np.sign(x.low) * np.sign(x.high) >= 0)
    same &= np.isfinite(x.low) & np.isfinite(x.high) & (np.abs(steps[0]) < 2.0**50)
    ends = [np.fmod(end, y.low) for end in (x.low, x.high)]
    same &= ends[0] <= ends[1]
    low = np.where(same, ends[0], np.where(x.low >= 0, 0.0, np.maximum(-size, x.low)))
    high = np.where(same, ends[1], np.where(x.high <= 0, 0.0, np.minimum(size, x.high)))
    endless = ~(np.isfinite(x.low) & np.isfinite(x.high))
    return Enclosure(np.where(none, np.inf, low), np.where(none, -np.inf, high), null | endless | none)


def _hull(corners: Sequence[Floats]) -> tuple[Floats, Floats]:
    low, high = corners[0], corners[0]
    for corner in corners[1:]:
        low, high = np.minimum(low, corner), np.maximum(high, corner)  # NaN stays
    return low, high


def _enclosed(low: Any, high: Any, null: Flags, none: Flags) -> Enclosure:
    """The ends moved outwards; NULL where the result may not be finite."""
    below, above = low - np.abs(low) * SLACK - TINY, high + np.abs(high) * SLACK + TINY
    low, high = np.where(low == 0, low, below), np.where(high == 0, high, above)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    endless = ~(np.isfinite(low) & np.isfinite(high))
    return Enclosure(np.where(none, np.inf, low), np.where(none, -np.inf, high), null | endless | none)
