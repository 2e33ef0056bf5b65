"""Intervals of sums of stored answers over their groups: each contains several noise terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from lapcat.audit.deployment.asking import exactly, in_rho, program_at, run_at
from lapcat.audit.deployment.check import SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated
from lapcat.audit.deployment.margins.coverage import LEVEL, holds, too_rarely
from lapcat.audit.deployment.margins.sums import HIGH, MANY
from lapcat.audit.deployment.questions import ExampleQuestion, keys_of, numbers_of
from lapcat.core.answers import Integers, NoisyResult
from lapcat.core.coins import CoinSource
from lapcat.plan.compile import Program
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Relation, Table
from lapcat.plan.words import sql_name
from lapcat.session.cache_plan import CachePlan, derivations
from lapcat.workload.strategic import strategy_in

DRAWS = 2_000
FORMS = ("COUNT(*)", "SUM({x})", "AVG({x})", "VAR_POP({x})")


def added_up(copy: Copy) -> Iterator[Check]:
    """Questions about a whole table, after the same question by a key."""
    price = Fraction(1) if copy.family.relation is Relation.ADD_REMOVE else HIGH
    programs: dict[int, Program] = {}
    for table in copy.family.tables:
        for asked, by in _questions(table):
            program = program_at(copy, by, price)
            if program is None or strategy_in(program) is not None:
                continue
            answer = run_at(copy.session(), by, price, rho=in_rho(copy))
            if not answer.free:
                programs[answer.receipt.id] = program
            for derived in _derived(copy, asked.text):
                if all(cached.id in programs for cached in derived.cached_answers):
                    problem = _sampled(copy, derived, programs)
                    noise = noise_of(program)
                    yield Check("margins", asked.aggregate, noise, copy.engine, SAMPLED, asked.text, problem)


def _questions(table: Table) -> Iterator[tuple[ExampleQuestion, str]]:
    """Each question about the whole table, with the same question by a key."""
    numbers = [f"{sql_name(x)}" for x in numbers_of(table)[:1]]
    for k in keys_of(table)[:2]:
        for form in FORMS if numbers else FORMS[:1]:
            text = f"SELECT {form.format(x=''.join(numbers))} AS v FROM {sql_name(table.name)}"
            yield ExampleQuestion(form.partition("(")[0], text), f"{text} GROUP BY {sql_name(k)}"


def _derived(copy: Copy, text: str) -> list[CachePlan]:
    """The ways to derive a question from stored answers."""
    prepared = copy.session().sql(text).prepared
    return list(derivations(prepared, copy.ledger.find_cached_answers, copy.deployment.coins.cryptographic))


def _sampled(copy: Copy, derived: CachePlan, programs: Mapping[int, Program]) -> str:
    coins = Repeated("margins of what is added up")
    exact = {cached.id: _exact(copy, programs[cached.id]) for cached in derived.cached_answers}
    drawn = {id: _releases(programs[id], cells, coins) for id, cells in exact.items()}
    (program,), (sources,) = derived.programs, derived.sources

    def cells(released: Mapping[int, NoisyResult]) -> list[Integers]:
        return [
            np.array([derived.prepared.public_value(statistic)], np.int64)
            if source is None
            else source.cells(released[source.cached_answer.id])
            for statistic, source in zip(derived.prepared.released, sources, strict=True)
        ]

    noisy = [cells({id: releases[number] for id, releases in drawn.items()}) for number in range(DRAWS)]
    estimates = estimates_of(program, np.hstack([np.vstack(draw) for draw in noisy]), LEVEL)
    truth = exactly(
        program, np.vstack(cells({id: NoisyResult(integers, True) for id, integers in exact.items()}))
    )
    for name, expected in truth.items():
        problem = too_rarely(
            holds(estimates[name], np.asarray(expected.value, np.float64)).reshape(DRAWS, -1)
        )
        if problem:
            return f"{name}, from {len(exact)} stored answers: {problem}"
    return ""


def _exact(copy: Copy, program: Program) -> Integers:
    """The exact integers of a stored answer; multiplied by MANY if the number of units is not public."""
    times = MANY if copy.family.relation is Relation.ADD_REMOVE else 1
    return np.asarray(copy.reference().figures(program.plan)[0] * times, np.int64)


def _releases(program: Program, exact: Integers, coins: CoinSource) -> list[NoisyResult]:
    """DRAWS possible releases."""
    rows = [
        mechanism.draw(np.tile(row, DRAWS), coins).reshape(DRAWS, -1)
        for mechanism, row in zip(program.mechanisms, exact, strict=True)
    ]
    return [NoisyResult(np.vstack(draw), True) for draw in zip(*rows, strict=True)]
