"""The door: pay, look, blur; and what happens when the engine fails behind it."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.core import door
from lapcat.core.door import Private
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.session.files import open_deployment
from lapcat.testing.coins import SeededCoins
from lapcat.testing.reveal import reveal
from tests.support import deploy

CANARY = "canary-7731"


@pytest.mark.parametrize(
    "attempt",
    [
        len,
        list,
        bool,
        int,
        float,
        hash,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        np.asarray,
        "{}".format,
        lambda private: private[0],
        lambda private: private == private,
        lambda private: private < private,
        lambda private: 3 in private,
    ],
)
def test_exact_figures_cannot_be_looked_at(attempt: object) -> None:
    private = Private(np.array([[31337]], np.int64))
    with pytest.raises((lapcat.Bug, TypeError, ValueError)) as refusal:
        attempt(private)  # type: ignore[operator]
    assert "31337" not in str(refusal.value)
    assert repr(private) == str(private) == "<private>" and "31337" not in f"{private!r}"
    assert reveal(private).tolist() == [[31337]]  # for tests alone; a layer test looks for any other use


class Book:
    """A ledger that writes down what it is told, in order."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.stored: bytes | None = None

    def looked(self, debit_id: int) -> None:
        self.heard.append("looked")

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        self.heard.append("answered")
        self.stored = self.stored or answer
        return self.stored

    def failed(self, debit_id: int) -> None:
        self.heard.append("failed")


class Paid:
    id = 7

    def __init__(self, answer: bytes | None = None) -> None:
        self.answer = answer


class Looking:
    def __init__(self, book: Book, cells: list[list[int]] | Exception) -> None:
        self.book, self.cells = book, cells

    def look(self, plan: str) -> Private:
        self.book.heard.append("engine")
        if isinstance(self.cells, Exception):
            raise self.cells
        return Private(np.array(self.cells, np.int64))


def release(book: Book, engine: Looking, paid: Paid, seed: int = 1) -> door.Released:
    return door.release(
        "plan", [Laplace(Fraction(2))], paid, ledger=book, engine=engine, coins=SeededCoins(seed)
    )


def test_the_ledger_hears_of_the_look_before_the_engine_does() -> None:
    book = Book()
    released = release(book, Looking(book, [[100, 200]]), Paid())
    assert book.heard == ["looked", "engine", "answered"]
    assert released.cells.shape == (1, 2) and not released.cryptographic


def test_what_leaves_is_what_was_stored_first() -> None:
    book = Book()
    first = release(book, Looking(book, [[100, 200]]), Paid(), seed=1)
    racing = release(book, Looking(book, [[100, 200]]), Paid(), seed=2)  # its own noise is thrown away unseen
    assert racing.cells.tolist() == first.cells.tolist()
    again = release(book, Looking(book, ValueError("not asked")), Paid(book.stored))
    assert again.cells.tolist() == first.cells.tolist() and book.heard.count("engine") == 2


def test_an_engines_error_is_sealed_and_counted() -> None:
    book = Book()
    with pytest.raises(lapcat.EngineFailed) as failure:
        release(book, Looking(book, RuntimeError(f"cannot cast {CANARY}")), Paid())
    assert book.heard == ["looked", "engine", "failed"]
    assert CANARY not in str(failure.value)
    assert failure.value.__context__ is None and failure.value.__cause__ is None  # nothing to dig it out of


def test_an_engines_error_is_sealed_even_if_the_ledger_fails_too() -> None:
    class FullDisk(Book):
        def failed(self, debit_id: int) -> None:
            raise OSError("disk full")

    book = FullDisk()
    with pytest.raises(OSError, match="disk full") as failure:
        release(book, Looking(book, RuntimeError(f"cannot cast {CANARY}")), Paid())
    assert failure.value.__context__ is None and failure.value.__cause__ is None


def test_another_number_of_statistics_than_was_paid_for_never_leaves() -> None:
    book = Book()
    with pytest.raises(lapcat.EngineFailed):
        release(book, Looking(book, [[1], [2]]), Paid())
    assert "answered" not in book.heard


def test_a_failing_table_keeps_its_charge_pauses_and_finishes_after_resume(tmp_path: Path) -> None:
    path = deploy(
        tmp_path,
        """
[tables.staff]
source = "staff.csv"
unit = "row"
budget = { epsilon = 1 }
[tables.staff.columns]
name = {}
""",
        {"staff.csv": {"name": [CANARY] * 5}},
        refreshed=["staff"],
    )
    (snapshot,) = (tmp_path / "lapcat.cache").glob("*.parquet")
    whole = snapshot.read_bytes()
    session = lapcat.open(path)
    question = session.sql("SELECT COUNT(name) AS n FROM staff")
    question.run(epsilon="0.1")  # the engine has the file open; what fails below fails after the debit
    middle = len(whole) // 3
    snapshot.write_bytes(whole[:4] + bytes(middle) + whole[4 + middle :])
    other = session.sql(f"SELECT COUNT(*) AS n FROM staff WHERE name <> '{CANARY[:3]}'")
    for _ in range(3):
        with pytest.raises(lapcat.EngineFailed) as failure:
            other.run(epsilon="0.2")
        assert CANARY not in str(failure.value) and "charge stands" in str(failure.value)
    assert session.budget().tables["staff"].spent.epsilon == Fraction(3, 10)  # once, and never given back
    with pytest.raises(lapcat.Refused) as paused:
        other.run(epsilon="0.2")
    assert paused.value.code == "table-paused"
    snapshot.write_bytes(whole)
    deployment = open_deployment(path)
    deployment.ledger.resume(
        deployment.charges(deployment.catalogue.tables["staff"], None)[0].scope, "mended"
    )
    answer = lapcat.open(path).sql(other.sql).run(epsilon="0.2")
    assert answer.free and lapcat.open(path).budget().tables["staff"].spent.epsilon == Fraction(3, 10)
