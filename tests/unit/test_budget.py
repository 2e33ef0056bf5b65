"""A limit is spent where it lowers the asked error most, and never beyond itself."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.event import JointRelease, LaplaceRelease
from lapcat.core.loss import PureDP
from lapcat.plan import budget
from lapcat.plan.budget import shares_of
from lapcat.session.files import open_deployment
from tests.support import deploy, resume_all, seeded

MATTERS = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=12)
MOST = st.integers(1, 12)


def objective(matters: list[float], shares: list[Fraction]) -> float:
    return sum(a / float(share) ** 2 for a, share in zip(matters, shares, strict=True))


def loss(shares: list[Fraction], max_affected: int) -> Fraction:
    parts = tuple(LaplaceRelease("x", Fraction(3), 3 / share) for share in shares)
    return JointRelease(parts, max_affected).loss.epsilon


@given(MATTERS, MOST)
def test_the_shares_cost_exactly_the_whole(matters: list[float], max_affected: int) -> None:
    shares = shares_of(matters, max_affected)
    assert all(share > 0 for share in shares)
    assert loss(shares, max_affected) == 1


@given(MATTERS, MOST)
def test_no_split_is_worse_than_an_even_one(matters: list[float], max_affected: int) -> None:
    even = [Fraction(1, min(max_affected, len(matters)))] * len(matters)
    assert objective(matters, shares_of(matters, max_affected)) <= objective(matters, even) * (1 + 1e-9)


@pytest.mark.patient
@pytest.mark.parametrize("max_affected", [1, 2, 3])
@pytest.mark.parametrize(
    "matters", [[1.0, 8.0, 27.0], [1.0, 1.0, 1000.0], [1.0, 50.0, 60.0], [2.0, 3.0, 4.0]]
)
def test_no_other_split_is_better_by_more_than_a_hundredth(matters: list[float], max_affected: int) -> None:
    score = objective(matters, shares_of(matters, max_affected))
    grid = [Fraction(i, 30) for i in range(1, 31)]
    for shares in itertools.product(grid, repeat=3):
        if sum(sorted(shares, reverse=True)[:max_affected]) <= 1:
            assert score <= objective(matters, list(shares)) / budget.WORTH


def test_what_matters_more_gets_more_and_what_one_row_cannot_move_with_it_shares_the_rest() -> None:
    few, many, other = shares_of([1.0, 1000.0, 1.0], 2)
    assert many > 4 * few and few == other and many + few == 1


def test_figures_that_cannot_be_compared_are_split_evenly() -> None:
    for matters in ([0.0, 0.0], [float("inf"), 1.0], [1e308, 1e308], [float("nan"), 1.0]):
        assert shares_of(matters, 2) == [Fraction(1, 2)] * 2


# ------------------------------------------------------------------------------------------------ questions

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "person_id"
rows_per_unit = 1
budget = { epsilon = 9, delta = 1e-6 }
[tables.staff.columns]
person_id = { type = "integer" }
city = { type = "text", keys = "private" }
age = { type = "integer", low = 0, high = 110 }
salary = { type = "float", low = 0, high = 100, null = 0 }
"""
ROWS = {
    "person_id": list(range(400)),
    "city": ["Bern"] * 300 + ["Thun"] * 100,
    "age": [30] * 400,
    "salary": [50.0] * 400,
}
SUMS = "SELECT COUNT(*) AS n, SUM(age) AS s, SUM(salary) AS p FROM staff"


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    return deploy(tmp_path, CATALOGUE, {"staff.parquet": ROWS}, refreshed=["staff"])


def uneven(matters: list[float], max_affected: int, power: int = 2) -> list[Fraction]:
    rest = matters[1:]
    return [Fraction(9, 10), *(Fraction(1, 10 * len(rest)) for _ in rest)] if rest else [Fraction(1)]


def test_an_answer_keeps_the_noise_that_was_paid_for_whatever_the_split_is_now(
    catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other:
        other.setattr(budget, "shares_of", uneven)
        first = seeded(catalogue).sql(SUMS).run(epsilon=1)
    again = seeded(catalogue).sql(SUMS).run(epsilon=1)
    assert again.free and again.rows == first.rows  # the margins too
    smaller = seeded(catalogue).sql(SUMS).run(epsilon="0.5")
    assert smaller.free and smaller.rows == first.rows
    shown = {column.name: column.margin for column in seeded(catalogue).sql(SUMS).preview(epsilon=1).columns}
    assert shown["p"] == pytest.approx(first["p_high"][0] - first["p"][0])


def test_a_question_that_failed_after_paying_finishes_with_the_noise_that_was_paid_for(
    catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lapcat.core import release as gate
    from lapcat.errors import EngineFailed

    with monkeypatch.context() as other:
        other.setattr(budget, "shares_of", uneven)
        other.setattr(gate, "_execute_and_add_noise", lambda *_: None)
        with pytest.raises(EngineFailed):
            seeded(catalogue).sql(SUMS).run(epsilon=1)
    resume_all(catalogue)
    answer = seeded(catalogue).sql(SUMS).run(epsilon=1)
    assert answer.free
    ledger = open_deployment(catalogue).ledger
    [debit] = [entry for entry in ledger.entries() if entry.kind == "debit"]
    assert answer.receipt.id == debit.id
    margin = answer["n_high"][0] - answer["n"][0]
    with monkeypatch.context() as other:
        other.setattr(budget, "shares_of", uneven)
        [foreseen, *_] = seeded(catalogue).sql(SUMS).preview(epsilon="1.5").columns
    assert margin > (foreseen.margin or 0)  # it is the one of epsilon 1, not of the new price


def test_a_question_splits_all_it_pays_and_no_more(catalogue: Path) -> None:
    facts = seeded(catalogue).sql(SUMS)._prepared().facts
    shares = budget.split(PureDP(Fraction(1, 3)), facts, [1.0, 2.0, 300.0][: len(facts.statistics)])
    epsilons = sorted((share.epsilon for share in shares), reverse=True)
    assert sum(epsilons[: facts.max_affected]) == Fraction(1, 3)


PRIVATE = "SELECT city, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY city"


def threshold_and_rest(catalogue: Path, text: str) -> tuple[Fraction, int, Fraction]:
    question = seeded(catalogue).sql(text)
    event = question._program(1, "1e-6", None, None, Fraction(95, 100)).event
    assert event.loss.epsilon == 1  # type: ignore[union-attr]
    shown = event.threshold  # type: ignore[union-attr]
    return shown.loss.epsilon, shown.tau, event.rest.loss.epsilon  # type: ignore[union-attr]


def test_private_groups_never_lose_a_lower_threshold_and_pay_the_whole(
    catalogue: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (
        PRIVATE,
        "SELECT city, SUM(age) AS s FROM staff GROUP BY city",
        "SELECT city, COUNT(*) AS n, SUM(age) AS s, SUM(salary) AS p FROM staff GROUP BY city",
    ):
        share, tau, rest = threshold_and_rest(catalogue, text)
        assert share + rest == 1
        with monkeypatch.context() as other:
            other.setattr(budget, "WORTH", 0.0)
            even_share, even_tau, _ = threshold_and_rest(catalogue, text)
        assert share >= even_share and tau <= even_tau


def test_a_count_that_shows_the_groups_and_three_columns_read_gets_more_than_its_even_share(
    catalogue: Path,
) -> None:
    share, _, _ = threshold_and_rest(
        catalogue, "SELECT city, COUNT(*) AS n, SUM(salary) AS s FROM staff GROUP BY city"
    )
    assert share > Fraction(1, 2)
