"""One question through the whole path (SQL, plan, engine, release gate, ledger), or only its release, many times."""

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
from lapcat.core.mechanisms.base import StatisticMechanism
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.release import ExactResult
from lapcat.errors import BadQuery, Refused
from lapcat.mechanisms.integers.knorm import KNorm
from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import Measurement, Program
from lapcat.plan.nodes import Group, private_scans, scans_of
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import SpendingLimit
from lapcat.session import Session
from lapcat.session.question import Question
from lapcat.session.results import Answer
from lapcat.workload.strategic import strategy_in

NEGLIGIBLE = Fraction(1, 1000)
"""The scale of noise that is zero except with probability about e⁻¹⁰⁰⁰."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """The result of a question: its program, its release, and the debits."""

    program: Program
    released: NoisyResult
    debits: Mapping[str, Fraction]
    """The debit of each scope, in the kind of the budget."""
    in_rho: bool
    """Whether the budget is in rho."""


def program_at(copy: Copy, text: str, price: Fraction) -> Program | None:
    """The question at this price in the kind of the budget, epsilon or rho; None if it is refused."""
    try:
        return _priced(copy, copy.session().sql(text), price)
    except (BadQuery, Refused):
        return None


def program_in_epsilon(
    copy: Copy, text: str, epsilon: Fraction, delta: Fraction | None = None
) -> Program | None:
    """The question at this epsilon, whatever the budget is; None if it is refused."""
    try:
        return copy.session().sql(text).priced_at(epsilon, delta)
    except (BadQuery, Refused):
        return None


def in_rho(copy: Copy) -> bool:
    return copy.family.tables[0].limit.rho is not None


def limit_like(family: Family, amount: Fraction) -> SpendingLimit:
    """A limit of this amount, of the same kind as the family's."""
    return (
        SpendingLimit(rho=amount) if family.tables[0].limit.rho is not None else SpendingLimit(epsilon=amount)
    )


def charged_texts(copy: Copy, asked: Iterable[ExampleQuestion], price: Fraction, limit: int) -> list[str]:
    """The first `limit` different questions that are charged: under replace-one some answers are public, and cost nothing."""
    texts: dict[str, str] = {}
    for question in asked:
        program = program_at(copy, question.text, price)
        if program is not None and is_noisy(program):
            texts.setdefault(program.prepared.identity, question.text)
            if len(texts) == limit:
                break
    return list(texts.values())


def is_noisy(program: Program) -> bool:
    """Whether any of its sums gets noise."""
    return any(value is None for value in program.publics)


def run_at(session: Session, text: str, price: Fraction, *, rho: bool, key: str | None = None) -> Answer:
    """Runs the question as an analyst does, at this price in the kind of the budget."""
    question = session.sql(text)
    return question.run(rho=price, key=key) if rho else question.run(epsilon=price, key=key)


def _priced(copy: Copy, question: Question, price: Fraction) -> Program:
    return question.priced_in_rho(price) if in_rho(copy) else question.priced_at(price, None)


def ask(copy: Copy, text: str, price: Fraction, seed: str) -> AskedAnswer | None:
    """The whole path, with deterministic coins; None if the question is refused, or follows from earlier answers."""
    session, rho = copy.session(Repeated(seed)), in_rho(copy)
    before = _spent(copy, rho)
    try:
        question = session.sql(text)
        program = _priced(copy, question, price)
        answer = question.run_of(program, Fraction(95, 100))
    except (BadQuery, Refused):
        return None
    if answer.free and is_public(program):  # costs nothing, and must not depend on any unit
        return AskedAnswer(program, release(program, engine_of(copy, program), Repeated(seed)), {}, rho)
    stored = None if answer.free else copy.ledger.answer(answer.receipt.id)
    if stored is None:
        return None
    debits = {scope: now - before.get(scope, Fraction(0)) for scope, now in _spent(copy, rho).items()}
    return AskedAnswer(program, unpacked(stored), debits, rho)


def is_public(program: Program) -> bool:
    """Whether no unit changes any number of the answer, so that it needs no noise."""
    return not program.chosen and not is_noisy(program)


def max_spent(copy: Copy) -> Fraction:
    """The largest spending of any scope, in the kind of the budget."""
    return max(_spent(copy, in_rho(copy)).values(), default=Fraction(0))


def spent_from(copy: Copy, scope: str) -> Fraction:
    """The spending of one scope."""
    return _spent(copy, in_rho(copy)).get(scope, Fraction(0))


def _spent(copy: Copy, rho: bool) -> dict[str, Fraction]:
    spent = {scope: copy.ledger.spent(scope) for scope in copy.ledger.scopes()}
    return {scope: (s.rho if rho else s.epsilon) or Fraction(0) for scope, s in spent.items()}


def charged_scopes(copy: Copy, program: Program, block: Mapping[str, object]) -> list[str] | None:
    """The scopes to charge for a unit in these blocks; None if it is in no declared block of a table that is read."""
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
    """An engine that executes each plan once and passes the closed result to the release gate repeatedly."""

    engine: gate.QueryEngine[Group]
    results: dict[Group, ExactResult] = field(default_factory=dict)

    def execute(self, plan: Group) -> ExactResult:
        if plan not in self.results:
            self.results[plan] = self.engine.execute(plan)
        return self.results[plan]


@dataclass(frozen=True, slots=True)
class _NoDebit:
    id: int = 0
    answer: bytes | None = None


class _NoLedger:
    """A ledger that records nothing: one release is drawn many times, and its debit is checked elsewhere."""

    def executing(self, debit_id: int) -> None: ...

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        return answer

    def failed(self, debit_id: int, analyst: str | None = None) -> None: ...


def release(program: Program, engine: gate.QueryEngine[Group], coins: CoinSource) -> NoisyResult:
    """The release gate, with the mechanisms of a program."""
    return gate.release(
        program.executed_plan,
        program.mechanisms,
        _NoDebit(),
        choices=[gate.SelectionStep(c.choice.plan, c.choice.width, c.mechanism) for c in program.chosen],
        threshold=program.threshold,
        ledger=_NoLedger(),
        engine=engine,
        coins=coins,
    )


def exactly(program: Program, cells: Integers) -> dict[str, Estimates]:
    """The estimates of a question from exact integers, as if their noise were negligible."""
    prepared = program.prepared
    silent = tuple(
        Measurement(
            label.label,
            fact.sensitivity,
            Laplace(NEGLIGIBLE) if (public := prepared.public_value(statistic)) is None else Constant(public),
        )
        for label, fact, statistic in zip(
            prepared.labels, prepared.facts.statistics, prepared.plan.statistics, strict=True
        )
    )
    return estimates_of(Program(prepared, silent), cells, Fraction(1, 2))


def noisy_parts(program: Program, released: NoisyResult) -> list[tuple[StatisticMechanism | KNorm, Integers]]:
    """The releases by mechanism: the cells of a statistic, or the measurements of a strategy's part."""
    strategy = strategy_in(program)
    if strategy is None:
        return [(m.mechanism, cells) for m, cells in zip(program.measurements, released.cells, strict=False)]
    parts = strategy.inner.candidate.measured.parts
    ends = np.cumsum([linear.rows for linear, _ in parts])
    pieces = np.split(released.cells[0], ends[:-1])
    return [(noise, piece) for (_, noise), piece in zip(parts, pieces, strict=True)]


def engine_of(copy: Copy, program: Program) -> gate.QueryEngine[Group]:
    return copy.deployment.engine(scans_of(program.plan))
