"""The ledger against a model of it in plain Python: any sequence of acts, with reopenings and crashes in between."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from dataclasses import dataclass, field
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
from ledger_kit import STAFF, ask, keyed, laplace, own, spent, table

from lapcat.core.event import KeyedRelease, LaplaceRelease
from lapcat.core.exact import exact
from lapcat.errors import BudgetExceeded, Refused
from lapcat.ledger import Charge, SQLiteLedger
from lapcat.plan.schema import Limit

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


Price = LaplaceRelease | KeyedRelease


def cost(price: Price) -> tuple[Fraction, Fraction]:
    """Epsilon and delta, in whole quanta."""
    delta = price.loss.delta if isinstance(price, KeyedRelease) else Fraction(0)
    return Fraction(math.ceil(price.loss.epsilon * 10**9), 10**9), Fraction(math.ceil(delta * 10**18), 10**18)


def size(price: Price) -> tuple[Fraction, int]:
    """What is better: more epsilon, then a lower threshold."""
    return price.loss.epsilon, -price.threshold.tau if isinstance(price, KeyedRelease) else 0


def limit(name: str) -> Limit:
    return Limit(epsilon=CAPS[name], delta=DELTAS[name], per_query=PER_QUERY.get(name))


@dataclass
class Paid:
    """What the model remembers of a debit."""

    id: int
    question: str
    price: Price
    payers: set[str] = field(default_factory=set)
    looked: bool = False
    answer: bytes | None = None


@dataclass
class Model:
    """The promises, as directly as they can be written down."""

    entries: int = 0
    debits: list[Paid] = field(default_factory=list)
    spent: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    deltas: dict[str, Fraction] = field(default_factory=lambda: dict.fromkeys(CAPS, Fraction(0)))
    failures: int = 0
    version: int = 0
    accepted: dict[str, object] | None = None

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
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lapcat-model-", dir=FAST))
        self.copies = 0
        self.model = Model()
        self.ledger = SQLiteLedger(self.folder / "0.ledger")

    def teardown(self) -> None:
        try:
            assert self.ledger.verify() == self.model.entries
        finally:
            self.ledger.close()
            shutil.rmtree(self.folder)

    @rule(question=questions, epsilon=amounts, tau=thresholds, analyst=analysts)
    def pay(self, question: str, epsilon: Fraction, tau: int, analyst: str | None) -> None:
        price: Price = laplace(epsilon)
        if question == "which cities":
            price = keyed(epsilon or exact("0.1"), tau)
        charges = [table(limit("staff")), Charge("population:people", "people", limit("people"))]
        names = ["staff", "people"]
        if analyst is not None:
            names.append(analyst)
            charges.append(own(analyst, limit(analyst)))
        request = ask(question, price, *charges, analyst=analyst)
        model, expected = self.model, self.model.repeat(question, price, analyst)
        assert (self.ledger.find(question, price, analyst, charges) is None) is (expected is None)
        if model.failures >= 3:
            with pytest.raises(Refused):
                self.ledger.debit(request)
        elif expected is not None:
            debit = self.ledger.debit(request)
            assert (debit.id, debit.free, debit.answer) == (expected.id, True, expected.answer)
            assert debit.shared is (analyst is not None and analyst not in expected.payers)
            if analyst is not None and analyst not in expected.payers:
                expected.payers.add(analyst)
                model.charge([analyst], expected.price)
                model.entries += 1
        elif not model.allows(names, price):
            with pytest.raises(BudgetExceeded) as caught:
                self.ledger.debit(request)
            if caught.value.fix.startswith("--epsilon"):
                proposal = exact(caught.value.fix.split()[1])
                assert proposal > 0 and model.allows(names, laplace(proposal))
            if caught.value.fix.startswith("--delta"):
                rooms = [DELTAS[name] - model.deltas[name] for name in names]
                assert 0 < exact(caught.value.fix.split()[1]) == min(rooms)
        else:
            debit = self.ledger.debit(request)
            model.entries += 1
            assert (debit.id, debit.free, debit.answer) == (model.entries, False, None)
            model.debits.append(Paid(debit.id, question, price, set() if analyst is None else {analyst}))
            model.charge(names, price)

    @precondition(lambda self: self.model.debits)
    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        debit = data.draw(st.sampled_from(self.model.debits))
        self.ledger.looked(debit.id)
        self.model.entries += not debit.looked
        debit.looked = True

    @precondition(lambda self: any(debit.looked for debit in self.model.debits))
    @rule(data=st.data(), answer=st.binary(max_size=4))
    def answer(self, data: st.DataObject, answer: bytes) -> None:
        debit = data.draw(st.sampled_from([debit for debit in self.model.debits if debit.looked]))
        if debit.answer is None:
            debit.answer = answer
            self.model.entries += 1
        assert self.ledger.answered(debit.id, answer) == debit.answer

    @precondition(lambda self: self.model.debits)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        self.ledger.failed(data.draw(st.sampled_from(self.model.debits)).id)
        self.model.failures += 1
        self.model.entries += 1

    @precondition(lambda self: self.model.failures)
    @rule()
    def resume(self) -> None:
        self.ledger.resume(STAFF, "mended")
        self.model.failures = 0
        self.model.entries += 1

    @rule()
    def refresh(self) -> None:
        self.model.version += 1
        self.model.entries += 1
        assert self.ledger.refreshed("staff.parquet", {}) == self.model.version

    @rule(key=st.text(max_size=3))
    def accept(self, key: str) -> None:
        self.model.accepted = {key: [key]}
        self.model.entries += 1
        assert self.ledger.accept(self.model.accepted, "why") == self.model.entries

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = SQLiteLedger(self.ledger.place)

    @rule()
    def lose_the_process(self) -> None:
        """What is on the disk, and nothing else, goes on: as after a crash, the log is read again."""
        self.copies += 1
        copy = str(self.folder / f"{self.copies}.ledger")
        for suffix in ("", "-wal"):
            if os.path.exists(self.ledger.place + suffix):
                shutil.copy(self.ledger.place + suffix, copy + suffix)
        self.ledger.close()
        self.ledger = SQLiteLedger(copy)

    @invariant()
    def agrees(self) -> None:
        for name, scope in SCOPES.items():
            assert spent(self.ledger, scope) == self.model.spent[name] <= CAPS[name]
            assert self.ledger.spent(scope).delta == self.model.deltas[name] <= DELTAS[name]
        assert self.ledger.paused(STAFF) is (self.model.failures >= 3)
        assert self.ledger.version("staff.parquet") == self.model.version
        assert self.ledger.accepted() == self.model.accepted
        for debit in self.model.debits:
            for analyst in ("ana", "bob"):
                assert self.ledger.charged_to(debit.id, analyst) is (analyst in debit.payers)


def test_any_sequence_of_acts_agrees_with_the_model() -> None:
    bounded = settings(max_examples=40, stateful_step_count=25, deadline=None, derandomize=True)
    run_state_machine_as_test(LedgerAgainstModel, settings=bounded)


@pytest.mark.slow
def test_any_long_sequence_of_acts_agrees_with_the_model() -> None:
    run_state_machine_as_test(
        LedgerAgainstModel, settings=settings(max_examples=1000, stateful_step_count=60, deadline=None)
    )
