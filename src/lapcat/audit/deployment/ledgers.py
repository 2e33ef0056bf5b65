"""Whether the ledger keeps its promises: what is spent stays spent, once, within the caps that hold now, and adds up.

The sums are worked out once more from the entries of the chain alone, and held against what the ledger says was spent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import in_rho, limit_like, run_at, spent_from, spent_most, that_cost
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.coins import system_coins
from lapcat.core.release import ExactResult
from lapcat.engines.backends import FIRST, Attempt, Engine
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
"""Questions with which the cap is reached."""
FAILED, EACH, LITTLE = Fraction(1, 4), Fraction(1, 5), Fraction(1, 20)
"""Prices, of a cap of 1: of a question whose engine fails, of those that follow, and of one after the cap."""


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
    """A cap of 1: a quarter for a failure, and then questions of a fifth until there is no more."""
    cap = limit_like(family, Fraction(1))
    copy = copied(family, neighbours_of(family)[0].here, folder, limit=cap)
    try:
        for text, problem in _checked(copy):
            yield Check("books", "any", "–", copy.engine, PROVED, text, problem)
    finally:
        copy.remove()


def _checked(copy: Copy) -> Iterator[tuple[str, str]]:
    """What was done, and what is wrong."""
    texts = that_cost(copy, sums_of(copy.family, 0), FAILED, SEVERAL + 1)
    if not texts:
        return
    first, *others = texts
    yield "an engine that fails: the charge stands", _failure(copy, first)
    yield "a debit under which somebody has looked is not taken back", _taken_back(copy)
    if others:
        yield "another question under a known key", _under_a_key(copy, others[0], first)
    yield "questions until the cap", _to_the_cap(copy, others)
    yield "the sums, worked out from the entries", _other_sums(copy)
    yield "the chain of the ledger", _broken_chain(copy)
    yield "a cap that is lowered binds whoever was there before", _lowered(copy, first)
    yield "somebody who is given what another paid for is debited too", _given(copy, first)


# ------------------------------------------------------------------------------------------------ what is spent stays spent


def _failure(copy: Copy, text: str) -> str:
    deployment = copy.deployment
    broken = Deployment(deployment.catalogue, _Broken(deployment.tables), copy.ledger)
    broken.require_acceptance()
    try:
        run_at(Session(broken), text, FAILED, rho=in_rho(copy))
    except EngineFailed:
        for table in deployment.catalogue.tables.values():
            copy.ledger.resume(deployment.scope(table), "an audit")
        booked = spent_most(copy)
        return "" if booked == FAILED else f"{float(booked):.6g} is booked for a failed question of 0.25"
    return "there was an answer all the same"


def _taken_back(copy: Copy) -> str:
    """After a failure: that somebody looked is all that is known."""
    debit = max((entry.id for entry in copy.ledger.entries() if entry.kind == "debit"), default=0)
    try:
        copy.ledger.void(debit, "an audit")
    except Refused:
        return ""
    return "the ledger gave back what was spent on a look"


def _under_a_key(copy: Copy, text: str, other: str) -> str:
    def run(text: str) -> int:
        return run_at(copy.session(), text, EACH, rho=in_rho(copy), key="an audit").receipt.id

    paid, before = run(text), spent_most(copy)
    try:
        run(other)
        return "it was given the answer of the first question"
    except Bug:
        return "it was taken for the first question"
    except Refused:
        pass
    if run(text) != paid:
        return "the first question, tried again under its key, is another request"
    return "" if spent_most(copy) == before else "something was spent for it"


# ------------------------------------------------------------------------------------------------ it adds up


def _to_the_cap(copy: Copy, texts: list[str]) -> str:
    answered = spent_most(copy)
    for text in texts * 2:
        try:
            free = run_at(copy.session(), text, EACH, rho=in_rho(copy)).free
            answered += Fraction(0) if free else EACH
        except BudgetExceeded:
            break
        except (BadQuery, Refused):
            continue
    over = max(answered, spent_most(copy)) > 1
    return f"{float(answered):.6g} was answered under a cap of 1" if over else ""


def _other_sums(copy: Copy) -> str:
    for scope, paid in spending(copy.ledger.entries()).items():
        total = NOTHING
        for one in paid:
            total = total - one.cost if one.back else total + one.cost
        if Spent.of(total) != copy.ledger.spent(scope):
            return f"the entries of {Scope.read(scope).kind} add up to another sum than the ledger says was spent"
    return ""


def _broken_chain(copy: Copy) -> str:
    try:
        copy.ledger.verify()
    except IntegrityFailed as error:
        return error.message
    return ""


# ------------------------------------------------------------------------------------------------ other limits, other people


def _lowered(copy: Copy, text: str) -> str:
    """To a tenth of what it was, which is less than was spent."""
    session, rho, before = copy.session(), in_rho(copy), spent_most(copy)
    lower = Session(_accepted(copy, limit_like(copy.family, Fraction(1, 10))))
    try:
        run_at(session, text, LITTLE, rho=rho)
        return "a session that was open before goes on under the old one"
    except IntegrityFailed:
        pass
    try:
        run_at(lower, text, Fraction(2), rho=rho)
        return f"a question of 2 was answered under a cap of 0.1, of which {float(before):.6g} were spent"
    except BudgetExceeded:
        return "" if spent_most(copy) == before else "something was spent for a question that was refused"


def _given(copy: Copy, text: str) -> str:
    """Two who may ask: the second has what the first paid for, by asking without a price, or the same at the same price."""
    both, rho, price = ("first", "second"), in_rho(copy), Fraction(2)  # more than anything that is stored
    deployment = _accepted(copy, limit_like(copy.family, Fraction(4)), both)
    first, second = (Session(deployment, name) for name in both)
    run_at(first, text, price, rho=rho)
    before = _of_tables(copy)
    try:
        second.sql(text).run()
    except BadQuery:  # of what has Gaussian noise nothing follows but the same question
        run_at(second, text, price, rho=rho)
    if _of_tables(copy) != before:
        return "the table paid twice for one answer"
    for scope in copy.ledger.scopes():
        if Scope.read(scope).analyst == "first":
            paid, own = (spent_from(copy, scope.replace("first", name, 1)) for name in both)
            if own != paid:
                return f"the second was given for {float(own):.6g} what the first paid {float(paid):.6g} for"
    return ""


def _of_tables(copy: Copy) -> dict[str, Fraction]:
    """What was spent but from the analysts' own limits."""
    scopes = [scope for scope in copy.ledger.scopes() if Scope.read(scope).analyst is None]
    return {scope: spent_from(copy, scope) for scope in scopes}


def _accepted(copy: Copy, limit: SpendingLimit, analysts: tuple[str, ...] = ()) -> Deployment:
    """The deployment with other limits, which the steward accepts: from now on they hold."""
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
