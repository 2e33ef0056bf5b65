"""Gaussian noise where it is better: under budgets of rho, and for (epsilon, delta) over many small moves."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.core.event import (
    Conversion,
    ExactRelease,
    GaussianRelease,
    JointGaussianRelease,
)
from lapcat.core.event_codec import event_from_json
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.errors import BadQuery, BudgetExceeded, Bug
from lapcat.ledger.fixed_point import RHOS, cost_of
from lapcat.plan.accuracy import Noise, margin_of_sum
from lapcat.plan.compile import Program, agree
from lapcat.session import Session
from lapcat.session.files import open_deployment
from lapcat.testing.coins import SeededCoins
from tests.support import deploy, seeded

LEVEL = Fraction(95, 100)
RUNS = 20_000
# One-sided binomial: 95 % of 20 000 runs is 19 000 ± 31; five standard deviations below is 18 846 (false alarm 3e-7).
FEWEST = 18_846
CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "person_id"
rows_per_unit = {rows}
budget = {budget}
[tables.staff.columns]
person_id = {{ type = "integer" }}
day = {{ type = "integer", keys = {{ from = 1, to = 30 }} }}
city = {{ type = "text", keys = "private" }}
a = {{ type = "float", low = 0, high = 1, null = 0 }}
b = {{ type = "float", low = 0, high = 1, null = 0 }}
c = {{ type = "float", low = 0, high = 1, null = 0 }}
"""
ROWS = {
    "person_id": [i // 3 for i in range(900)],
    "day": [1 + i % 30 for i in range(900)],
    "city": ["Bern"] * 900,
    "a": [0.5] * 900,
    "b": [0.25] * 900,
    "c": [1.0] * 900,
}
RHO = "{ rho = 1, delta = 1e-6 }"
PAIR = "{ epsilon = 9, delta = 1e-6 }"
COUNT = "SELECT COUNT(*) AS n FROM staff"
ALL = "SELECT COUNT(*) AS n, SUM(a) AS a, SUM(b) AS b, SUM(c) AS c FROM staff"
BY_DAY = "SELECT day, COUNT(DISTINCT person_id) AS n FROM staff GROUP BY day"


def path(folder: Path, budget: str = RHO, rows: int = 1) -> Path:
    text = CATALOGUE.format(budget=budget, rows=rows)
    return deploy(folder, text, {"staff.parquet": ROWS}, refreshed=["staff"])


def staff(folder: Path, budget: str = RHO, rows: int = 1) -> Session:
    return seeded(path(folder, budget, rows))


def program(session: Session, text: str, **price: object) -> Program:
    given = {"epsilon": None, "delta": None, "rho": None, "error": None, **price}
    return session.sql(text)._program(*given.values(), LEVEL)


# ------------------------------------------------------------------------------------------------ what it costs


def test_the_rhos_of_what_one_row_moves_add_up() -> None:
    noisy = (GaussianRelease("x", Fraction(n), Fraction(2)) for n in (1, 2, 4))
    parts = (*noisy, ExactRelease("y"))
    assert JointGaussianRelease(parts, 3).loss == ZCDP(Fraction(7, 4))
    assert JointGaussianRelease(parts, 2).loss == ZCDP(Fraction(6, 4))


@pytest.mark.parametrize("quoted", [None, Conversion(Fraction(3), Fraction(1, 10**6))])
def test_an_event_is_read_as_it_was_written(quoted: Conversion | None) -> None:
    event = JointGaussianRelease(
        (GaussianRelease("x", Fraction(1), Fraction(50)), ExactRelease("y")), 1, quoted
    )
    again = event_from_json(json.loads(json.dumps(event.as_json())))
    assert again == event and again.loss == event.loss


def test_a_pair_is_quoted_above_its_rho_and_costs_both(tmp_path: Path) -> None:
    many = program(staff(tmp_path, PAIR, rows=30), BY_DAY, epsilon="0.5", delta="1e-6")
    event = many.event
    assert isinstance(event, JointGaussianRelease) and event.quoted is not None
    assert isinstance(event.loss, ApproxDP)
    assert Fraction(49, 100) < event.loss.epsilon <= Fraction(1, 2) and event.loss.delta == Fraction(1, 10**6)
    simply = float(event.rho) + 2 * math.sqrt(float(event.rho) * math.log(1e6))
    assert 0.5 <= simply < 0.7  # Bun & Steinke's formula says a little more of the same rho
    cost = cost_of(event)
    assert cost.rho == math.ceil(event.rho * RHOS) and cost.delta == 10**12


# ------------------------------------------------------------------------------------------------ which is better


def test_under_rho_the_noise_is_gaussian_and_has_at_most_half_the_variance(tmp_path: Path) -> None:
    session = staff(tmp_path)
    for text in (COUNT, ALL, BY_DAY):
        concentrated, pure = program(session, text, rho="0.02"), program(session, text, epsilon="0.2")
        assert concentrated.loss == ZCDP(Fraction(1, 50))
        for ours, theirs in zip(concentrated.measurements, pure.measurements, strict=True):
            assert isinstance(ours.mechanism, Gaussian) and isinstance(theirs.mechanism, Laplace)
            assert ours.mechanism.law().variance <= 0.51 * theirs.mechanism.law().variance


def test_one_count_keeps_laplace_noise_and_pays_no_delta(tmp_path: Path) -> None:
    session = staff(tmp_path, PAIR)
    preview = session.sql(COUNT).preview(epsilon=1, delta="1e-6")
    assert preview.cost == PureDP(Fraction(1))
    assert "Laplace" in session.sql(COUNT).explain(1, delta="1e-6")


def test_many_days_of_one_person_get_gaussian_noise_for_a_delta(tmp_path: Path) -> None:
    session = staff(tmp_path, PAIR, rows=30)
    with_delta = session.sql(BY_DAY).preview(epsilon=1, delta="1e-6")
    without = session.sql(BY_DAY).preview(epsilon=1)
    assert with_delta.columns[0].margin < without.columns[0].margin * 0.6  # type: ignore[operator]
    assert any("discrete Gaussian noise of sigma" in line for line in with_delta.statistics)
    assert "discrete Gaussian noise of sigma" in session.sql(BY_DAY).explain(1, delta="1e-6")


def test_a_delta_that_no_budget_has_is_refused(tmp_path: Path) -> None:
    for budget in ("{ epsilon = 9 }", RHO):
        with pytest.raises(BadQuery, match="delta-unused"):
            staff(tmp_path / budget[2:5], budget).sql(COUNT).preview(epsilon="0.1", delta="1e-6")


# ------------------------------------------------------------------------------------------------ paying and repeating


def test_a_rho_is_paid_once_and_what_is_stored_serves_no_larger_one(tmp_path: Path) -> None:
    where = path(tmp_path)
    first = lapcat.open(where).sql(ALL).run(rho="0.02")
    assert first.as_json()["cost"] == {"rho": "0.02"}
    assert first.budget.tables["staff"].left.rho == Fraction(98, 100)
    again = lapcat.open(where).sql(ALL).run(rho="0.02")
    assert again.free and again.rows == first.rows
    assert again.receipt.as_json() == first.receipt.as_json()
    assert lapcat.open(where).sql(ALL).run(rho="0.01").rows == first.rows
    assert lapcat.open(where).sql(ALL).run(epsilon="0.2").rows == first.rows  # it would cost rho 0.02
    assert not lapcat.open(where).sql(ALL).run(rho="0.03").free
    assert open_deployment(where).ledger.verify() > 0
    with pytest.raises(BudgetExceeded):
        lapcat.open(where).sql(COUNT).run(rho="0.96")


def test_noisier_laplace_noise_does_not_serve_for_a_rho_that_costs_the_same(tmp_path: Path) -> None:
    session = staff(tmp_path)
    session.sql(COUNT).run(epsilon="0.2")  # rho 0.02
    assert not session.sql(COUNT).preview(rho="0.02").free  # half the variance
    assert session.sql(COUNT).preview(rho="0.009").free


def test_a_pair_is_paid_once_and_the_book_agrees(tmp_path: Path) -> None:
    where = path(tmp_path, PAIR, rows=30)
    first = lapcat.open(where).sql(BY_DAY).run(epsilon=1, delta="5e-7")
    again = lapcat.open(where).sql(BY_DAY).run(epsilon=1, delta="5e-7")
    assert again.free and again.rows == first.rows
    left = again.budget.tables["staff"].left
    assert (
        left.delta == Fraction(5, 10**7)
        and left.epsilon is not None
        and 8 <= left.epsilon < Fraction(801, 100)
    )
    assert open_deployment(where).ledger.verify() > 0


def test_private_groups_and_epsilon_budgets_beside_a_rho_keep_laplace_noise(tmp_path: Path) -> None:
    private = program(
        staff(tmp_path / "p"), "SELECT city, SUM(a) AS s FROM staff GROUP BY city", rho="0.02", delta="1e-7"
    )
    assert all(isinstance(m.mechanism, Laplace) for m in private.measurements)
    text = CATALOGUE.format(budget=RHO, rows=1) + "[analysts.ana]\ntables = { staff = { epsilon = 1 } }\n"
    where = deploy(tmp_path / "a", text, {"staff.parquet": ROWS}, refreshed=["staff"])
    answer = seeded(where, analyst="ana").sql(COUNT).run(rho="0.02")
    assert isinstance(answer.cost, PureDP) and answer.cost.epsilon == Fraction(1, 5)


# ------------------------------------------------------------------------------------------------ the guarantee


def test_gaussian_noise_is_calibrated_to_the_square_of_what_one_person_moves(tmp_path: Path) -> None:
    """30 days of one person, all in one group: l2² is 900, not the 30 of l1."""
    session = staff(tmp_path, rows=30)
    for text, least in ((COUNT, 900), (BY_DAY, 30)):
        priced = program(session, text, rho="0.5")
        [measurement] = priced.measurements
        assert isinstance(measurement.mechanism, Gaussian)
        weight = priced.plan.statistics[0].unit_weight  # weighed rows count in fine steps
        assert measurement.mechanism.sigma_squared >= least * weight**2


def test_a_program_with_less_gaussian_noise_than_it_pays_for_is_a_bug(tmp_path: Path) -> None:
    from dataclasses import replace

    priced = program(staff(tmp_path), ALL, rho="0.02")
    first, *rest = priced.measurements
    assert isinstance(first.mechanism, Gaussian)
    less = replace(first, mechanism=Gaussian(first.mechanism.sigma_squared / 2))
    with pytest.raises(Bug, match="cost-differs"):
        agree(replace(priced, measurements=(less, *rest)), ZCDP(Fraction(1, 50)))
    mixed = replace(first, mechanism=Laplace(Fraction(10**9)))
    with pytest.raises(Bug, match="cost-differs"):
        agree(replace(priced, measurements=(mixed, *rest)), ZCDP(Fraction(1, 50)))
    agree(priced, ZCDP(Fraction(1, 50)))


# ------------------------------------------------------------------------------------------------ how far off


@pytest.mark.parametrize("sigma_squared", [Fraction(1), Fraction(9), Fraction(400), Fraction(10**4)])
@pytest.mark.parametrize("factor", [0.0, 1.0, 40.0])
def test_the_margin_of_a_sum_of_two_gaussian_noises_covers_it(sigma_squared: Fraction, factor: float) -> None:
    wide = Fraction(3000**2)
    first = Noise(Gaussian(wide).law(), Fraction(1, 64))
    second = Noise(Gaussian(sigma_squared).law(), Fraction(1))
    margin = margin_of_sum(first, factor, second, LEVEL)
    zeros = np.zeros(RUNS, np.int64)
    total = Gaussian(wide).draw(zeros, SeededCoins(1)) / 64 + factor * Gaussian(sigma_squared).draw(
        zeros, SeededCoins(2)
    )
    assert int((np.abs(total) <= margin).sum()) >= FEWEST
    assert int((np.abs(total) <= 0.9 * margin).sum()) < FEWEST  # a tenth narrower would be noticed


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 25), Fraction(1, 4), Fraction(1)])
def test_coarse_gaussian_noise_is_covered_too(sigma_squared: Fraction) -> None:
    noise = Noise(Gaussian(sigma_squared).law(), Fraction(1))
    margin = margin_of_sum(noise, 1.0, noise, LEVEL)
    zeros = np.zeros(RUNS, np.int64)
    total = sum(Gaussian(sigma_squared).draw(zeros, SeededCoins(seed)) for seed in (3, 4))
    assert int((np.abs(total) <= margin).sum()) >= FEWEST


def test_a_wanted_error_under_rho_costs_the_least_rho(tmp_path: Path) -> None:
    session = staff(tmp_path)
    for text in (COUNT, ALL):
        cheapest = program(session, text, error=30)
        assert isinstance(cheapest.loss, ZCDP)
        assert all((foreseen.margin or 0) <= 30 for foreseen in cheapest.foresee(LEVEL))
        less = program(session, text, rho=cheapest.loss.rho * Fraction(99, 100))
        assert max(foreseen.margin or 0 for foreseen in less.foresee(LEVEL)) > 30


def test_what_nobody_can_change_costs_a_budget_of_rho_nothing(tmp_path: Path) -> None:
    text = CATALOGUE.format(budget=RHO, rows=1).replace(
        'unit = "person_id"\nrows_per_unit = 1', 'unit = "row"\nrelation = "replace-one"\nunits = 900'
    )
    session = lapcat.open(deploy(tmp_path, text, {"staff.parquet": ROWS}, refreshed=["staff"]))
    answer = session.sql(COUNT).run(rho="0.25")
    assert answer["n"] == [900] and session.budget().tables["staff"].spent.rho == 0


def test_noise_of_a_shape_of_its_own_is_previewed_and_paid_under_a_budget_of_rho(tmp_path: Path) -> None:
    catalogue = (
        '[tables.beds]\nsource = "beds.parquet"\nunit = "row"\nrelation = "replace-one"\nunits = 10\n'
        "budget = { rho = 1 }\n[tables.beds.columns]\n"
        'floor = { type = "integer", keys = { from = 0, to = 4 } }\n'
    )
    db = lapcat.open(deploy(tmp_path, catalogue, {"beds.parquet": {"floor": [0, 1, 2, 3, 4] * 2}}))
    running = db.sql("SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS n FROM beds GROUP BY floor")
    preview = running.preview(epsilon=1)
    assert "k-norm" in str(preview) and "rho 0.5 left" in str(preview)
    running.run(epsilon=1)
    assert db.budget().tables["beds"].spent.rho == Fraction(1, 2)
