"""The ledger against a model of it in plain Python: any sequence of acts, with reopenings, crashes and attacks in between."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ledger_kit import STAFF, ask, keyed, laplace, own, raw, spent, table

from lapcat.core.event import KeyedRelease, LaplaceRelease
from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded, IntegrityFailed, Refused
from lapcat.ledger import Charge, SQLiteLedger, SQLLedger
from lapcat.ledger.base import IdempotencyKey
from lapcat.plan.schema import SpendingLimit

FAST = (
    "/dev/shm" if os.path.isdir("/dev/shm") else None
)  # thousands of commits; durability has tests of its own
CAPS = {"staff": exact("2"), "people": exact("1.9"), "ana": exact("0.7"), "bob": exact("0.4")}
DELTAS = {"staff": exact("0.003"), "people": exact("0.0029"), "ana": exact("0.0015"), "bob": exact("0.0001")}
PER_QUERY = {"bob": exact("0.25")}
SCOPES = {
    "staff": STAFF,
    "people": "population:people",
    "ana": "analyst:ana@staff.parquet",
    "bob": "analyst:bob@staff.parquet",
}

questions = st.sampled_from(["how many", "how old", "which cities"])
amounts = st.sampled_from([exact(text) for text in ("0", "0.05", "1/30", "0.1", "0.2", "1/3", "0.5")])
thresholds = st.sampled_from([60, 100])
analysts = st.sampled_from([None, "ana", "bob"])
keys = st.sampled_from([None, None, None, "monday", "tuesday"])


Price = LaplaceRelease | KeyedRelease


def cost(price: Price) -> tuple[Fraction, Fraction]:
    """Epsilon and delta, in whole quanta."""
    delta = price.loss.delta if isinstance(price, KeyedRelease) else Fraction(0)
    return Fraction(math.ceil(price.loss.epsilon * 10**9), 10**9), Fraction(math.ceil(delta * 10**18), 10**18)


def size(price: Price) -> tuple[Fraction, int]:
    """What is better: more epsilon, then a lower threshold."""
    return price.loss.epsilon, -price.threshold.tau if isinstance(price, KeyedRelease) else 0


def limit(name: str) -> SpendingLimit:
    return SpendingLimit(epsilon=CAPS[name], delta=DELTAS[name], per_query=PER_QUERY.get(name))


@dataclass
class Paid:
    """What the model remembers of a debit."""

    id: int
    hash: str
    question: str
    price: Price
    charged: list[str]
    """Whose budgets paid, by name."""
    payers: set[str] = field(default_factory=set)
    executing: bool = False
    answer: bytes | None = None
    released: bool = False
    voided: bool = False


@dataclass
class Model:
    """The promises, as directly as they can be written down."""

    entries: int = 0
    debits: list[Paid] = field(default_factory=list)
    spent: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    deltas: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    failures: set[str | None] = field(default_factory=set)
    """The analysts of whom a question failed."""
    paused: bool = False
    version: int = 0
    accepted: dict[str, object] | None = None
    keys: dict[tuple[str | None, str], tuple[str, Paid]] = field(default_factory=dict)
    handed_over: list[Paid] = field(default_factory=list)
    """Answers whose release is noted with the next entry."""

    def wrote(self, entries: int = 0) -> None:
        """Something was written; before it, what was handed over."""
        for debit in self.handed_over:
            self.entries += not debit.released
            debit.released = True
        self.handed_over.clear()
        self.entries += entries

    def allows(self, names: list[str], price: Price) -> bool:
        epsilon, delta = cost(price)
        if epsilon == 0:
            return True
        return all(
            self.spent[name] + epsilon <= CAPS[name]
            and self.deltas[name] + delta <= DELTAS[name]
            and epsilon <= PER_QUERY.get(name, CAPS[name])
            for name in names
        )

    def charge(self, names: list[str], price: Price) -> None:
        for name in names:
            self.spent[name] += cost(price)[0]
            self.deltas[name] += cost(price)[1]

    def repeat(self, question: str, price: Price, analyst: str | None) -> Paid | None:
        """The stored debit that serves a question, found by going through the promise sentence by sentence."""
        good = [
            debit
            for debit in self.debits
            if debit.question == question
            and not debit.voided
            and all(paid >= asked for paid, asked in zip(size(debit.price), size(price), strict=True))
        ]
        mine = [debit for debit in good if analyst is None or analyst in debit.payers]
        for some in (
            [debit for debit in mine if debit.answer is not None],
            [debit for debit in mine if debit.answer is None],
        ):
            for debit in some:
                if debit.price == price:
                    return debit
            if some:
                return max(some, key=lambda debit: size(debit.price))
        assert analyst is not None or not good
        others = [debit for debit in good if analyst is not None and self.allows([analyst], debit.price)]
        for some in (
            [debit for debit in others if debit.answer is not None],
            [debit for debit in others if debit.answer is None],
        ):
            if some:
                return min(some, key=lambda debit: size(debit.price))
        return None


class LedgerAgainstModel(RuleBasedStateMachine):
    """All that people do. `opened` and `copied` are what a machine over another store replaces."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lapcat-model-", dir=FAST))
        self.copies = 0
        self.model = Model()
        self.ledger: SQLLedger = SQLiteLedger(self.folder / "0.ledger")
        self.told = self.ledger

    def teardown(self) -> None:
        try:
            assert self.ledger.verify() == self.model.entries
        finally:
            self.ledger.close()
            shutil.rmtree(self.folder)

    @rule(question=questions, epsilon=amounts, tau=thresholds, analyst=analysts, key=keys)
    def pay(self, question: str, epsilon: Fraction, tau: int, analyst: str | None, key: str | None) -> None:
        price: Price = laplace(epsilon)
        if question == "which cities":
            price = keyed(epsilon or exact("0.1"), tau)
        charges = [table(limit("staff")), Charge("population:people", "people", limit("people"))]
        names = ["staff", "people"]
        if analyst is not None:
            names.append(analyst)
            charges.append(own(analyst, limit(analyst)))
        asks = f"{question} at {epsilon}, {tau}"
        request = ask(question, price, *charges, analyst=analyst)
        request = replace(request, key=None if key is None else IdempotencyKey(key, asks))
        model, expected = self.model, self.model.repeat(question, price, analyst)
        assert (self.ledger.find(question, price, analyst, charges) is None) is (expected is None)
        before = None if key is None else model.keys.get((analyst, key))
        if len(model.failures) >= 3 or model.paused or analyst in model.failures:
            alone = analyst is not None and len(model.failures) < 3 and not model.paused
            with pytest.raises(Refused, match="analyst-paused" if alone else "table-paused"):
                self.ledger.debit(request)
            return
        if before is not None:
            if before[0] != asks:
                with pytest.raises(Refused, match="key-reused"):
                    self.ledger.debit(request)
                return
            debit = self.ledger.debit(request)
            assert (debit.id, debit.hash, debit.answer) == (before[1].id, before[1].hash, before[1].answer)
            assert debit.free and not debit.shared
            model.wrote()
            return
        if expected is not None:
            debit = self.ledger.debit(request)
            assert (debit.id, debit.hash, debit.free) == (expected.id, expected.hash, True)
            assert debit.answer == expected.answer
            assert debit.shared is (analyst is not None and analyst not in expected.payers)
            model.wrote(entries=debit.shared)
            if analyst is not None and debit.shared:
                expected.payers.add(analyst)
                expected.charged.append(analyst)
                model.charge([analyst], expected.price)
            paid = expected
        elif not model.allows(names, price):
            with pytest.raises(BudgetExceeded) as caught:
                self.ledger.debit(request)
            if caught.value.fix.startswith("epsilon="):
                proposal = exact(caught.value.fix.partition("=")[2])
                assert proposal > 0 and model.allows(names, laplace(proposal))
            if caught.value.fix.startswith("delta="):
                rooms = [DELTAS[name] - model.deltas[name] for name in names]
                assert 0 < exact(caught.value.fix.partition("=")[2]) == min(rooms)
            return
        else:
            debit = self.ledger.debit(request)
            model.wrote(entries=1)
            assert (debit.id, debit.free, debit.answer) == (model.entries, False, None)
            paid = Paid(debit.id, debit.hash, question, price, names, set() if analyst is None else {analyst})
            model.debits.append(paid)
            model.charge(names, price)
        if key is not None:
            model.keys[analyst, key] = (asks, paid)
            model.entries += 1

    @precondition(lambda self: self.model.debits)
    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        debit = data.draw(st.sampled_from(self.model.debits))
        if debit.voided:
            with pytest.raises(Refused, match="debit-voided"):
                self.ledger.executing(debit.id)
            return
        self.ledger.executing(debit.id)
        self.model.wrote(entries=not debit.executing)
        debit.executing = True

    @precondition(lambda self: any(debit.executing for debit in self.model.debits))
    @rule(data=st.data(), answer=st.binary(max_size=4))
    def answer(self, data: st.DataObject, answer: bytes) -> None:
        debit = data.draw(st.sampled_from([debit for debit in self.model.debits if debit.executing]))
        first = debit.answer is None
        if first:
            debit.answer = answer
        assert self.ledger.answered(debit.id, answer) == debit.answer
        self.model.wrote(entries=first)

    @precondition(lambda self: any(debit.answer is not None for debit in self.model.debits))
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        answered = [debit for debit in self.model.debits if debit.answer is not None]
        debit = data.draw(st.sampled_from(answered))
        self.ledger.released(debit.id)
        self.model.handed_over.append(debit)

    @precondition(lambda self: self.model.debits)
    @rule(data=st.data())
    def void(self, data: st.DataObject) -> None:
        debit = data.draw(st.sampled_from(self.model.debits))
        if debit.executing or debit.voided:
            with pytest.raises(Refused, match="void-late"):
                self.ledger.void(debit.id, "too late")
            return
        model = self.model
        id = self.ledger.void(debit.id, "asked by mistake")
        model.wrote(entries=1)
        assert id == model.entries
        debit.voided = True
        for name in debit.charged:
            model.spent[name] -= cost(debit.price)[0]
            model.deltas[name] -= cost(debit.price)[1]
        model.keys = {key: kept for key, kept in model.keys.items() if kept[1] is not debit}

    @precondition(lambda self: self.model.debits)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        analyst = data.draw(st.sampled_from([None, "ana", "bob", "cy"]))
        self.ledger.failed(data.draw(st.sampled_from(self.model.debits)).id, analyst)
        self.model.failures.add(analyst)
        self.model.wrote(entries=1)

    @rule()
    def pause(self) -> None:
        self.ledger.pause(STAFF, "being moved")
        self.model.paused = True
        self.model.wrote(entries=1)

    @precondition(lambda self: self.model.failures or self.model.paused)
    @rule()
    def resume(self) -> None:
        self.ledger.resume(STAFF, "mended")
        self.model.failures, self.model.paused = set(), False
        self.model.wrote(entries=1)

    @precondition(lambda self: self.model.failures)
    @rule(analyst=st.sampled_from(["ana", "bob", "cy"]))
    def resume_analyst(self, analyst: str) -> None:
        self.ledger.resume_analyst(STAFF, analyst, "mended")
        self.model.failures.discard(analyst)
        self.model.wrote(entries=1)

    @rule()
    def refresh(self) -> None:
        self.model.version += 1
        assert self.ledger.refreshed("staff.parquet", {}) == self.model.version
        self.model.wrote(entries=1)

    @rule(key=st.text(max_size=3))
    def accept(self, key: str) -> None:
        facts: dict[str, object] = {key: [key]}
        before, known = self.ledger.acceptance(), facts == self.model.accepted
        id = self.ledger.accept(facts, "why")
        self.model.accepted = facts
        self.model.wrote(entries=0 if known else 1)
        assert id == (before[0] if known and before is not None else self.model.entries)

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = self.opened(self.ledger.place)

    @rule()
    def lose_the_process(self) -> None:
        """What is on the disk, and nothing else, goes on: as after a crash, the log is read again."""
        copy = self.copied()
        self.ledger.close()
        self.ledger = self.opened(copy)

    def opened(self, address: str) -> SQLLedger:
        return SQLiteLedger(address)

    def copied(self) -> str:
        """The address of a copy of all that is durable now."""
        self.copies += 1
        copy = str(self.folder / f"{self.copies}.ledger")
        for suffix in ("", "-wal"):
            if os.path.exists(self.ledger.place + suffix):
                shutil.copy(self.ledger.place + suffix, copy + suffix)
        return copy

    @invariant()
    def agrees(self) -> None:
        if self.told is not self.ledger:
            self.model_of_a_new_process()
        for name, scope in SCOPES.items():
            assert spent(self.ledger, scope) == self.model.spent[name] <= CAPS[name]
            assert self.ledger.spent(scope).delta == self.model.deltas[name] <= DELTAS[name]
        assert self.ledger.paused(STAFF) is (len(self.model.failures) >= 3 or self.model.paused)
        assert self.ledger.version("staff.parquet") == self.model.version
        assert self.ledger.accepted() == self.model.accepted
        for debit in self.model.debits:
            for analyst in ("ana", "bob"):
                assert self.ledger.charged_to(debit.id, analyst) is (analyst in debit.payers)

    def model_of_a_new_process(self) -> None:
        """The last one has noted all that it handed over, or nothing of it."""
        noted = [
            json.loads(entry.text)["debit"] for entry in self.ledger.entries() if entry.kind == "released"
        ]
        assert len(noted) == len(set(noted))
        new = {debit.id for debit in self.model.handed_over if not debit.released}
        assert new & set(noted) in (set(), new)
        if new & set(noted):
            self.model.wrote()
        self.model.handed_over.clear()
        self.told = self.ledger


class LedgerUnderAttack(LedgerAgainstModel):
    """And all that an editor of the store does, each on a copy."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: tuple[str, int] | None = None

    @precondition(lambda self: self.model.entries)
    @rule(data=st.data(), column=st.sampled_from(["kind", "body", "previous", "hash"]))
    def flip_a_byte(self, data: st.DataObject, column: str) -> None:
        copy, id = self.copied(), data.draw(st.integers(1, self.model.entries))
        connection = raw(copy)
        text = connection.execute(f"SELECT {column} FROM entries WHERE id = ?", (id,)).fetchone()[0]
        place = data.draw(st.integers(0, len(text) - 1))
        flipped = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
        connection.execute(f"UPDATE entries SET {column} = ? WHERE id = ?", (flipped, id))
        connection.close()
        assert f"entry {id} of the ledger" in self.found_in(copy)

    @precondition(lambda self: self.model.entries)
    @rule(data=st.data())
    def remove_an_entry(self, data: st.DataObject) -> None:
        copy, id = self.copied(), data.draw(st.integers(1, self.model.entries))
        connection = raw(copy)
        connection.execute("DELETE FROM entries WHERE id = ?", (id,))
        connection.close()
        assert f"entry {id} of the ledger" in self.found_in(copy)

    @precondition(lambda self: self.model.entries > 1)
    @rule(data=st.data())
    def reorder_two_entries(self, data: st.DataObject) -> None:
        copy, second = self.copied(), data.draw(st.integers(2, self.model.entries))
        first = data.draw(st.integers(1, second - 1))
        connection = raw(copy)
        columns = "kind, body, previous, hash"
        rows = {
            id: connection.execute(f"SELECT {columns} FROM entries WHERE id = ?", (id,)).fetchone()
            for id in (first, second)
        }
        for id, other in ((first, second), (second, first)):
            connection.execute(
                "UPDATE entries SET kind = ?, body = ?, previous = ?, hash = ? WHERE id = ?",
                (*rows[other], id),
            )
        connection.close()
        named = self.found_in(copy)
        assert any(f"entry {id} of the ledger" in named for id in (first, second))

    @precondition(lambda self: any(self.model.spent.values()))
    @rule(data=st.data())
    def refund(self, data: st.DataObject) -> None:
        spent_from = [SCOPES[name] for name, amount in self.model.spent.items() if amount]
        copy, scope = self.copied(), data.draw(st.sampled_from(spent_from))
        connection = raw(copy)
        connection.execute("UPDATE spent SET epsilon = epsilon - 1 WHERE scope = ?", (scope,))
        connection.close()
        assert scope in self.found_in(copy)

    @rule()
    def keep_a_backup(self) -> None:
        self.kept = self.copied(), self.model.entries

    @precondition(lambda self: self.kept is not None and self.kept[1] < self.model.entries)
    @rule()
    def roll_back(self) -> None:
        """An older copy is whole in itself, so nothing in it tells; whoever holds something newer sees it."""
        assert self.kept is not None
        address, entries = self.kept
        self.kept = None
        newer = [debit for debit in self.model.debits if debit.id > entries]
        with self.opened(address) as old:
            assert old.verify() == entries
            book = [entry.hash for entry in old.entries()]
            assert not any(debit.hash in book for debit in newer)
            assert book == [entry.hash for entry in self.ledger.entries()][:entries]

    def found_in(self, address: str) -> str:
        """What opening and verifying complains about."""
        with pytest.raises(IntegrityFailed) as caught, self.opened(address) as ledger:
            ledger.verify()
        assert caught.value.code == "ledger-damaged" and caught.value.fix
        return caught.value.message


def test_any_sequence_of_acts_agrees_with_the_model() -> None:
    bounded = settings(max_examples=40, stateful_step_count=25, deadline=None, derandomize=True)
    run_state_machine_as_test(LedgerUnderAttack, settings=bounded)


@pytest.mark.slow
def test_any_long_sequence_of_acts_agrees_with_the_model() -> None:
    run_state_machine_as_test(
        LedgerUnderAttack, settings=settings(max_examples=1000, stateful_step_count=60, deadline=None)
    )
