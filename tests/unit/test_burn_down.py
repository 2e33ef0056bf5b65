"""How a budget was spent, and how many more questions like the recent ones fit."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.core.event import ADD_REMOVE, JointRelease, KeyedRelease, LaplaceRelease, ThresholdRelease
from lapcat.core.exact import exact
from lapcat.drawing.burn_down import burn_line, burn_svg
from lapcat.ledger import Charge, Request, Spent, SQLiteLedger
from lapcat.plan.schema import SpendingLimit
from lapcat.session.burn_down import Pace, burn_down, pace, spending
from lapcat.session.files import open_deployment
from tests.support import deploy

TODAY = datetime(2026, 6, 30, 12, tzinfo=UTC)
STAFF, ANA = "table:staff.parquet", "analyst:ana@staff.parquet"


class Book:
    """A ledger whose clock is set by hand."""

    def __init__(self, limit: SpendingLimit) -> None:
        self.now, self.limit = TODAY, limit
        self.ledger = SQLiteLedger(":memory:", clock=lambda: self.now)

    def pay(self, epsilon: str, days_ago: int = 0, *, delta: bool = False) -> int:
        self.now = TODAY - timedelta(days=days_ago)
        event: JointRelease | KeyedRelease
        event = JointRelease((LaplaceRelease("n", exact(epsilon), Fraction(1)),), 1)
        if delta:
            event = KeyedRelease(ThresholdRelease("city", 1 / exact(epsilon), 80, 1, ADD_REMOVE), None)
        charges = (Charge(STAFF, "staff", self.limit), Charge(ANA, "ana on staff", self.limit, analyst=True))
        made = self.ledger.debit(
            Request(str(len(list(self.ledger.entries()))), event, charges, (STAFF,), {}, "ana")
        )
        return made.id

    def left(self) -> list[Fraction]:
        return [point.left for point in burn_down(self.limit, spending(self.ledger.entries())[STAFF])]

    def pace(self, now: datetime = TODAY) -> Pace | None:
        paid = spending(self.ledger.entries()).get(STAFF, [])
        return pace(self.limit, paid, self.ledger.spent(STAFF), now)


@pytest.fixture
def book() -> Book:
    return Book(SpendingLimit(epsilon=Fraction(3)))


def test_a_burn_down_has_a_point_for_each_entry_and_ends_at_what_is_left(book: Book) -> None:
    for epsilon in ("0.5", "1", "0.25"):
        book.pay(epsilon)
    assert book.left() == [Fraction(5, 2), Fraction(3, 2), Fraction(5, 4)]


def test_what_the_steward_took_back_rises_again(book: Book) -> None:
    book.pay("0.5")
    book.ledger.void(book.pay("1"), "the wrong table")
    book.pay("0.5")
    assert book.left() == [Fraction(5, 2), Fraction(3, 2), Fraction(5, 2), Fraction(2)]
    assert str(book.pace()) == "about 4 more questions like last week's"


def test_the_pace_is_the_median_of_the_last_seven_days(book: Book) -> None:
    book.pay("1", days_ago=30)
    for epsilon in ("0.02", "0.05", "0.4"):
        book.pay(epsilon, days_ago=6)
    assert book.pace() == Pace(30, "last week's")  # 1.53 left, at 0.05
    assert str(book.pace()) == "about 30 more questions like last week's"


def test_where_nothing_was_paid_last_week_the_last_ten_count(book: Book) -> None:
    assert book.pace() is None
    book.pay("1", days_ago=40)
    assert book.pace() == Pace(2, "the last one")
    for _ in range(12):
        book.pay("0.1", days_ago=20)
    assert book.pace() == Pace(8, "the last 10")


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_that_is_ten_years_off_changes_only_which_questions_are_meant(book: Book, years: int) -> None:
    for _ in range(3):
        book.pay("0.5")
    off = book.pace(TODAY + timedelta(days=365 * years))
    assert off == Pace(3, "the last 3") and book.pace() == Pace(3, "last week's")


def test_not_one_more_is_said_plainly(book: Book) -> None:
    book.pay("2")
    assert str(book.pace()) == "not one more question like last week's"
    book.pay("0.9")
    book.pay("0.05")
    assert str(book.pace()) == "not one more question like last week's"


def test_the_scarcer_of_epsilon_and_delta_decides() -> None:
    book = Book(SpendingLimit(epsilon=Fraction(3), delta=Fraction(1, 10**6)))
    book.pay("0.2", delta=True)
    spent = book.ledger.spent(STAFF)
    by_delta = int((Fraction(1, 10**6) - spent.delta) / spent.delta)
    assert by_delta < 14 and book.pace() == Pace(by_delta, "last week's")


def test_a_budget_of_rho_burns_down_in_rho() -> None:
    book = Book(SpendingLimit(rho=Fraction(1, 2)))
    book.pay("0.5")
    assert book.left() == [Fraction(3, 8)] and book.pace() == Pace(3, "last week's")


def test_a_share_of_a_stored_answer_burns_down_the_analysts_own_budget_alone(book: Book) -> None:
    id = book.pay("0.5")
    bob = Charge("analyst:bob@staff.parquet", "bob on staff", book.limit, analyst=True)
    assert book.ledger.share([id], "bob", (Charge(STAFF, "staff", book.limit), bob), (STAFF,))
    paid = spending(book.ledger.entries())
    assert len(paid[STAFF]) == 1
    assert [point.left for point in burn_down(book.limit, paid[bob.scope])] == [Fraction(5, 2)]
    assert Spent.of(paid[bob.scope][0].cost).epsilon == Fraction(1, 2)


# ------------------------------------------------------------------------------------------------ drawn


def test_the_line_falls_to_a_dot_only_when_nothing_is_left() -> None:
    shares = [1 - step / 100 for step in range(1, 101)]
    line = burn_line(shares, 20)
    assert len(line) == 20 and line.endswith("·") and "·" not in line[:-1]
    assert burn_line([0.0001], 20) == "▁"


def test_the_picture_is_described_in_words_and_takes_the_colour_of_the_text() -> None:
    picture = burn_svg([0.9, 0.5], "staff: <0.5> left")
    assert "<title>staff: &lt;0.5&gt; left</title>" in picture and 'role="img"' in picture
    assert set(re.findall(r'(?:stroke|fill)="([^"]+)"', picture)) == {"currentColor", "none"}


CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 3, delta = 1e-6 }
[tables.staff.columns]
age = { type = "integer", low = 0, high = 110 }
[tables.other]
source = "other.parquet"
unit = "row"
budget = { epsilon = 1 }
[analysts.ana]
tables = { staff = { epsilon = 1 } }
[analysts.bob]
tables = { staff = { epsilon = 2 }, other = { epsilon = 1 } }
"""


def asked(folder: Path) -> Path:
    rows = {"age": [30, 40, 50]}
    path = deploy(folder, CATALOGUE, {"staff.parquet": rows, "other.parquet": rows})
    for age, (name, epsilon) in enumerate((("ana", "0.5"), ("bob", "0.75"), ("bob", "0.25"))):
        lapcat.open(path, analyst=name).sql(f"SELECT COUNT(*) AS n FROM staff WHERE age > {age}").run(
            epsilon=epsilon
        )
    return path


def test_beside_each_analysts_own_loss_stands_what_all_have_learnt_together(tmp_path: Path) -> None:
    db = lapcat.open(asked(tmp_path), analyst="ana")
    body = db.budget().as_json()
    assert body["analysts"]["ana"]["staff"]["spent"] == {"epsilon": "0.5"}  # type: ignore[index]
    assert body["analysts"]["ana"]["staff"]["all_together"] == {"epsilon": "1.5"}  # type: ignore[index]
    assert set(body["tables"]) == {"staff"} and set(body["analysts"]) == {"ana"}  # type: ignore[call-overload]


def test_the_budget_in_python_has_the_series_and_a_picture_of_the_same_numbers(tmp_path: Path) -> None:
    budget = lapcat.open(asked(tmp_path), analyst="bob").budget()
    assert [point.left for point in budget.burn_down["staff"]] == [
        Fraction(5, 2),
        Fraction(7, 4),
        Fraction(3, 2),
    ]
    assert [point.left for point in budget.burn_down["bob on staff"]] == [Fraction(5, 4), Fraction(1)]
    assert budget.burn_down["other"] == ()
    page = budget._repr_html_()
    assert page.count("<svg") == page.count("<figcaption>") == 2 and "<script" not in page
    assert "staff: epsilon 1.5 and delta 1e-6 left of epsilon 3 and delta 1e-6 after 3 entries on" in page
    last = budget.tables["staff"].as_json()["burn_down"][-1]  # type: ignore[index]
    assert last["left"] == "1.5" and len(last["date"]) == 10


def test_failures_are_the_stewards_to_know_and_a_pause_is_everybodys(tmp_path: Path) -> None:
    path = asked(tmp_path)
    deployment = open_deployment(path)
    scope = deployment.scope(deployment.catalogue.tables["staff"])
    (first, *_) = (entry.id for entry in deployment.ledger.entries() if entry.kind == "debit")
    names = ("eve", "bob", "cy")
    for count in (1, 2, 3):
        deployment.ledger.failed(first, names[count - 1])
        steward, ana = (deployment.budget(who, history=True) for who in (None, "ana"))
        assert steward.failures == {"staff": count} and ana.failures == ana.failed == {}
        assert steward.failed == {"staff": tuple(sorted(names[:count]))}
    assert steward.paused == ana.paused == {"staff": "after 3 failed questions"}
    assert "paused after 3 failed questions" in str(ana)
    deployment.ledger.resume(scope, "mended")
    assert deployment.budget(history=True).failures == deployment.budget(history=True).paused == {}


def test_an_analyst_who_is_paused_alone_sees_it_and_others_do_not(tmp_path: Path) -> None:
    path = asked(tmp_path)
    deployment = open_deployment(path)
    (first, *_) = (entry.id for entry in deployment.ledger.entries() if entry.kind == "debit")
    deployment.ledger.failed(first, "ana")
    ana, bob = (deployment.budget(who, history=True) for who in ("ana", "bob"))
    assert ana.paused == {"staff": "for ana after a failed question"} and bob.paused == {}
    assert deployment.budget(history=True).paused == {}
