"""The door: pay, look, blur; and what happens when the engine fails behind it."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
import zlib
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.core import release as gate
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.core.release import ExactResult
from lapcat.session.files import open_deployment
from lapcat.testing.coins import SeededCoins
from lapcat.testing.reveal import reveal, reveal_groups
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
    private = ExactResult(np.array([[31337]], np.int64), [(CANARY,)], np.array([5157], np.int64))
    with pytest.raises((lapcat.Bug, TypeError, ValueError)) as refusal:
        attempt(private)  # type: ignore[operator]
    for secret in ("31337", CANARY, "5157"):
        assert secret not in str(refusal.value) and secret not in f"{private!r}{private!s}{dir(private)}"
    assert repr(private) == str(private) == "<private>"
    assert reveal(private).tolist() == [[31337]]  # for tests alone; a layer test looks for any other use
    assert reveal_groups(private) == {(CANARY,): (5157, [[31337]])}


class Book:
    """A ledger that writes down what it is told, in order."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.stored: bytes | None = None

    def executing(self, debit_id: int) -> None:
        self.heard.append("looked")

    def answered(self, debit_id: int, answer: bytes) -> bytes:
        self.heard.append("answered")
        self.stored = self.stored or answer
        return self.stored

    def failed(self, debit_id: int, analyst: str | None = None) -> None:
        self.heard.append("failed")


class Paid:
    id = 7

    def __init__(self, answer: bytes | None = None) -> None:
        self.answer = answer


class Looking:
    def __init__(
        self,
        book: Book,
        cells: list[list[int]] | Exception,
        groups: dict[tuple[object, ...], int] | None = None,
    ) -> None:
        self.book, self.cells, self.groups = book, cells, groups

    def execute(self, plan: str) -> ExactResult:
        self.book.heard.append("engine")
        if isinstance(self.cells, Exception):
            raise self.cells
        cells = np.array(self.cells, np.int64)
        if self.groups is None:
            return ExactResult(cells)
        return ExactResult(cells, list(self.groups), np.array(list(self.groups.values()), np.int64))


def release(
    book: Book, engine: Looking, paid: Paid, seed: int = 1, threshold: Threshold | None = None
) -> gate.NoisyResult:
    return gate.release(
        "plan",
        [Laplace(Fraction(2))],
        paid,
        threshold=threshold,
        ledger=book,
        engine=engine,
        coins=SeededCoins(seed),
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
        def failed(self, debit_id: int, analyst: str | None = None) -> None:
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


QUIET = Threshold(Fraction(1, 100), 10)
"""Noise that is 0 in all these tests, so that what is shown can be said beforehand."""
TOWNS: dict[tuple[object, ...], int] = {
    ("Ulm",): 10,
    ("Bonn",): 9,
    ("Celle",): 40,
    ("\xc4ss",): 12,
    ("Aa",): 300,
}


def test_only_groups_that_reach_the_threshold_leave_and_by_value() -> None:
    book = Book()
    cells = [[100, 101, 200, 201, 300, 301, 400, 401, 500, 501]]  # two cells for each town
    mechanisms = [Laplace(Fraction(1, 100))]
    for _ in range(2):  # from the engine, then from the store
        released = gate.release(
            "plan",
            mechanisms,
            Paid(book.stored),
            threshold=QUIET,
            ledger=book,
            engine=Looking(book, cells, TOWNS),
            coins=SeededCoins(1),
        )
        assert released.keys == (("Aa",), ("Celle",), ("Ulm",), ("\xc4ss",))
        assert released.units is not None and released.units.tolist() == [300, 40, 10, 12]
        assert released.cells.tolist() == [[500, 501, 300, 301, 100, 101, 400, 401]]
    assert book.stored is not None and b"Bonn" not in zlib.decompress(book.stored.partition(b"\n")[2])


def test_a_group_below_the_threshold_takes_no_part_in_anything_that_is_drawn() -> None:
    """With the same coins, the numbers of the groups that are shown are the same whatever the others hold."""
    with_bonn = release(Book(), Looking(Book(), [[1, 2, 3, 4, 5]], TOWNS), Paid(), threshold=QUIET)
    alone = [([[1, 777, 3, 4, 5]], TOWNS), ([[1, -5, 3, 4, 5]], {**TOWNS, ("Bonn",): 1})]
    for cells, towns in alone:
        other = release(Book(), Looking(Book(), cells, towns), Paid(), threshold=QUIET)
        assert other.cells.tolist() == with_bonn.cells.tolist() and other.keys == with_bonn.keys


def test_the_order_of_the_rows_is_not_told() -> None:
    shown = set()
    for towns in permutations(TOWNS.items()):
        shown.add(release(Book(), Looking(Book(), [[0] * 5], dict(towns)), Paid(), threshold=QUIET).keys)
    assert len(shown) == 1


def test_a_group_of_one_is_shown_no_more_often_than_delta_says() -> None:
    """20 000 groups of one unit: the number shown is binomial; 6 standard deviations are passed once in 10⁹ times."""
    threshold = Threshold(Fraction(2), 10)
    loners = {(index,): 1 for index in range(20_000)}
    engine = Looking(Book(), [[0] * len(loners)], loners)
    released = release(Book(), engine, Paid(), seed=8812, threshold=threshold)
    low, high = (float(bound) for bound in threshold.law(1).shown_bounds())
    spread = math.sqrt(len(loners) * high)
    assert released.keys is not None and released.units is not None
    assert abs(len(released.keys) - len(loners) * low) < 6 * spread
    assert len(released.keys) > 20 and released.units.min() == 10


@pytest.mark.parametrize(
    "values",
    [
        (-(2**80), -1, 0, 2**62, 10**30),
        (-math.inf, -0.1, 0.0, 5e-324, 0.1, 1.7e308, math.inf),
        ("", "\n", "A", "Z", "a", "\xe4", "\ud800", "\uffff", "\U0001f600"),
        (False, True),
        (datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)),
        (datetime.datetime(1, 1, 1), datetime.datetime(2024, 2, 29, 23, 59, 59, 999999)),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_keys_of_every_type_are_kept_exactly_and_ordered_by_value(values: tuple[object, ...]) -> None:
    for backwards in (False, True):
        groups = {(value, index % 2): 50 for index, value in enumerate(values)}
        if backwards:
            groups = dict(reversed(groups.items()))
        released = release(Book(), Looking(Book(), [[0] * len(groups)], groups), Paid(), threshold=QUIET)
        assert released.keys == tuple((value, index % 2) for index, value in enumerate(values))
        assert {type(value) for value, _ in released.keys} == {type(values[0])}


def test_there_is_one_zero() -> None:
    released = release(Book(), Looking(Book(), [[0]], {(-0.0,): 50}), Paid(), threshold=QUIET)
    assert released.keys is not None and math.copysign(1, released.keys[0][0]) == 1  # type: ignore[arg-type]


def test_no_group_at_all_is_an_answer() -> None:
    for groups in ({}, {("Bonn",): 1}):
        book = Book()
        released = release(book, Looking(book, [[0] * len(groups)], groups), Paid(), threshold=QUIET)
        assert released.keys == () and released.cells.shape == (1, 0) and released.units is not None


def test_groups_without_statistics_are_shown_with_their_units() -> None:
    engine = Looking(Book(), [], TOWNS)
    engine.execute = lambda plan: ExactResult(  # type: ignore[method-assign]
        np.empty((0, 2 * len(TOWNS)), np.int64), list(TOWNS), np.array(list(TOWNS.values()), np.int64)
    )
    released = gate.release(
        "plan", [], Paid(), threshold=QUIET, ledger=Book(), engine=engine, coins=SeededCoins(1)
    )
    assert released.keys is not None and len(released.keys) == 4 and released.cells.shape == (0, 8)


@pytest.mark.parametrize(
    ("groups", "threshold"),
    [
        ({("Ulm",): 50, (7,): 50}, QUIET),
        ({("Ulm",): 50, (None,): 50}, QUIET),
        ({(math.nan,): 50, (1.0,): 50}, QUIET),
        ({("Ulm",): 50, ("Bonn",): 50}, None),
        (None, QUIET),
    ],
    ids=["two types", "NULL", "NaN", "no threshold was paid for", "no groups"],
)
def test_what_is_no_group_fails_and_never_leaves(
    groups: dict[tuple[object, ...], int] | None, threshold: Threshold | None
) -> None:
    book = Book()
    with pytest.raises(lapcat.EngineFailed):
        release(book, Looking(book, [[1, 2]], groups), Paid(), threshold=threshold)
    assert "answered" not in book.heard


@pytest.mark.parametrize(
    ("width", "keys", "units"),
    [(2, [("a",), ("a",)], [1, 1]), (3, [("a",), ("b",)], [1, 1]), (2, [("a",), ("b",)], [1]), (2, [], [])],
    ids=["a group twice", "cells that do not divide", "units of another number", "cells of no group"],
)
def test_groups_that_do_not_fit_their_cells_are_a_bug(
    width: int, keys: list[tuple[str]], units: list[int]
) -> None:
    with pytest.raises(lapcat.Bug) as bug:
        ExactResult(np.zeros((1, width), np.int64), keys, np.array(units, np.int64))
    assert bug.value.code == "private-shape"
    with pytest.raises(lapcat.Bug):
        ExactResult(np.zeros((1, width), np.int64), keys)


def test_an_answer_of_the_first_format_is_still_read() -> None:
    body = zlib.compress(np.array([1, -2, 3, 4], "<i8").tobytes(), 1)
    released = release(
        Book(),
        Looking(Book(), ValueError("not asked")),
        Paid(b"lapcat-cells 1 2 2 cryptographic\n" + body),
    )
    assert released.cells.tolist() == [[1, -2], [3, 4]] and released.cryptographic
    assert released.keys is None and released.units is None
    with pytest.raises(lapcat.Bug):
        release(Book(), Looking(Book(), [[1]]), Paid(b"lapcat-cells 3 1 1 cryptographic\n" + body))


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
    with pytest.raises(lapcat.EngineFailed) as failure:
        other.run(epsilon="0.2")
    assert CANARY not in str(failure.value) and "charge stands" in str(failure.value)
    assert session.budget().tables["staff"].spent.epsilon == Fraction(3, 10)  # once, and never given back
    with pytest.raises(lapcat.Refused) as paused:
        other.run(epsilon="0.2")
    assert paused.value.code == "table-paused"
    snapshot.write_bytes(whole)
    deployment = open_deployment(path)
    deployment.ledger.resume(deployment.scope(deployment.catalogue.tables["staff"]), "mended")
    answer = lapcat.open(path).sql(other.sql).run(epsilon="0.2")
    assert answer.free and lapcat.open(path).budget().tables["staff"].spent.epsilon == Fraction(3, 10)
