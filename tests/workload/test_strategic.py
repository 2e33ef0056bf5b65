"""Questions in SQL that a strategy answers: their numbers err as foreseen, their intervals hold, and whole numbers add up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.loss import ZCDP, PureDP
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan.columns import ValueColumn
from lapcat.plan.compile import Program, compile_program, prepare
from lapcat.plan.nodes import Scan
from lapcat.plan.schema import Table
from lapcat.testing.coins import SeededCoins
from lapcat.workload.strategic import (
    StrategySource,
    at_price,
    checked,
    from_debit,
    is_of_a_strategy,
    plain_rmse,
    strategy_in,
)
from lapcat.workload.whole import along_a_line, below, nested
from lapcat.workload.workload_query import WorkloadQuery, workload_query

CATALOGUE = read_catalogue(
    """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = { epsilon = 9 }
[tables.cats.columns]
colour = { type = "text", keys = ["orange", "blue", "black"] }
sex = { type = "text", keys = ["f", "m"] }
age = { type = "integer", keys = { from = 0, to = 39 } }
weight = { type = "float", low = 0, high = 10 }
""",
    lambda source: {},
)
QUESTIONS = {
    "rollup": "SELECT colour, sex, COUNT(*) AS n FROM cats GROUP BY ROLLUP (colour, sex)",
    "cube": "SELECT colour, age, COUNT(*) AS n FROM cats GROUP BY CUBE (colour, age)",
    "running": "SELECT age, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY age) AS r FROM cats GROUP BY age",
    "ranges": "SELECT "
    + ", ".join(
        f"COUNT(*) FILTER (WHERE weight BETWEEN {a} AND {b}) AS from_{a}_to_{b}"
        for a in range(8)
        for b in range(a + 1, 9)
    )
    + " FROM cats",
    "few": "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE weight > 3) AS m, COUNT(*) FILTER (WHERE weight > 6) AS o FROM cats",
}


def strategic(name: str, price: PureDP | ZCDP) -> tuple[Program, WorkloadQuery]:
    def scan(table: Table) -> Scan:
        return Scan(table.name, table.source, 1, table.unit, table.relation, table.units)

    prepared = prepare(understand(QUESTIONS[name], CATALOGUE, scan, lambda table: None))  # type: ignore[arg-type,return-value]
    workload = workload_query(prepared)
    assert workload is not None
    return checked(at_price(workload, prepared, price), price), workload


def source_of(program: Program) -> StrategySource:
    strategy = strategy_in(program)
    assert strategy is not None
    return strategy


@pytest.mark.parametrize("price", [PureDP(Fraction(1, 4)), ZCDP(Fraction(1, 8))], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_numbers_err_as_foreseen_and_intervals_hold(name: str, price: PureDP | ZCDP) -> None:
    """Seeded: what is drawn is the same in every run."""
    program, workload = strategic(name, price)
    cells = np.random.default_rng(3).integers(0, 500, workload.questions.cells)
    truth = workload.questions.answers(cells)
    coins, squares, hits, numbers, repeats = SeededCoins(17), 0.0, 0, 0, 150
    for _ in range(repeats):
        noisy = program.mechanisms[0].draw(cells, coins).reshape(1, -1)
        for (aggregate, argument), places in workload.places.items():
            estimate = program.finished(ValueColumn("", aggregate, argument), noisy, Fraction(95, 100))
            exact = truth[places]
            squares += float(((estimate.value - exact) ** 2).sum())
            hits += int(((estimate.low <= exact) & (exact <= estimate.high)).sum())
            numbers += len(places)
    foreseen = source_of(program).expected_rmse
    assert abs(np.sqrt(squares / numbers) / foreseen - 1) < 0.12
    assert hits / numbers >= 0.945


@pytest.mark.parametrize("name", ["rollup", "running", "ranges", "few"])
def test_whole_numbers_add_up_and_stay_within_one_of_their_estimates(name: str) -> None:
    program, workload = strategic(name, PureDP(Fraction(1)))
    inner = source_of(program).inner
    noisy = inner.candidate.measured.draw(np.arange(workload.questions.cells), SeededCoins(5)).reshape(1, -1)
    from lapcat.core.answers import NoisyResult

    real = inner.finish(NoisyResult(noisy, True), Fraction(95, 100)).value
    whole = source_of(program)._whole(noisy, real)
    assert np.abs(whole - real).max() < 1 + 1e-6
    if name == "rollup":
        fine, colours, total = (
            part.reshape(shape)
            for part, shape in zip(
                np.split(whole, workload.questions.starts[1:-1]), ((4, 3), (4,), ()), strict=True
            )
        )
        assert (fine.sum(axis=1) == colours).all() and colours.sum() == total
    if name == "running":
        counts, totals = np.split(whole, 2)
        assert (np.cumsum(counts) == totals).all()


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("price", [PureDP(Fraction(1, 3)), ZCDP(Fraction(1, 5))], ids=["laplace", "gaussian"])
def test_what_was_paid_for_is_found_again(name: str, price: PureDP | ZCDP) -> None:
    program, workload = strategic(name, price)
    assert program.loss == price and is_of_a_strategy(program.event)
    again = from_debit(workload, program.prepared, program.event)
    noisy = program.mechanisms[0].draw(np.arange(workload.questions.cells), SeededCoins(1)).reshape(1, -1)
    for aggregate, argument in workload.places:
        column = ValueColumn("", aggregate, argument)
        first, other = (p.finished(column, noisy, Fraction(9, 10)) for p in (program, again))
        assert (first.value == other.value).all() and (first.high == other.high).all()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_plain_event_is_no_strategy(name: str) -> None:
    program, workload = strategic(name, PureDP(Fraction(1)))
    plain = compile_program(program.prepared, Fraction(1))
    assert not is_of_a_strategy(plain.event)
    assert source_of(program).expected_rmse <= plain_rmse(plain, workload) * 1.001
    for kind in ("laplace", "gaussian"):
        for candidate in workload.tried(kind):
            assert not any(label.endswith(")") for label in candidate.strategy.labels)


# ------------------------------------------------------------------------------------------------ whole numbers


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_every_range_of_whole_cells_is_less_than_one_off(cells: list[float]) -> None:
    whole = along_a_line(np.array(cells))
    ends = np.concatenate([[0], np.cumsum(whole)]) - np.concatenate([[0.0], np.cumsum(cells)])
    assert ends.max() - ends.min() <= 1 + 1e-6


@given(
    st.lists(st.lists(st.floats(-1e4, 1e4), min_size=3, max_size=3), min_size=1, max_size=6), st.booleans()
)
def test_whole_children_add_up_to_their_parents(cells: list[list[float]], up: bool) -> None:
    children = np.array(cells)
    sums = children.sum(axis=1)
    parents = (np.ceil if up else np.floor)(sums).astype(np.int64)
    whole = below(parents, children)
    assert (whole.sum(axis=1) == parents).all()
    assert np.abs(whole - children).max() < 1 + 1e-6


def test_tables_that_are_not_nested_are_not_made_to_add_up() -> None:
    table, other = np.array([0.4, 0.6]), np.array([0.5, 0.5])
    assert nested([((0,), table), ((1,), other)]) is None
    tables = nested([((1, 0), np.array([[0.4, 0.4], [0.4, 0.4]])), ((0,), np.array([0.8, 0.8]))])
    assert tables is not None and (tables[0].sum(axis=0) == tables[1]).all()
