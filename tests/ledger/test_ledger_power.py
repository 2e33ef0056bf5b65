"""What was acknowledged survives a power cut at any moment, whatever the disk makes of what was not synced."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import pytest
from disk_model import Folder
from disk_shim import Fetched, Operation, Shim, Shimmed, replay
from ledger_kit import ask, own, table
from power_kit import FAST, NAME, PRICE, Small, lost

from lapcat.errors import Error, Refused
from lapcat.ledger import Entry, SQLiteLedger


class Hasty(Small):
    """A planted bug: commits are not synced, and the connection says that they are."""

    def execute(self, sql: str, parameters: Any = (), /) -> Fetched:
        if sql == "PRAGMA synchronous = 2":
            return super().execute("PRAGMA synchronous = 1")
        if sql == "PRAGMA synchronous":
            return Fetched([(2,)])
        return super().execute(sql, parameters)


Kind = Callable[[Shimmed, int], Small]


def live(folder: Path, chance: Random, kind: Kind, threads: int) -> tuple[list[Operation], list[Entry]]:
    """Some questions, with the ledger closed now and then: what happened on the disk, with ("acknowledged", fact …) after
    whatever the ledger said was done; and the whole book."""
    shim, pages = Shim(), chance.choice([2, 5, 1000])

    def opened() -> SQLiteLedger:
        ledger = SQLiteLedger(
            folder / NAME,
            connect=lambda path: kind(shim.connect(path), pages),
            clock=lambda: datetime(2030, 1, 1, tzinfo=UTC),
        )
        shim.journal.append(("acknowledged", "opened", ledger.secret()))
        return ledger

    try:
        ledger = opened()
        for _ in range(chance.randrange(1, 6)):
            if threads == 1:
                one_question(ledger, shim.journal, chance)
            else:
                with ThreadPoolExecutor(threads) as pool:
                    chances = [Random(chance.getrandbits(32)) for _ in range(threads)]
                    list(pool.map(partial(one_question, ledger, shim.journal), chances))
            if chance.random() < 0.2:
                ledger.close()
                ledger = opened()
        ledger.close()
    finally:
        shim.unregister()
    with SQLiteLedger(folder / NAME) as ledger:
        return shim.journal, list(ledger.entries())


def one_question(ledger: SQLiteLedger, journal: list[Operation], chance: Random) -> None:
    """One that may be a repeat, or shared, or taken back, or left without an answer."""
    analyst, name = chance.choice([None, "ana"]), f"q{chance.randrange(30)}"
    charges = (table("3"), own("ana", "3"))[: 1 if analyst is None else 2]
    debit = ledger.debit(ask(name, PRICE, *charges, analyst=analyst))
    journal.append(("acknowledged", "debit", debit.id, debit.hash))
    if analyst is not None:
        journal.append(("acknowledged", "charged", debit.id, analyst))
    fate = chance.random()
    with suppress(Refused):  # another thread has taken back, or looked under, what this one shares with it
        if debit.answer is None and fate < 0.8:
            ledger.executing(debit.id)
            journal.append(("acknowledged", "looked", debit.id))
            answer = ledger.answered(debit.id, chance.randbytes(chance.choice([5, 700, 9000])))
            journal.append(("acknowledged", "answered", debit.id, answer))
            ledger.released(debit.id)
        elif debit.answer is None and fate < 0.9:
            ledger.void(debit.id, "a mistake")
            journal.append(("acknowledged", "void", debit.id))


def cut_the_power(chance: Random, cuts: int, kind: Kind, threads: int = 1) -> Iterator[str]:
    """Lives that are cut short again and again, each going on from what the last cut left; what the cuts lost."""
    with tempfile.TemporaryDirectory(prefix="lapcat-power-", dir=FAST) as place:
        start = _made(place)
        for _ in range(cuts):
            disk = Folder.durable(start)
            operations, book = live(start, chance, kind, threads)
            operations = operations[: chance.randrange(len(operations) + 1)]
            replay(disk, operations)
            shutil.rmtree(start)
            start, seen = _made(place), _made(place)
            disk.cut(start, chance, survival=chance.choice([0, 0.1, 0.5, 0.9, 1]))
            shutil.copytree(start, seen, dirs_exist_ok=True)  # who looks leaves the place tidier
            try:
                loss = lost(seen, operations, book)
            except Error as error:
                loss = f"{error.code}: {error.message}"
            shutil.rmtree(seen)
            if loss is not None:
                yield loss
            if loss is not None or chance.random() < 0.15:
                shutil.rmtree(start)
                start = _made(place)


def _made(place: str) -> Path:
    return Path(tempfile.mkdtemp(dir=place))


def test_four_hundred_power_cuts_lose_nothing_that_was_acknowledged() -> None:
    assert list(cut_the_power(Random(8812), 400, Small)) == []


@pytest.mark.slow
def test_three_thousand_power_cuts_lose_nothing_that_was_acknowledged() -> None:
    seed = SystemRandom().getrandbits(32)
    assert list(cut_the_power(Random(seed), 3_000, Small)) == [], f"seed {seed}"


def test_power_cuts_lose_nothing_of_commits_that_threads_share() -> None:
    assert list(cut_the_power(Random(8812), 60, Small, threads=3)) == []


def test_power_cuts_do_lose_the_debits_of_a_ledger_that_does_not_sync_its_commits() -> None:
    losses = list(cut_the_power(Random(8812), 100, Hasty))
    assert len(losses) > 5 and set(losses) <= {
        "lost: opened", "lost: debit", "lost: charged", "lost: looked", "lost: answered"
    }  # fmt: skip
