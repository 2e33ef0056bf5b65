"""Whether stored answers are used for what they are: for no other rows, with the noise that they have, and by whoever may.

Follows   Every question is asked without a price, so that it is answered if stored answers say it, and then paid for. What follows
          from stored answers must be what the rows say by the reference engine, without noise, within intervals that miss it
          once in a thousand million times; what is chosen, within the interval of another choice. Prices are high, so that
          intervals are narrow.
Noise     An answer is read with the noise that was paid for, whatever the same price would buy now.
Price     Whoever pays for a better answer than is stored gets it.
Coins     Real noise and repeated noise are not mixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.deployment.asking import exactly, in_rho, is_noisy, program_at, release, run_at, that_cost
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated, copied, with_null
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.integers import WIDEST
from lapcat.audit.deployment.questions import ExampleQuestion, choices_of, keys_of, numbers_of, sums_of
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.errors import BadQuery
from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import Program
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Table
from lapcat.plan.words import sql_name
from lapcat.session.results import Answer
from lapcat.workload.strategic import Strategic

HIGH = Fraction(100)
"""The price of a question whose noise must not hide whose rows it is about."""
SURE = 1 - Fraction(1, 10**9)
"""The confidence of an interval that must hold; there are some thousand in an audit."""
ROUNDING = 1e-9
"""Of a number that floats were used for."""
PRICE = Fraction(1)
MOST = 3
"""Choices of a table that are paid for twice."""


def stored(family: Family, folder: Path) -> Iterator[Check]:
    """All questions of a family, one after the other; then, where nothing is stored yet, what else is promised."""
    rows = with_null(family)
    for name, found in (("follows", _follows), ("kept", _kept)):
        copy = copied(family, rows, folder / name)
        try:
            yield from found(copy)
        finally:
            copy.remove()


# ------------------------------------------------------------------------------------------------ what follows


def _follows(copy: Copy) -> Iterator[Check]:
    """The last questions first: those of one table by all of its keys come before those that follow from them."""
    tables = copy.family.tables
    others = [asked for table in tables for asked in (*_of_fewer_rows(table), *choices_of(table))]
    for number, asked in enumerate([*reversed(sums_of(copy.family, 0)), *others]):
        price = HIGH * (1 + Fraction(number, 64))
        program = program_at(copy, asked.text, price)
        if program is None or any(chosen.choice.width > WIDEST for chosen in program.chosen):
            continue
        free = _free(copy, asked)
        problem = _unlike(program, free, _expected(copy, program)) if isinstance(free, Answer) else free
        yield Check("stored", asked.aggregate, noise_of(program), copy.engine, SAMPLED, asked.text, problem)
        if problem:
            return  # whoever pays for it would be given the same
        run_at(copy.session(), asked.text, price, rho=in_rho(copy))


def _of_fewer_rows(table: Table) -> Iterator[ExampleQuestion]:
    """Counts of rows that a condition leaves."""
    for name in (*numbers_of(table)[:1], *keys_of(table)[:1]):
        yield ExampleQuestion(
            "COUNT", f"SELECT COUNT(*) AS n FROM {sql_name(table.name)} WHERE {sql_name(name)} IS NOT NULL"
        )


def _free(copy: Copy, asked: ExampleQuestion) -> Answer | str:
    """The answer that follows from stored ones; or nothing, where there is none."""
    try:
        return copy.session().sql(asked.text).run(confidence=SURE)
    except BadQuery:
        return ""
    except Exception as error:  # whatever it is: no refusal, but numbers that were read for others
        return f"it is answered from a stored answer to something else ({type(error).__name__})"


def _expected(copy: Copy, program: Program) -> dict[str, Estimates]:
    """What the rows say; of what is chosen, where another choice lies."""
    if program.chosen:
        return estimates_of(program, release(program, copy.reference(), system_coins()).cells, SURE)
    found = exactly(program, copy.reference().figures(program.plan)[0])
    return {name: replace(one, low=one.value, high=one.value) for name, one in found.items()}


def _unlike(program: Program, answer: Answer, expected: dict[str, Estimates]) -> str:
    """Why an answer is to another question; empty where the intervals of all its numbers meet those that are expected."""
    for column in program.prepared.values:
        if f"{column.name}_low" not in answer.columns:
            continue  # a mode has no interval
        estimates = expected[column.name]
        low, high = (np.array(answer[f"{column.name}_{end}"], float) for end in ("low", "high"))
        least, most = _filled(estimates.low), _filled(estimates.high)
        near = ROUNDING * np.maximum(np.abs(low), np.abs(high))
        if low.shape != least.shape or (low > most + near).any() or (least > high + near).any():
            return "what follows from stored answers is not what the rows say"
    return ""


def _filled(end: object) -> NDArray[np.float64]:
    """One end of intervals, NaN where it is open."""
    return np.asarray(np.ma.filled(np.ma.asarray(end, float), np.nan))


# ------------------------------------------------------------------------------------------------ noise, price, coins


def _kept(copy: Copy) -> Iterator[Check]:
    def check(text: str, problem: str) -> Check:
        return Check("stored", "any", "–", copy.engine, PROVED, text, problem)

    asked = sums_of(copy.family, 0)
    for text in that_cost(copy, asked, PRICE, 1):
        yield check("what was answered with repeated noise", _mixed(copy, text))
    several = (found for one in asked if (found := _of_several(copy, one.text)) is not None)
    for text, program in islice(several, 1):
        yield check("an answer whose price was split otherwise than now", _as_paid(copy, text, program))
    for table in copy.family.tables:
        for one in choices_of(table)[:MOST]:
            yield check(f"{one.text}, after the same beside a count", _worse(copy, one.text))


def _mixed(copy: Copy, text: str) -> str:
    run_at(copy.session(Repeated("stored")), text, PRICE, rho=in_rho(copy))
    try:
        copy.session().sql(text).run()
    except BadQuery:
        return ""
    return "it is given to whoever asks for real noise"


def _of_several(copy: Copy, text: str) -> tuple[str, Program] | None:
    """The question with twice the noise on the first of several sums; None where there are not so many."""
    program = program_at(copy, text, PRICE)
    if program is None or isinstance(program, Strategic):
        return None
    for place, measurement in enumerate(program.measurements[:-1]):
        match measurement.mechanism:
            case Laplace(scale):
                louder: Laplace | Gaussian = Laplace(2 * scale)
            case Gaussian(sigma_squared):
                louder = Gaussian(4 * sigma_squared)
            case Constant():
                continue
        measured = list(program.measurements)
        measured[place] = replace(measurement, mechanism=louder)
        return text, replace(program, measurements=tuple(measured))
    return None


def _as_paid(copy: Copy, text: str, program: Program) -> str:
    """The same question for less than was paid is free, and has the intervals that it had."""
    paid = copy.session().sql(text).run_of(program, Fraction(95, 100))
    again = run_at(copy.session(), text, PRICE / 8, rho=in_rho(copy))
    if not again.free:
        return "it is paid for again"
    return "" if again.rows == paid.rows else "it is read with another noise than was paid for"


def _worse(copy: Copy, text: str) -> str:
    """Of a price that is spent on a choice alone more is left for it than beside a count."""
    beside = text.replace(" FROM ", ", COUNT(*) AS many FROM ", 1)
    program = program_at(copy, beside, PRICE)
    if program is None or not is_noisy(program):
        return ""  # for a public count nothing is paid
    run_at(copy.session(), beside, PRICE, rho=in_rho(copy))
    alone = run_at(copy.session(), text, PRICE, rho=in_rho(copy))
    return "what was paid for is one that is stored, and is further off" if alone.free else ""
