"""Prior estimates of a question's numbers from released answers, for relative error targets. Free.

Only answers charged to this analyst are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from lapcat.core.answers import Integers, unpacked
from lapcat.core.event import JointRelease
from lapcat.ledger.base import Charge, Ledger
from lapcat.plan.accuracy import Noise
from lapcat.plan.aggregates import AVG, COUNT, SUM, Estimates
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.columns import KeyColumn, ValueColumn
from lapcat.plan.compile import Prepared, Program, Query, prepare
from lapcat.plan.error_target import PRIOR_FAILURE, PriorEstimates
from lapcat.plan.nodes import Statistic
from lapcat.plan.released.computed import estimates_of
from lapcat.session.cache_plan import derivations, stored_answers
from lapcat.session.strategies import paid_program
from lapcat.workload.strategic import strategy_in
from lapcat.workload.workload_query import workload_query

ANYTHING = JointRelease((), 0)
"""An event that every stored answer is at least as good as."""


def prior_estimates_of(
    prepared: Prepared,
    asks: Callable[[], Query],
    confidence: Fraction,
    ledger: Ledger,
    analyst: str | None,
    charges: Sequence[Charge],
    cryptographic: bool,
) -> tuple[PriorEstimates, ...]:
    """Prior estimates for each column of numbers. Empty for private groups: the next answer may show others."""
    nothing = tuple(PriorEstimates() for _ in prepared.values)
    if prepared.plan.private_keys:
        return nothing
    sure = 1 - (1 - confidence) * PRIOR_FAILURE

    def released(question: Prepared) -> tuple[Program, Integers] | None:
        """The best stored answer of a question."""
        stored = ledger.find(question.identity, ANYTHING, analyst, charges)
        if stored is None or stored.answer is None or stored.shared:
            return None
        return paid_program(question, workload_query(question), stored.event), unpacked(stored.answer).cells

    def rows(column: ValueColumn) -> float:
        """A lower bound on the rows behind each number of the column, from stored answers of this question or of COUNT."""
        reading = count_reading(column.argument)
        keys = tuple(c for c in prepared.asked.columns if isinstance(c, KeyColumn))
        counting = prepare(replace(asks(), columns=(*keys, ValueColumn("n", COUNT, column.argument))))
        bounds = [0.0]
        for question in (prepared, counting):
            same = replace(question.plan, statistics=()) == replace(prepared.plan, statistics=())
            answer = released(question) if same and reading.statistic in question.plan.statistics else None
            if answer is not None:
                program, cells = answer
                if strategy_in(program) is not None:
                    bounds.append(_least_count(program, reading.statistic, cells, sure))
                    continue
                counts = cells[program.row_of(reading.statistic)]
                margin = Noise(program.law_of(reading.statistic), reading.step).margin(sure)
                bounds.append(float(counts.min()) * float(reading.step) - margin)
            elif same and question is counting:
                bounds += (float(counts["n"].low.min()) for counts in following(counting))
        return max(bounds)

    def following(question: Prepared) -> Iterator[dict[str, Estimates]]:
        """Estimates for a question from cached answers already charged to the analyst."""
        for derived in derivations(
            question, lambda statistics: ledger.find_cached_answers(statistics, analyst), cryptographic
        ):
            if all(cached_answer.charged for cached_answer in derived.cached_answers):
                yield derived.estimates(stored_answers(derived.cached_answers, ledger.answer), sure)[0]

    answer = released(prepared)
    estimates = {} if answer is None else estimates_of(*answer, sure)
    known = []
    for column in prepared.values:
        least = 0.0
        if column.name in estimates:
            ends = estimates[column.name]
            away = np.maximum(np.ma.filled(ends.low, -np.inf), -np.ma.filled(ends.high, np.inf))
            least = max(0.0, float(away.min()))
        known.append(
            PriorEstimates(
                least,
                rows(column)
                if isinstance(column, ValueColumn) and column.aggregate in (COUNT, SUM, AVG)
                else 0.0,
            )
        )
    return tuple(known)


def _least_count(program: Program, counted: Statistic, cells: Integers, sure: Fraction) -> float:
    """A lower bound on the rows in each cell, from the answer of a strategy."""
    strategy = strategy_in(program)
    assert strategy is not None
    for aggregate, argument in strategy.workload_query.places:
        column = ValueColumn("", aggregate, argument)
        if aggregate == COUNT and column.readings[0].statistic == counted:
            return float(program.finished(column, cells, sure).low.min())
    return 0.0
