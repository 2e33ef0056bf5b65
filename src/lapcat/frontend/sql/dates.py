"""DATE_TRUNC, and the public group keys of dates: the starts of months or weeks, moved days, texts … between declared bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import get_args

from sqlglot import exp

from lapcat.errors import BadQuery, Refused
from lapcat.frontend.sql.text import Text
from lapcat.plan.calendar import STEPS, how_many, public_moments, public_texts
from lapcat.plan.expressions import DateText, DateTrunc, Expression, Span
from lapcat.plan.schema import Type, Value

TRUNCATIONS = (exp.DateTrunc, exp.TimestampTrunc)
SPANS: tuple[Span, ...] = get_args(Span)
MAX_TEXTS = 2**18
"""Maximum number of moments whose texts are listed, which takes a second."""


def truncation(
    text: Text, node: exp.Expression, translate: Callable[[exp.Expression], Expression]
) -> DateTrunc:
    """DATE_TRUNC('month', d) and its synonyms in SQLGlot; `translate` translates the operand."""
    this, unit = text.consume(node, "this", "unit")
    assert isinstance(this, exp.Expression)
    name = unit.name.casefold() if isinstance(unit, (exp.Literal, exp.Var)) else ""
    span = next((span for span in SPANS if span == name), None)
    if name == "decade":
        raise text.unsupported(
            node,
            "DATE_TRUNC to decade",
            f"the same groups, shown by their first year: FLOOR(YEAR({text.quoted(this)}) / 10) * 10",
        )
    if span is None:
        raise text.unsupported(
            node,
            f"DATE_TRUNC to {name or 'a unit that is not a constant'}",
            f"DATE_TRUNC('year', {text.quoted(this)}), or another of: {', '.join(SPANS)}",
        )
    if _commas(text.written(node)) != 1:  # SQLGlot drops what follows the second argument
        raise text.unsupported(
            node, "DATE_TRUNC with more than two arguments", f"DATE_TRUNC('{span}', {text.quoted(this)})"
        )
    operand = translate(this)
    if operand.type not in (Type.DATE, Type.TIMESTAMP) or (span in STEPS and operand.type is Type.DATE):
        expected = "a timestamp" if span in STEPS else "a date or timestamp"
        raise BadQuery(
            "type-mismatch",
            f"DATE_TRUNC to {span} takes {expected}, but this is a {operand.type}",
            fix=_dated(text, this, span, operand.type),
            place=text.place(node),
        )
    return DateTrunc(span, operand, operand.type)


def _dated(text: Text, this: exp.Expression, span: str, kind: Type) -> str:
    written = text.quoted(this)
    if kind is Type.DATE:
        return f"DATE_TRUNC('day', {written}): a date has no hours"
    if kind is Type.TEXT:
        return f"DATE_TRUNC('{span}', CAST({written} AS TIMESTAMP))"
    return "take a column of type date or timestamp"


def public_dates(
    text: Text, node: exp.Expression, expression: Expression, max_cells: int
) -> tuple[Value, ...] | None:
    """All values of a truncated or moved date, or of a date as text, between its declared bounds; None for anything else."""
    cells = how_many(expression)
    limit = MAX_TEXTS if isinstance(expression, DateText) else max_cells
    if cells is not None and cells > limit:  # counted before they are listed: the list might fill the memory
        raise Refused(
            "too-many-groups",
            f"{text.written(node)} has more than {limit} groups between its declared bounds",
            why="every declared group gets noise, whether or not anybody is in it",
            fix="DATE_TRUNC to a longer span, or declare narrower bounds",
            place=text.place(node),
        )
    return public_texts(expression) or public_moments(expression)


def _commas(written: str) -> int:
    """The number of commas between the arguments of a function call."""
    plain = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", written)
    depth = commas = 0
    for letter in plain:
        depth += (letter in "([{") - (letter in ")]}")
        commas += letter == "," and depth == 1
    return commas
