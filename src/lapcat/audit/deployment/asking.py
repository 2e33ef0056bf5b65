"""One question through the whole path, or its release alone, many times: SQL, plan, engine, door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from lapcat.audit.deployment.copies import Copy, Repeated
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.questions import ExampleQuestion
from lapcat.core import release as gate
from lapcat.core.answers import Integers, NoisyResult, unpacked
from lapcat.core.coins import CoinSource
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.release import ExactResult
from lapcat.errors import BadQuery, Refused
from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import Measurement, Program
from lapcat.plan.nodes import Group, private_scans, scans_of
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import SpendingLimit
from lapcat.session import Session
from lapcat.session.question import Question
from lapcat.session.results import Answer
from lapcat.workload.strategic import Strategic

HARDLY = Fraction(1, 1000)
"""The scale of noise that is zero but for a chance of e⁻¹⁰⁰⁰."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """What came of a question: what was released, at which price, and what was booked for it."""

    program: Program
    released: NoisyResult
    booked: Mapping[str, Fraction]
    """What each scope was debited, in the budget's own kind."""
    in_rho: bool
    """Whether that is rho."""


def program_at(copy: Copy, text: str, price: Fraction) -> Program | None:
    """The question at this price in the budget's own kind, epsilon or rho; None where it is refused."""
    try:
        return _priced(copy, copy.session().sql(text), price)
    except (BadQuery, Refused):
        return None


def program_in_epsilon(
    copy: Copy, text: str, epsilon: Fraction, delta: Fraction | None = None
) -> Program | None:
    """The question at this epsilon, whatever the budget is; None where it is refused."""
    try:
        return copy.session().sql(text).priced_at(epsilon, delta)
    except (BadQuery, Refused):
        return None


def in_rho(copy: Copy) -> bool:
    return copy.family.tables[0].limit.rho is not None


def limit_like(family: Family, amount: Fraction) -> SpendingLimit:
    """A limit of this amount in the kind of the family's own."""
    return (
        SpendingLimit(rho=amount) if family.tables[0].limit.rho is not None else SpendingLimit(epsilon=amount)
    )


def that_cost(copy: Copy, asked: Iterable[ExampleQuestion], price: Fraction, most: int) -> list[str]:
    """The first of these questions that measure different things and have a price: under replace-one some answers are
    public, and cost nothing."""
    found: dict[str, str] = {}
    for one in asked:
        program = program_at(copy, one.text, price)
        if program is not None and is_noisy(program):
            found.setdefault(program.prepared.identity, one.text)
            if len(found) == most:
                break
    return list(found.values())


def is_noisy(program: Program) -> bool:
    """Whether any of its sums has noise."""
    return not all(isinstance(mechanism, Constant) for mechanism in program.mechanisms)


def run_at(session: Session, text: str, price: Fraction, *, rho: bool, key: str | None = None) -> Answer:
    """The question as an analyst runs it, at this price in the budget's own kind."""
    question = session.sql(text)
    return question.run(rho=price, key=key) if rho else question.run(epsilon=price, key=key)


def _priced(copy: Copy, question: Question, price: Fraction) -> Program:
    return question.priced_in_rho(price) if in_rho(copy) else question.priced_at(price, None)


def ask(copy: Copy, text: str, price: Fraction, seed: str) -> AskedAnswer | None:
    """The whole path, with repeated coins; None where the question is refused, or follows from what was asked before."""
    session, rho = copy.session(Repeated(seed)), in_rho(copy)
    before = _spent(copy, rho)
    try:
        question = session.sql(text)
        program = _priced(copy, question, price)
        answer = question.run_of(program, Fraction(95, 100))
    except (BadQuery, Refused):
        return None
    if answer.free and is_public(program):  # costs nothing, and must tell of nobody
        return AskedAnswer(program, release(program, engine_of(copy, program), Repeated(seed)), {}, rho)
    stored = None if answer.free else copy.ledger.answer(answer.receipt.id)
    if stored is None:
        return None
    booked = {scope: now - before.get(scope, Fraction(0)) for scope, now in _spent(copy, rho).items()}
    return AskedAnswer(program, unpacked(stored), booked, rho)


def is_public(program: Program) -> bool:
    """Whether nobody changes any number of the answer, so that it has no noise."""
    return not program.chosen and not is_noisy(program)


def spent_most(copy: Copy) -> Fraction:
    """The most that any scope has spent, in the budget's own kind."""
    return max(_spent(copy, in_rho(copy)).values(), default=Fraction(0))


def spent_from(copy: Copy, scope: str) -> Fraction:
    """The same of one scope."""
    return _spent(copy, in_rho(copy)).get(scope, Fraction(0))


def _spent(copy: Copy, rho: bool) -> dict[str, Fraction]:
    found = {scope: copy.ledger.spent(scope) for scope in copy.ledger.scopes()}
    return {scope: (s.rho if rho else s.epsilon) or Fraction(0) for scope, s in found.items()}


def due(copy: Copy, program: Program, block: Mapping[str, object]) -> list[str] | None:
    """The scopes that must pay for a unit which lies in these blocks; None where it lies in none of a table's that is read."""
    names = {scan.table for plan in program.executed_plans for scan in private_scans(plan.source)}
    tables = [table for table in copy.family.tables if table.name in names]
    blocks = {}
    for table in tables:
        if table.blocks is not None:
            if block[table.name] not in table.blocks.values:
                return None
            blocks[table.name] = [value for value in table.blocks.values if value == block[table.name]]
    return [charge.scope for charge in copy.deployment.charges(tables, None, blocks)]


@dataclass(slots=True)
class RecordedEngine:
    """An engine that looks once: what it saw stays closed, and is handed to the door again and again."""

    engine: gate.QueryEngine[Group]
    known: dict[Group, ExactResult] = field(default_factory=dict)

    def execute(self, plan: Group) -> ExactResult:
        if plan not in self.known:
            self.known[plan] = self.engine.execute(plan)
        return self.known[plan]


@dataclass(frozen=True, slots=True)
class _Paid:
    id: int = 0
    answer: bytes | None = None


class _NoLedger:
    """A ledger that writes nothing: one release is drawn many times, and what it costs once was booked elsewhere."""

    def executing(self, debit_id: int) -> None: ...

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        return answer

    def failed(self, debit_id: int, analyst: str | None = None) -> None: ...


def release(program: Program, engine: gate.QueryEngine[Group], coins: CoinSource) -> NoisyResult:
    """The door, with the mechanisms of a program."""
    return gate.release(
        program.executed_plan,
        program.mechanisms,
        _Paid(),
        choices=[gate.SelectionStep(c.choice.plan, c.choice.width, c.mechanism) for c in program.chosen],
        threshold=program.threshold,
        ledger=_NoLedger(),
        engine=engine,
        coins=coins,
    )


def exactly(program: Program, cells: Integers) -> dict[str, Estimates]:
    """What a question makes of exact integers: as if their noise were next to none."""
    prepared = program.prepared
    silent = tuple(
        Measurement(
            label.label,
            fact.sensitivity,
            Laplace(HARDLY) if (public := prepared.public_value(statistic)) is None else Constant(public),
        )
        for label, fact, statistic in zip(
            prepared.labels, prepared.facts.statistics, prepared.plan.statistics, strict=True
        )
    )
    return estimates_of(Program(prepared, silent), cells, Fraction(1, 2))


def noisy_parts(program: Program, released: NoisyResult) -> list[tuple[object, Integers]]:
    """What was released with each noise of its own: the cells of a statistic, or what a part of a strategy measures."""
    if not isinstance(program, Strategic):
        return [(m.mechanism, cells) for m, cells in zip(program.measurements, released.cells, strict=False)]
    parts = program.of[1].candidate.measured.parts
    ends = np.cumsum([linear.rows for linear, _ in parts])
    pieces = np.split(released.cells[0], ends[:-1])
    return [(noise, piece) for (_, noise), piece in zip(parts, pieces, strict=True)]


def engine_of(copy: Copy, program: Program) -> gate.QueryEngine[Group]:
    return copy.deployment.engine(scans_of(program.plan))
