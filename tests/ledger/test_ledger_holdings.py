"""What stored answers hold: found by statistic, shared by several, kept in files of before they said it."""

from __future__ import annotations

import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_kit import STAFF, ask, finish, kinds, open_ledger, own, raw, spent, table

import lapcat
from lapcat.errors import BudgetExceeded, IntegrityFailed, Refused
from lapcat.ledger import Charge, Request, SQLiteLedger, SQLLedger
from lapcat.ledger.sqlite.schema import SCHEMA_VERSION
from lapcat.plan.cached_statistics import Content, KeyContent

OLD = Path(__file__).parent / "files" / "schema_1.sqlite"
"""Made by lapcat when the schema was 1: forty people, a count and a sum by region at epsilon 0.5."""
COUNTS = Content(
    ("count", "sum"), (KeyContent("region", 3, True), KeyContent("city", None, False)), ((0, 1), ())
)


def request(
    question: str = "q",
    price: str = "0.5",
    *charges: Charge,
    analyst: str | None = None,
    holds: Content = COUNTS,
) -> Request:
    asked = ask(question, price, *charges, analyst=analyst)
    return Request(asked.question, asked.event, asked.charges, asked.tables, asked.memo, analyst, holds)


def answered(ledger: SQLLedger, asked: Request, answer: bytes = b"lapcat-cells 1 2 3 UNSAFE\n42") -> int:
    id = ledger.debit(asked).id
    finish(ledger, id, answer)
    return id


def test_an_answer_is_found_by_what_it_holds_and_says_it_as_it_was_written(store: str) -> None:
    with open_ledger(store) as ledger:
        id = answered(ledger, request())
        (cached,) = ledger.find_cached_answers(["sum", "something else"])
        assert cached.id == id and cached.content == COUNTS and cached.charged
        assert (
            cached.head == b"lapcat-cells 1 2 3 UNSAFE"
            and ledger.answer(id) == b"lapcat-cells 1 2 3 UNSAFE\n42"
        )
        assert ledger.find_cached_answers(["something else"]) == ledger.find_cached_answers([]) == []
        assert ledger.verify()


def test_what_is_not_answered_holds_nothing_yet(store: str) -> None:
    with open_ledger(store) as ledger:
        debit = ledger.debit(request())
        assert ledger.find_cached_answers(["count"]) == [] and ledger.answer(debit.id) is None
        finish(ledger, debit.id)
        assert len(ledger.find_cached_answers(["count"])) == 1


def test_sharing_charges_each_answer_once_and_the_tables_nothing(store: str) -> None:
    charges = (table(), own("bob", "3"))
    with open_ledger(store) as ledger:
        ids = [
            answered(ledger, request(f"q{i}", "0.5", table(), own("ana", "3"), analyst="ana"))
            for i in range(2)
        ]
        assert [cached.charged for cached in ledger.find_cached_answers(["count"], "bob")] == [False, False]
        assert ledger.affordable(ids, "bob", charges)
        assert ledger.share([*ids, *ids], "bob", charges, (STAFF,))
        assert spent(ledger, charges[1].scope) == 1 == spent(ledger)
        assert not ledger.share(ids, "bob", charges, (STAFF,))
        assert spent(ledger, charges[1].scope) == 1 and kinds(ledger).count("share") == 2
        assert ledger.verify()


def test_a_share_is_all_or_nothing(store: str) -> None:
    charges = (table(), own("bob", "0.8"))  # enough for one of them
    with open_ledger(store) as ledger:
        ids = [answered(ledger, request(f"q{i}")) for i in range(2)]
        assert ledger.affordable(ids[:1], "bob", charges) and not ledger.affordable(ids, "bob", charges)
        with pytest.raises(BudgetExceeded, match="bob on staff"):
            ledger.share(ids, "bob", charges, (STAFF,))
        assert spent(ledger, charges[1].scope) == 0 and "share" not in kinds(ledger)


def test_a_paused_table_shares_nothing(store: str) -> None:
    with open_ledger(store) as ledger:
        id = answered(ledger, request())
        for analyst in ("ana", "cy", "dan"):
            ledger.failed(id, analyst)
        for analyst in ("bob", None):
            with pytest.raises(Refused, match="paused"):
                ledger.share([id], analyst, (table(), own("bob", "3")), (STAFF,))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM holdings",
        "INSERT INTO holdings VALUES ('count', 1)",
        "UPDATE holdings SET statistic = 'x'",
    ],
)
def test_holdings_that_were_edited_are_found(store: str, statement: str) -> None:
    with open_ledger(store) as ledger:
        ledger.refreshed("staff.parquet", {})
        answered(ledger, request(holds=Content(("sum",), (), ((),))))
    connection = raw(store)
    connection.execute(statement)
    connection.close()
    with open_ledger(store) as ledger, pytest.raises(IntegrityFailed, match="the index of answers that hold"):
        ledger.verify()


def old_ledger(folder: Path) -> Path:
    return Path(shutil.copy(OLD, folder / "staff.ledger"))


def schema(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_file_of_schema_1_is_taken_over_with_every_entry_as_it_was(tmp_path: Path) -> None:
    path = old_ledger(tmp_path)
    with sqlite3.connect(path) as connection:
        before = connection.execute("SELECT * FROM entries").fetchall()
    assert schema(path) == 1
    with SQLiteLedger(path) as ledger:
        assert ledger.verify() == len(before)
    assert schema(path) == SCHEMA_VERSION
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT * FROM entries").fetchall() == before
    with SQLiteLedger(path) as ledger:  # and opened once more
        assert ledger.verify() == len(before)


def test_what_an_old_file_holds_is_still_free_and_new_answers_say_what_they_hold(tmp_path: Path) -> None:
    import pandas as pd

    rows = pd.DataFrame(
        {
            "person_id": range(40),
            "region": ["north", "south"] * 20,
            "salary": [1000.0 * i for i in range(40)],
        }
    )
    staff = lapcat.table(
        rows,
        name="staff",
        unit="person_id",
        rows_per_unit=1,
        bounds={"salary": (0, 40_000)},
        keys={"region": ["north", "south"]},
        epsilon=3,
        ledger=old_ledger(tmp_path),
    )
    again = staff.sql("SELECT region, COUNT(*) AS n, SUM(salary) AS pay FROM staff GROUP BY region").run(
        epsilon="0.5"
    )
    assert again.free and [row["n"] for row in again] == [27, 11]
    count = staff.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region")
    with pytest.raises(lapcat.BadQuery, match="exactly one of"):  # the old entry does not say what it holds
        count.run()
    staff.sql("SELECT region, COUNT(*) AS n, COUNT(salary) AS m FROM staff GROUP BY region").run(
        epsilon="0.5"
    )
    assert count.run().free
    assert staff.budget().tables["staff"].spent.epsilon == Fraction(1)


def test_two_processes_may_take_a_file_over_at_once(tmp_path: Path) -> None:
    """The second finds that the first has done it, whichever statement it had reached."""
    from lapcat.ledger.sqlite.connection import connect
    from lapcat.ledger.sqlite.opening import prepare

    path = old_ledger(tmp_path)
    first, second = connect(str(path)), connect(str(path))
    inner = second.execute

    class Late:
        in_transaction = property(lambda _: second.in_transaction)

        def execute(self, sql: str, parameters: tuple[object, ...] = ()) -> object:
            if sql == "BEGIN IMMEDIATE":  # it has seen the old schema, and now waits for its turn
                prepare(first, 10.0, str(path))
            return inner(sql, parameters)

        def close(self) -> None:
            second.close()

    prepare(Late(), 10.0, str(path))  # type: ignore[arg-type]
    first.close()
    second.close()
    with SQLiteLedger(path) as ledger:
        assert ledger.verify()
