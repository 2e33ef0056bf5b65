"""Arguments of aggregates of two expressions, taken over the rows in which neither is NULL."""

from __future__ import annotations

from dataclasses import replace

from lapcat.plan.aggregates.base import Argument
from lapcat.plan.expressions import Case, Clamp, Expression, IsNull, Not, range_of
from lapcat.stored.digest import canonical


def sides(argument: Argument) -> tuple[Argument, ...]:
    """Each expression as a separate argument, NULL wherever the other is; the argument itself if it has only one.

    An expression stays unchanged if the other is never NULL, so that its statistics are shared with AVG and VAR.
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
    """The argument with its expressions in a canonical order."""
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
    """An argument that is not NULL in exactly the rows that count: equal for (y, x) and (x, y), and just the nullable one
    if only one may be NULL."""
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
