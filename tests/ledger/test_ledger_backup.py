"""Copies that were made while a ledger was in use, and older ones that are put back: whole, or refused; what no ledger can
notice by itself is said to be so."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from itertools import count
from pathlib import Path
from random import Random

import pytest
from ledger_kit import ask, finish, spent, table
from power_kit import FAST
from test_ledger_crowd import kill, process

from lapcat.core.exact import exact
from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger

PRICE = "0.001"


def fill(ledger: SQLiteLedger, first: int, last: int) -> None:
    for i in range(first, last):
        finish(ledger, ledger.debit(ask(f"q{i}", PRICE, table("1000"))).id, b"answer %d" % i * 50)


def hashes(ledger: SQLiteLedger) -> list[str]:
    return [entry.hash for entry in ledger.entries()]


def found(path: str, book: list[str]) -> int | None:
    """How many entries of the book a copy has, from the first one on; None if it is refused. Nothing else may come of it."""
    try:
        with SQLiteLedger(path) as ledger:
            entries = ledger.verify()
            assert hashes(ledger) == book[:entries]
            assert spent(ledger) == -(-entries // 3) * exact(PRICE)
            return entries
    except IntegrityFailed as error:
        assert error.code == "ledger-damaged" and error.fix
        return None


def test_a_copy_of_a_ledger_at_rest_with_its_log_is_the_whole_ledger(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        fill(ledger, 0, 5)
        for suffix in ("", "-wal"):
            shutil.copy(path + suffix, path + ".copy" + suffix)
        assert found(path + ".copy", hashes(ledger)) == 15


@pytest.mark.parametrize("log", [True, False], ids=["with its log", "without its log"])
def test_a_copy_that_was_made_while_others_write_is_whole_up_to_some_entry_or_refused(
    tmp_path: Path, log: bool
) -> None:
    path, chance, copies = str(tmp_path / "lapcat.ledger"), Random(8812), 40

    def write_for_ever() -> None:
        def small(name: str) -> sqlite3.Connection:
            connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA wal_autocheckpoint = 20")
            return connection

        ledger = SQLiteLedger(path, connect=small)
        for i in count():
            fill(ledger, i, i + 1)

    def copy(suffix: str, to: str) -> None:
        """As a program for backups does, piece by piece, while the file changes under it."""
        with open(path + suffix, "rb") as source, open(to + suffix, "wb") as target:
            while piece := source.read(16384):
                target.write(piece)

    child = process(write_for_ever)
    try:
        while not os.path.exists(path + "-wal") or os.path.getsize(path) < 50_000:
            os.sched_yield()
        for i in range(copies):
            for suffix in chance.sample(["", "-wal"], 2) if log else [""]:
                copy(suffix, f"{path}.{i}")
    finally:
        kill(child)
    with SQLiteLedger(path) as ledger:
        book = hashes(ledger)
        ledger.verify()
    whole = [found(f"{path}.{i}", book) for i in range(copies)]
    assert any(whole)  # else this would show nothing


def mixed(path: str, chance: Random) -> int | None:
    """Puts an older main file beside the log that a killed process left, as whoever restores half of a backup does."""
    with SQLiteLedger(path) as ledger:
        fill(ledger, 0, chance.randrange(1, 8))
    shutil.copy(path, path + ".old")
    if chance.random() < 0.7:
        with SQLiteLedger(path) as ledger:
            fill(ledger, 8, 8 + chance.randrange(1, 8))
    with SQLiteLedger(path) as ledger:
        fill(ledger, 16, 16 + chance.randrange(1, 8))
        shutil.copy(path + "-wal", path + ".old-wal")
        return found(path + ".old", hashes(ledger))


def test_an_older_file_with_a_newer_log_is_refused_unless_they_belong_together() -> None:
    with tempfile.TemporaryDirectory(prefix="lapcat-backup-", dir=FAST) as folder:
        ends = [mixed(f"{folder}/{seed}.ledger", Random(seed)) for seed in range(15)]
    assert None in ends and any(ends)


def test_an_older_copy_that_is_put_back_is_whole_and_only_something_newer_tells(path: str) -> None:
    """The witness and a receipt are such things; a ledger without either cannot know."""
    with SQLiteLedger(path) as ledger:
        fill(ledger, 0, 3)
    shutil.copy(path, path + ".backup")
    with SQLiteLedger(path) as ledger:
        receipt = ledger.debit(ask("newer", PRICE))
    shutil.copy(path + ".backup", path)
    with SQLiteLedger(path) as ledger:
        assert ledger.verify() == 9 and spent(ledger) == exact("0.003")
        assert receipt.id == 10 and receipt.hash not in hashes(ledger)
        assert not ledger.debit(ask("newer", PRICE)).free


def test_a_main_file_without_its_log_forgets_what_was_in_the_log_and_cannot_know(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        fill(ledger, 0, 3)
        shutil.copy(path, path + ".copy")
        assert found(path + ".copy", hashes(ledger)) == 0


@pytest.mark.parametrize("logged", [0, 3])
def test_a_file_that_is_written_over_in_place_is_refused_at_once_or_when_it_is_opened_next(
    path: str, logged: int
) -> None:
    """It is the same file, with older content, under a process that remembers some of the newer."""
    with SQLiteLedger(path) as ledger:
        fill(ledger, 0, 3)
    shutil.copy(path, path + ".backup")
    with SQLiteLedger(path) as ledger:
        fill(ledger, 3, 40)
    with pytest.raises(IntegrityFailed) as caught:
        with SQLiteLedger(path) as ledger:
            fill(ledger, 40, 40 + logged)
            shutil.copyfile(path + ".backup", path)
            ledger.debit(ask("new", PRICE))
        with SQLiteLedger(path) as ledger:
            ledger.verify()
    assert caught.value.code == "ledger-damaged"
