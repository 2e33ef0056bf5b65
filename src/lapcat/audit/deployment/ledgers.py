"""The ledger: debits are permanent, made once, within the current caps, and add up.

The totals are recomputed from the entries of the chain alone, and compared with the ledger's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import charged_texts, in_rho, limit_like, max_spent, run_at, spent_from
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.coins import system_coins
from lapcat.core.release import ExactResult
from lapcat.engines.base.engine import FIRST, Attempt, Engine
from lapcat.errors import BadQuery, BudgetExceeded, Bug, EngineFailed, IntegrityFailed, Refused
from lapcat.ledger import Spent
from lapcat.ledger.fixed_point import NOTHING
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Analyst, Catalogue, PublicTable, SpendingLimit, Table
from lapcat.session import Session
from lapcat.session.burn_down import spending
from lapcat.session.deployment import Deployment, TableStore
from lapcat.stored.scopes import Scope

BITS = 128
SEVERAL = 6
"""The number of questions that reach the cap."""
FAILED, EACH, LITTLE = Fraction(1, 4), Fraction(1, 5), Fraction(1, 20)
"""Prices, under a cap of 1: of the question whose engine fails, of those that follow, and of one after the cap."""


class _Failing:
    """An engine that fails after the debit."""

    def ready(self, plan: Group) -> None: ...

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        raise RuntimeError("an engine that fails, for an audit")

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Broken:
    """The same tables, with an engine that fails."""

    tables: TableStore

    @property
    def name(self) -> str:
        return self.tables.name

    def place(self, table: Table | PublicTable) -> str:
        return self.tables.place(table)

    def version(self, declared: int) -> int:
        return self.tables.version(declared)

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        return _Failing()


def ledgers(family: Family, folder: Path) -> Iterator[Check]:
    """Under a cap of 1: a failure at 1/4, then questions at 1/5 each until the cap is reached."""
    cap = limit_like(family, Fraction(1))
    copy = copied(family, neighbours_of(family)[0].here, folder, limit=cap)
    try:
        for text, problem in _checked(copy):
            yield Check("books", "any", "–", copy.engine, PROVED, text, problem)
    finally:
        copy.remove()


def _checked(copy: Copy) -> Iterator[tuple[str, str]]:
    """Actions and their problems."""
    texts = charged_texts(copy, sums_of(copy.family, 0), FAILED, SEVERAL + 1)
    if not texts:
        return
    first, *others = texts
    yield "an engine fails: the debit stands", _failure(copy, first)
    yield "a debit whose query was executed cannot be voided", _taken_back(copy)
    if others:
        yield "another question under a used idempotency key", _under_a_key(copy, others[0], first)
    yield "questions until the cap", _to_the_cap(copy, others)
    yield "the totals, recomputed from the entries", _other_sums(copy)
    yield "the chain of the ledger", _broken_chain(copy)
    yield "a lowered cap also binds open sessions", _lowered(copy, first)
    yield "an analyst who is given another's answer is debited too", _given(copy, first)


# ------------------------------------------------------------------------------------------------ debits are permanent


def _failure(copy: Copy, text: str) -> str:
    deployment = copy.deployment
    broken = Deployment(deployment.catalogue, _Broken(deployment.tables), copy.ledger)
    broken.require_acceptance()
    try:
        run_at(Session(broken), text, FAILED, rho=in_rho(copy))
    except EngineFailed:
        for table in deployment.catalogue.tables.values():
            copy.ledger.resume(deployment.scope(table), "an audit")
        debited = max_spent(copy)
        return "" if debited == FAILED else f"{float(debited):.6g} is debited for a failed question of 0.25"
    return "the question was answered"


def _taken_back(copy: Copy) -> str:
    """After a failure: the query may have been executed."""
    debit = max((entry.id for entry in copy.ledger.entries() if entry.kind == "debit"), default=0)
    try:
        copy.ledger.void(debit, "an audit")
    except Refused:
        return ""
    return "the ledger refunded the debit of an executed query"


def _under_a_key(copy: Copy, text: str, other: str) -> str:
    def run(text: str) -> int:
        return run_at(copy.session(), text, EACH, rho=in_rho(copy), key="an audit").receipt.id

    receipt, before = run(text), max_spent(copy)
    try:
        run(other)
        return "it got the answer to the first question"
    except Bug:
        return "it was mistaken for the first question"
    except Refused:
        pass
    if run(text) != receipt:
        return "the first question, retried under its key, is a new request"
    return "" if max_spent(copy) == before else "the refused question was debited"


# ------------------------------------------------------------------------------------------------ it adds up


def _to_the_cap(copy: Copy, texts: list[str]) -> str:
    answered = max_spent(copy)
    for text in texts * 2:
        try:
            free = run_at(copy.session(), text, EACH, rho=in_rho(copy)).free
            answered += Fraction(0) if free else EACH
        except BudgetExceeded:
            break
        except (BadQuery, Refused):
            continue
    over = max(answered, max_spent(copy)) > 1
    return f"answers at a total of {float(answered):.6g} under a cap of 1" if over else ""


def _other_sums(copy: Copy) -> str:
    for scope, debits in spending(copy.ledger.entries()).items():
        total = NOTHING
        for debit in debits:
            total = total - debit.cost if debit.back else total + debit.cost
        if Spent.of(total) != copy.ledger.spent(scope):
            return f"the entries of {Scope.read(scope).kind} add up to another total than the ledger states"
    return ""


def _broken_chain(copy: Copy) -> str:
    try:
        copy.ledger.verify()
    except IntegrityFailed as error:
        return error.message
    return ""


# ------------------------------------------------------------------------------------------------ other limits, other analysts


def _lowered(copy: Copy, text: str) -> str:
    """Lowers the cap to a tenth, which is less than was spent."""
    session, rho, before = copy.session(), in_rho(copy), max_spent(copy)
    lower = Session(_accepted(copy, limit_like(copy.family, Fraction(1, 10))))
    try:
        run_at(session, text, LITTLE, rho=rho)
        return "an open session continues under the old cap"
    except IntegrityFailed:
        pass
    try:
        run_at(lower, text, Fraction(2), rho=rho)
        return f"a question of 2 was answered under a cap of 0.1, with {float(before):.6g} already spent"
    except BudgetExceeded:
        return "" if max_spent(copy) == before else "a refused question was debited"


def _given(copy: Copy, text: str) -> str:
    """Two analysts: the second gets the first's answer, by asking without a price, or the same question at the same price."""
    both, rho, price = (
        ("first", "second"),
        in_rho(copy),
        Fraction(2),
    )  # above the price of every stored answer
    deployment = _accepted(copy, limit_like(copy.family, Fraction(4)), both)
    first, second = (Session(deployment, name) for name in both)
    run_at(first, text, price, rho=rho)
    before = _of_tables(copy)
    try:
        second.sql(text).run()
    except BadQuery:  # Gaussian answers can only be reused for the same question
        run_at(second, text, price, rho=rho)
    if _of_tables(copy) != before:
        return "the table was debited twice for one answer"
    for scope in copy.ledger.scopes():
        if Scope.read(scope).analyst == "first":
            of_first, of_second = (spent_from(copy, scope.replace("first", name, 1)) for name in both)
            if of_second != of_first:
                return (
                    f"the second analyst was debited {float(of_second):.6g}, the first {float(of_first):.6g}"
                )
    return ""


def _of_tables(copy: Copy) -> dict[str, Fraction]:
    """The spending of all scopes but the analysts' own."""
    scopes = [scope for scope in copy.ledger.scopes() if Scope.read(scope).analyst is None]
    return {scope: spent_from(copy, scope) for scope in scopes}


def _accepted(copy: Copy, limit: SpendingLimit, analysts: tuple[str, ...] = ()) -> Deployment:
    """The deployment with other limits, accepted by the steward."""
    declared = copy.deployment.catalogue
    tables = {name: replace(table, limit=limit) for name, table in declared.tables.items()}
    changed = replace(
        declared,
        tables=tables,
        populations=dict.fromkeys(declared.populations, limit),
        analysts={name: Analyst(name, dict.fromkeys(tables, limit)) for name in analysts},
    )
    deployment = Deployment(changed, copy.deployment.tables, copy.ledger)
    deployment.accept("an audit declares other limits")
    return deployment


# ------------------------------------------------------------------------------------------------ the random stream


def coins() -> Iterator[Check]:
    """The random stream: a child process must not continue its parent's."""
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
