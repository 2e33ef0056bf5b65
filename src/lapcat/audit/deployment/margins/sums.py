"""Intervals of estimates from noisy sums, each with independent noise.

The exact integers are those of fixture rows, and of the same rows repeated many times, some groups more often than others, so that
noise is small in comparison; if the number of units is public, the price is raised instead. Then intervals are as narrow as
possible, and an interval that ignores a noise term has too little coverage.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lapcat.audit.deployment.asking import exactly, program_at
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated, reference_of
from lapcat.audit.deployment.fixtures import neighbours_of
from lapcat.audit.deployment.margins.coverage import DRAWS, LEVEL, holds, too_rarely, too_unlikely
from lapcat.audit.deployment.questions import ExampleQuestion, keys_of, numbers_of, sums_of
from lapcat.core.answers import Integers
from lapcat.plan.aggregates.running import RunningCount, RunningShare
from lapcat.plan.columns import ValueColumn
from lapcat.plan.compile import Program
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Relation
from lapcat.plan.words import sql_name
from lapcat.workload.strategic import strategy_in

MANY = 10**5
"""The largest number of repetitions of a group."""
HIGH = Fraction(100)
"""The price if rows cannot be repeated."""
FEW_VALUES = 2_000
"""The maximum number of values of one draw, on either side, that are enumerated."""
BEYOND = Fraction(1, 10**12)
"""The probability of the values that are not enumerated, on either side."""
EXTREME = "at the upper bounds"


def sums(copy: Copy) -> Iterator[Check]:
    """One question of each aggregate and kind of noise."""
    seen = set()
    for asked in (*_more(copy), *sums_of(copy.family, 0)):
        program = program_at(copy, asked.text, Fraction(1))
        if program is None or strategy_in(program) is not None:
            continue
        if any(value is not None for value in program.publics):
            program = program_at(copy, asked.text, HIGH) or program
        kind = asked.aggregate, noise_of(program)
        if kind in seen or strategy_in(program) is not None:
            continue
        seen.add(kind)
        for how, problem in _problems(copy, program):
            yield Check("margins", *kind, copy.engine, how, asked.text, problem)


def _more(copy: Copy) -> Iterator[ExampleQuestion]:
    """Shares of running totals, and the covariance of a column with itself: a sum that is used twice has one noise term."""
    for table in copy.family.tables:
        for k in keys_of(table)[:1]:
            share = f"SUM(COUNT(*)) OVER (ORDER BY {sql_name(k)}) / SUM(COUNT(*)) OVER ()"
            yield ExampleQuestion(
                "shares",
                f"SELECT {sql_name(k)}, {share} AS v FROM {sql_name(table.name)} GROUP BY {sql_name(k)}",
            )
        for x in numbers_of(table)[:1]:
            yield ExampleQuestion(
                "COVAR_POP",
                f"SELECT COVAR_POP({sql_name(x)}, {sql_name(x)}) AS v FROM {sql_name(table.name)}",
            )


def _problems(copy: Copy, program: Program) -> Iterator[tuple[str, str]]:
    tables = _tables(copy, program)
    for column in program.prepared.values:
        if tables and isinstance(column, ValueColumn) and _has_one_draw(column):
            chance = _chance(program, column, tables[0])
            if chance is not None:
                yield PROVED, too_unlikely(chance)
    for number, exact in enumerate(tables):
        yield SAMPLED, _sampled(program, exact, f"margins {number}")


def _tables(copy: Copy, program: Program) -> list[Integers]:
    """Tables of exact integers for a question."""
    plan, secret = program.plan, copy.ledger.secret()
    whole = copy.reference().figures(plan)[0]
    if any(value is not None for value in program.publics):
        return [whole]
    tables = [whole, _crowded(whole)]
    if copy.family.relation is Relation.ADD_REMOVE:
        for pair in neighbours_of(copy.family):
            if pair.what == EXTREME:
                here, there = (
                    reference_of(copy.family, rows, secret).figures(plan)[0]
                    for rows in (pair.here, pair.there)
                )
                tables.append(_crowded(here - there))  # the unit alone
    return [exact for exact in tables if exact.any()]


def _crowded(exact: Integers) -> Integers:
    """All rows repeated: MANY times in every third group, less often in those before it. An empty group gets the rows of the
    largest."""
    full = exact[:, [int(np.abs(exact).sum(axis=0).argmax())]]
    filled = np.where(exact.any(axis=0), exact, full)
    times = MANY // 10 ** (np.arange(filled.shape[1])[::-1] % 3)
    within = 2**60 // max(1, int(np.abs(filled).max()))
    return np.asarray(filled * np.minimum(times, max(1, within)), np.int64)


def _has_one_draw(column: ValueColumn) -> bool:
    return len(column.readings) == 1 and not isinstance(column.aggregate, RunningCount | RunningShare)


def _chance(program: Program, column: ValueColumn, exact: Integers) -> float | None:
    """The coverage of the first number's interval; None if the draw has too many values."""
    row = program.row_of(column.readings[0].statistic)
    law = program.measurements[row].mechanism.law()
    if law is None:
        return None
    reach = law.quantile(1 - BEYOND)
    if reach > FEW_VALUES:
        return None
    values = np.arange(-reach, reach + 1)
    cells = np.repeat(exact[:, :1], values.size, axis=1)
    cells[row] += values
    truth = np.asarray(exactly(program, exact)[column.name].value[:1], np.float64)
    held = holds(program.finished(column, cells, LEVEL), truth)
    return float(sum(law.pmf(int(value)) for value in values[held]))


def _sampled(program: Program, exact: Integers, seed: str) -> str:
    coins = Repeated(seed)
    drawn = [
        mechanism.draw(np.tile(row, DRAWS), coins)
        for mechanism, row in zip(program.mechanisms, exact, strict=True)
    ]
    estimates = estimates_of(program, np.vstack(drawn), LEVEL)
    for name, expected in exactly(program, exact).items():
        truth = np.tile(np.asarray(expected.value, np.float64), DRAWS)
        problem = too_rarely(holds(estimates[name], truth).reshape(DRAWS, -1))
        if problem:
            return f"{name}: {problem}"
    return ""
