"""Whether the ledger keeps its promises: a failure gives nothing back, questions end at the cap, what is booked adds up.

The sums are worked out once more from the entries of the chain alone, and held against what the ledger says was spent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import in_rho, program_at
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.made import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.coins import system_coins
from lapcat.core.door import Private
from lapcat.core.mechanisms.constant import Constant
from lapcat.errors import BadQuery, BudgetExceeded, EngineFailed, Refused
from lapcat.ledger import Spent
from lapcat.ledger.quanta import NOTHING
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Limit
from lapcat.session.burn_down import spending
from lapcat.session.results import Answer

BITS = 128
SEVERAL = 6
"""Questions with which the cap is reached."""


class _Failing:
    """An engine that fails after the debit."""

    def ready(self, plan: Group) -> None: ...

    def look(self, plan: Group) -> Private:
        raise RuntimeError("an engine that fails, for an audit")

    def close(self) -> None: ...


def books(family: Family, folder: Path) -> Iterator[Check]:
    """A cap of 1: a quarter for a failure, and then questions of a fifth until there is no more."""
    rho = family.tables[0].limit.rho is not None
    cap = Limit(rho=Fraction(1)) if rho else Limit(epsilon=Fraction(1))
    copy = copied(family, neighbours_of(family)[0].here, folder, limit=cap)
    try:
        yield from _checked(copy)
    finally:
        copy.remove()


def _checked(copy: Copy) -> Iterator[Check]:
    def check(text: str, problem: str) -> Check:
        return Check("books", "any", "–", copy.engine, PROVED, text, problem)

    questions = []
    for asked in sums_of(copy.family, 0):
        program = program_at(copy, asked.text, Fraction(1, 4))
        if program is not None and not all(isinstance(m, Constant) for m in program.mechanisms):
            questions.append(asked.text)  # under replace-one some answers are public, and cost nothing
        if len(questions) > SEVERAL:
            break
    if not questions:
        return
    first, *others = questions
    deployment = copy.deployment
    honest = deployment.engine
    deployment.engine = lambda scans: _Failing()  # type: ignore[method-assign]
    try:
        _run(copy, first, Fraction(1, 4))
        problem = "there was an answer all the same"
    except EngineFailed:
        booked = _spent(copy)
        problem = (
            "" if booked == Fraction(1, 4) else f"{float(booked):.6g} is booked for a failed question of 0.25"
        )
    finally:
        deployment.engine = honest  # type: ignore[method-assign]
    yield check("an engine that fails: the charge stands", problem)
    answered = Fraction(1, 4)
    for text in others * 2:
        try:
            answered += Fraction(0) if _run(copy, text, Fraction(1, 5)).free else Fraction(1, 5)
        except BudgetExceeded:
            break
        except (BadQuery, Refused):
            continue
    over = answered > 1 or _spent(copy) > 1
    yield check(
        "questions until the cap", f"{float(answered):.6g} was answered under a cap of 1" if over else ""
    )
    yield check("the sums, worked out from the entries", _other_sums(copy))
    copy.ledger.verify()
    yield check("the chain of the ledger", "")


def _run(copy: Copy, text: str, price: Fraction) -> Answer:
    question = copy.session().sql(text)
    return question.run(rho=price) if in_rho(copy) else question.run(epsilon=price)


def _spent(copy: Copy) -> Fraction:
    """The most that any scope has spent, in the budget's own kind."""
    found = [copy.ledger.spent(scope) for scope in copy.ledger.scopes()]
    return max(((s.rho if in_rho(copy) else s.epsilon) or Fraction(0) for s in found), default=Fraction(0))


def _other_sums(copy: Copy) -> str:
    for scope, paid in spending(copy.ledger.entries()).items():
        total = NOTHING
        for one in paid:
            total = total - one.cost if one.back else total + one.cost
        if Spent.of(total) != copy.ledger.spent(scope):
            return f"the entries of {scope.partition(':')[0]} add up to another sum than the ledger says was spent"
    return ""


def coins() -> Iterator[Check]:
    """The random stream, which is the same for every table: a child process must not go on with its parent's."""
    if not hasattr(os, "fork"):
        return
    stream = system_coins()
    stream.bits(BITS)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(stream.bits(BITS)).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        alike = pipe.read().decode() == str(stream.bits(BITS))
    text = f"{BITS} bits drawn by a process and by its child"
    yield Check("coins", "any", "–", "–", SAMPLED, text, "they are the same" if alike else "")
