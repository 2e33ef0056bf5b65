"""Public values of an expression: what it makes of the public values of its columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.released.vectors import afterwards, evaluate, listed, vector
from lapcat.plan.schema import Type, Value

MAX_COMBINATIONS = 100_000
"""Maximum number of combinations of public values: each is computed when the question is read."""


def image(
    expression: Expression, public: Callable[[str], Sequence[Value] | None]
) -> tuple[Value, ...] | None:
    """The values of an expression over all combinations of its columns' public values and NULL, in order of first occurrence;
    None if a column has no public values, or there are too many combinations.

    They follow from the question and the catalogue, so they are public. A row with another value belongs to no group.
    """
    columns = list(dict.fromkeys(columns_of(expression)))
    if not columns or expression.type is Type.FLOAT or afterwards(expression) is not None:
        return None
    choices: list[list[Value | None]] = []
    for column in columns:
        values = public(column.name)
        if values is None or len(values) >= MAX_COMBINATIONS:
            return None
        choices.append([*values, None])
    count = math.prod(map(len, choices))
    if count > MAX_COMBINATIONS:
        return None
    combined = zip(columns, zip(*itertools.product(*choices), strict=True), strict=True)
    inputs = {column.name: vector(values, column.type) for column, values in combined}
    results = dict.fromkeys(listed(evaluate(expression, inputs), count))
    return tuple(value for value in results if value is not None) or None
