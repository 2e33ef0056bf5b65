"""One question through the whole path, or its release alone, many times: SQL, plan, engine, door."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from lapcat.audit.deployment.copies import Copy, Repeated
from lapcat.core import door
from lapcat.core.answers import Integers, Released, unpacked
from lapcat.core.coins import CoinSource
from lapcat.core.door import Private
from lapcat.errors import BadQuery, Refused
from lapcat.plan.compile import Program
from lapcat.plan.nodes import Group, scans_of
from lapcat.session.question import Question
from lapcat.workload.strategic import Strategic


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a question: what was released, at which price, and what was booked for it."""

    program: Program
    released: Released
    charged: Fraction
    """The least that any budget was debited, in its own kind."""
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


def _priced(copy: Copy, question: Question, price: Fraction) -> Program:
    return question.priced_at(price, None) if copy.table.limit.rho is None else question.priced_in_rho(price)


def ask(copy: Copy, text: str, price: Fraction, seed: str) -> Said | None:
    """The whole path, with repeated coins; None where the question is refused, or follows from what was asked before."""
    session = copy.session(Repeated(seed))
    scopes = [charge.scope for charge in copy.deployment.charges([copy.table], None)]
    before = [copy.ledger.spent(scope) for scope in scopes]
    try:
        question = session.sql(text)
        program = _priced(copy, question, price)
        answer = question.run_of(program, Fraction(95, 100))
    except (BadQuery, Refused):
        return None
    stored = copy.ledger.answer(answer.receipt.id)
    if answer.free or stored is None:
        return None
    after = [copy.ledger.spent(scope) for scope in scopes]
    rho = copy.table.limit.rho is not None
    moved = [
        (now.rho or Fraction(0)) - (then.rho or Fraction(0))
        if rho
        else (now.epsilon or Fraction(0)) - (then.epsilon or Fraction(0))
        for then, now in zip(before, after, strict=True)
    ]
    return Said(program, unpacked(stored), min(moved), rho)


@dataclass(slots=True)
class Seen:
    """An engine that looks once: what it saw stays closed, and is handed to the door again and again."""

    engine: door.Looks[Group]
    known: dict[Group, Private] = field(default_factory=dict)

    def look(self, plan: Group) -> Private:
        if plan not in self.known:
            self.known[plan] = self.engine.look(plan)
        return self.known[plan]


@dataclass(frozen=True, slots=True)
class _Paid:
    id: int = 0
    answer: bytes | None = None


class _NoBook:
    """A ledger that writes nothing: one release is drawn many times, and what it costs once was booked elsewhere."""

    def looked(self, debit_id: int) -> None: ...

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        return answer

    def failed(self, debit_id: int) -> None: ...


def release(program: Program, engine: door.Looks[Group], coins: CoinSource) -> Released:
    """The door, with the mechanisms of a program."""
    return door.release(
        program.looked,
        program.mechanisms,
        _Paid(),
        choices=[door.Choosing(c.choice.plan, c.choice.width, c.mechanism) for c in program.chosen],
        threshold=program.threshold,
        ledger=_NoBook(),
        engine=engine,
        coins=coins,
    )


def noisy_parts(program: Program, released: Released) -> list[tuple[object, Integers]]:
    """What was released with each noise of its own: the cells of a statistic, or what a part of a strategy measures."""
    if not isinstance(program, Strategic):
        return [(m.mechanism, cells) for m, cells in zip(program.measurements, released.cells, strict=False)]
    parts = program.of[1].candidate.measured.parts
    ends = np.cumsum([linear.rows for linear, _ in parts])
    pieces = np.split(released.cells[0], ends[:-1])
    return [(noise, piece) for (_, noise), piece in zip(parts, pieces, strict=True)]


def engine_of(copy: Copy, program: Program) -> door.Looks[Group]:
    return copy.deployment.engine(scans_of(program.plan))
