"""Answers derived from stored answers: for the same rows only, and with the noise they were released with.

Follows   Every question is first asked without a price, so that it is answered if it follows from stored answers, and then with
          one. A derived answer must agree with the reference engine's exact result, within intervals that miss with probability
          1e-9; a selection must agree with the interval of another selection. Prices are high, so intervals are narrow.
Noise     An answer is read with the noise it was released with, whatever the same price would buy now.
Price     An analyst who is charged for a better answer than the stored one gets it.
Coins     Answers with system coins and with deterministic coins are not mixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.deployment.asking import (
    charged_texts,
    exactly,
    in_rho,
    is_noisy,
    program_at,
    release,
    run_at,
)
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated, copied, with_null
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.integers import WIDEST
from lapcat.audit.deployment.questions import ExampleQuestion, choices_of, keys_of, numbers_of, sums_of
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.base import Mechanism
from lapcat.errors import BadQuery
from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import Program
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Table
from lapcat.plan.words import sql_name
from lapcat.session.results import Answer
from lapcat.workload.strategic import strategy_in

HIGH = Fraction(100)
"""A price at which noise does not hide which rows were read."""
SURE = 1 - Fraction(1, 10**9)
"""The confidence of an interval that must hold; an audit checks about a thousand."""
ROUNDING = 1e-9
"""The relative rounding error of floats."""
PRICE = Fraction(1)
MAX_CHOICES = 3
"""The number of selections per table that are charged twice."""


def stored(family: Family, folder: Path) -> Iterator[Check]:
    """All questions of a family in turn; then, with an empty cache, noise, price and coins."""
    rows = with_null(family)
    for name, checks in (("follows", _follows), ("kept", _kept)):
        copy = copied(family, rows, folder / name)
        try:
            yield from checks(copy)
        finally:
            copy.remove()


# ------------------------------------------------------------------------------------------------ derived answers


def _follows(copy: Copy) -> Iterator[Check]:
    """The questions in reverse order, so that those by all keys come before those that follow from them."""
    tables = copy.family.tables
    others = [asked for table in tables for asked in (*_of_fewer_rows(table), *choices_of(table))]
    for number, asked in enumerate([*reversed(sums_of(copy.family, 0)), *others]):
        price = HIGH * (1 + Fraction(number, 64))
        program = program_at(copy, asked.text, price)
        if program is None or any(chosen.choice.width > WIDEST for chosen in program.chosen):
            continue
        derived = _derived(copy, asked)
        problem = (
            _unlike(program, derived, _expected(copy, program)) if isinstance(derived, Answer) else derived
        )
        yield Check("stored", asked.aggregate, noise_of(program), copy.engine, SAMPLED, asked.text, problem)
        if problem:
            return  # with a price the answer would be the same
        run_at(copy.session(), asked.text, price, rho=in_rho(copy))


def _of_fewer_rows(table: Table) -> Iterator[ExampleQuestion]:
    """Counts with a condition."""
    for name in (*numbers_of(table)[:1], *keys_of(table)[:1]):
        yield ExampleQuestion(
            "COUNT", f"SELECT COUNT(*) AS n FROM {sql_name(table.name)} WHERE {sql_name(name)} IS NOT NULL"
        )


def _derived(copy: Copy, asked: ExampleQuestion) -> Answer | str:
    """The answer that follows from stored ones, or a problem; empty if nothing follows."""
    try:
        return copy.session().sql(asked.text).run(confidence=SURE)
    except BadQuery:
        return ""
    except Exception as error:  # not a refusal: a stored answer was misread
        return f"it is answered from a stored answer to something else ({type(error).__name__})"


def _expected(copy: Copy, program: Program) -> dict[str, Estimates]:
    """The exact result; for selections, the interval of another selection."""
    if program.chosen:
        return estimates_of(program, release(program, copy.reference(), system_coins()).cells, SURE)
    truth = exactly(program, copy.reference().figures(program.plan)[0])
    return {name: replace(exact, low=exact.value, high=exact.value) for name, exact in truth.items()}


def _unlike(program: Program, answer: Answer, expected: dict[str, Estimates]) -> str:
    """The problem if an interval does not meet the expected one; empty if all do."""
    for column in program.prepared.values:
        if f"{column.name}_low" not in answer.columns:
            continue  # a mode has no interval
        estimates = expected[column.name]
        low, high = (np.array(answer[f"{column.name}_{end}"], float) for end in ("low", "high"))
        expected_low, expected_high = _filled(estimates.low), _filled(estimates.high)
        near = ROUNDING * np.maximum(np.abs(low), np.abs(high))
        if (
            low.shape != expected_low.shape
            or (low > expected_high + near).any()
            or (expected_low > high + near).any()
        ):
            return "the answer derived from stored answers is wrong"
    return ""


def _filled(end: object) -> NDArray[np.float64]:
    """One end of intervals; NaN if it is open."""
    return np.asarray(np.ma.filled(np.ma.asarray(end, float), np.nan))


# ------------------------------------------------------------------------------------------------ noise, price, coins


def _kept(copy: Copy) -> Iterator[Check]:
    def check(text: str, problem: str) -> Check:
        return Check("stored", "any", "–", copy.engine, PROVED, text, problem)

    asked = sums_of(copy.family, 0)
    for text in charged_texts(copy, asked, PRICE, 1):
        yield check("an answer with deterministic noise", _mixed(copy, text))
    several = (louder for question in asked if (louder := _of_several(copy, question.text)) is not None)
    for text, program in islice(several, 1):
        yield check("an answer whose price was split differently", _as_released(copy, text, program))
    for table in copy.family.tables:
        for question in choices_of(table)[:MAX_CHOICES]:
            yield check(f"{question.text}, after the same together with a count", _worse(copy, question.text))


def _mixed(copy: Copy, text: str) -> str:
    run_at(copy.session(Repeated("stored")), text, PRICE, rho=in_rho(copy))
    try:
        copy.session().sql(text).run()
    except BadQuery:
        return ""
    return "it is reused for a session with system coins"


def _of_several(copy: Copy, text: str) -> tuple[str, Program] | None:
    """The question with twice the noise on the first of several sums; None if it has only one."""
    program = program_at(copy, text, PRICE)
    if program is None or strategy_in(program) is not None:
        return None
    for place, measurement in enumerate(program.measurements[:-1]):
        if not isinstance(measurement.mechanism, Mechanism):
            continue
        measured = list(program.measurements)
        measured[place] = replace(measurement, mechanism=measurement.mechanism.rescaled(Fraction(2)))
        return text, replace(program, measurements=tuple(measured))
    return None


def _as_released(copy: Copy, text: str, program: Program) -> str:
    """The same question at a lower price is free, and keeps its intervals."""
    first = copy.session().sql(text).run_of(program, Fraction(95, 100))
    again = run_at(copy.session(), text, PRICE / 8, rho=in_rho(copy))
    if not again.free:
        return "it is charged again"
    return "" if again.rows == first.rows else "it is read with other noise than it was released with"


def _worse(copy: Copy, text: str) -> str:
    """A selection alone gets a larger share of the price than together with a count."""
    beside = text.replace(" FROM ", ", COUNT(*) AS many FROM ", 1)
    program = program_at(copy, beside, PRICE)
    if program is None or not is_noisy(program):
        return ""  # a public count costs nothing
    run_at(copy.session(), beside, PRICE, rho=in_rho(copy))
    alone = run_at(copy.session(), text, PRICE, rho=in_rho(copy))
    return "the less accurate stored answer is returned instead of the charged one" if alone.free else ""
