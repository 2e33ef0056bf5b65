"""The public grid of a sum, chosen from declared bounds alone."""

from __future__ import annotations

from fractions import Fraction

from lapcat.plan.expressions import Cast, Expression, range_of
from lapcat.plan.nodes import Grid, Kind, Statistic
from lapcat.plan.schema import Type

STEPS = 31
"""A row adds less than 2**31 steps, so two billion rows add up within 63 bits. Flooring to the grid then
shifts a sum by less than a thousandth of one row's largest value per million rows: far below any noise."""
FINEST = -60
"""The least exponent of a step, but for values in a range that has fewer than 2**20 of these steps."""
TINY = Fraction(2) ** (FINEST + 20)
NARROWEST = Fraction(2) ** -300
"""The minimum width of a range, and of a constant: squares of smaller numbers are not representable as doubles."""


def sum_statistic(
    value: Expression, where: Expression | None, *, centred: bool, weighted: bool = False
) -> Statistic:
    """Σ (value − centre) on its grid; the centre is the middle of the value's range, or zero.

    A centred sum moves by half the range instead of by the largest magnitude, but gives the plain sum only together with
    the number of rows. Where rows are weighted, integers get a fine grid too: what a row adds is truncated to a whole
    step, and with a step of 1 the rows of a unit with many rows would add nothing.
    """
    reach = range_of(value)
    low, high = reach.low, reach.high
    if (
        value.type is Type.FLOAT
    ):  # an integer end of a float value: conversion rounds monotonically, as for the value
        low, high = float(low), float(high)
    exact_low, exact_high = Fraction(low), Fraction(high)
    middle = (exact_low + exact_high) / 2 if centred else Fraction(0)
    magnitude = max(abs(exact_low - middle), abs(exact_high - middle))
    largest = max(abs(exact_low), abs(exact_high))
    # A constant moves nothing, but its grid must still hold it.
    exponent = _floor_log2(magnitude or largest or Fraction(1)) - STEPS + 1
    tiny = 0 < (magnitude or largest) < TINY
    exponent = max(exponent, _floor_log2(largest if tiny else max(largest, Fraction(1))) + FINEST)
    if not magnitude and middle:  # the deviation of a constant from itself is exactly 0
        exponent = min(exponent, _last_bit(middle))
    if value.type is Type.INTEGER and exponent <= 0:
        # Integers are exact on a step of 1; a middle between two integers needs a step of 1/2, hence doubles.
        if exact_high > 2**52 or exact_low < -(2**52):
            exponent = 0
        elif not weighted:
            exponent = 0 if middle.denominator == 1 else -1
    if value.type is Type.INTEGER and exponent < 0:
        value, low, high = Cast(value, Type.FLOAT), float(low), float(high)
    step = Fraction(2) ** exponent
    grid = Grid(low, high, exponent, middle // step * step)
    return Statistic(Kind.SUM, value, where, grid)


def count_statistic(value: Expression | None, where: Expression | None, unit_weight: int = 1) -> Statistic:
    """The number of rows with a value: all rows where it is never NULL. Each adds `unit_weight` steps."""
    if value is None or not range_of(value).nullable:
        return Statistic(Kind.ROWS, filter=where, unit_weight=unit_weight)
    return Statistic(Kind.PRESENT, value, where, unit_weight=unit_weight)


def is_too_narrow(value: Expression) -> bool:
    """Whether the squares of the values' deviations, or of a tiny constant, underflow."""
    reach = range_of(value)
    low, high = Fraction(reach.low), Fraction(reach.high)
    return 0 < (high - low or abs(high)) < NARROWEST


def _last_bit(x: Fraction) -> int:
    """The exponent of the largest power of two that x, a double or an integer, is a multiple of."""
    n = abs(x.numerator)
    return (n & -n).bit_length() - x.denominator.bit_length()


def _floor_log2(x: Fraction) -> int:
    numerator, denominator = x.as_integer_ratio()
    guess = numerator.bit_length() - denominator.bit_length()
    return guess if denominator << max(guess, 0) <= numerator << max(-guess, 0) else guess - 1
