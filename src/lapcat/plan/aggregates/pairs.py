"""The rows of which an aggregate of two expressions is taken: those in which neither is NULL."""

from __future__ import annotations

from dataclasses import replace

from lapcat.plan.aggregates.base import Argument
from lapcat.plan.expressions import Case, Clamp, Expression, IsNull, Not, range_of
from lapcat.stored.digest import canonical


def sides(argument: Argument) -> tuple[Argument, ...]:
    """Each expression as an argument of its own, NULL wherever the other one is; the argument itself if it has one only.

    An expression beside one that is never NULL stays as it is, so that what is read of it is shared with AVG and VAR.
    """
    first, second = argument.value, argument.second
    if first is None or second is None:
        return (argument,)
    alone = replace(argument, second=None, second_text="")
    return (
        replace(alone, value=_beside(first, second)),
        replace(alone, value=_beside(second, first), text=argument.second_text),
    )


def in_order(argument: Argument) -> Argument:
    """The argument with its expressions in an order that does not depend on which of them was written first."""
    if argument.second is None or repr(canonical(argument.value)) <= repr(canonical(argument.second)):
        return argument
    return replace(
        argument,
        value=argument.second,
        text=argument.second_text,
        second=argument.value,
        second_text=argument.text,
    )


def counted(argument: Argument) -> Argument:
    """An argument that is there in the rows that count: the same for (y, x) and (x, y), and for the only one of them
    that may be NULL."""
    if argument.second is None:
        return argument
    ordered = in_order(argument)
    first, second = sides(ordered)
    assert ordered.value is not None and ordered.second is not None
    if range_of(ordered.second).nullable and not range_of(ordered.value).nullable:
        return second
    both = f"{ordered.text}, {ordered.second_text}"
    return first if first.value == ordered.value else replace(first, text=both)


def _beside(value: Expression, other: Expression) -> Expression:
    if value == other or not range_of(other).nullable:
        return value
    while isinstance(other, Clamp):  # NULL exactly where what it clamps is
        other = other.operand
    return Case(((Not(IsNull(other)), value),), None, value.type)
