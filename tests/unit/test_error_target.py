"""A wanted error is kept, for the least epsilon; relative to what is public or was released, and to nothing else."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.errors import Refused
from lapcat.plan.compile import Program
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.released.computed import estimates_of
from lapcat.session import Session
from lapcat.testing.coins import SeededCoins
from tests.support import deploy, seeded

RUNS = 1000
LEVEL = Fraction(95, 100)
# One-sided binomial: 5 % of 1 000 is 50 ± 6.9; 90 and more has a chance of 4e-8.
MOST_FAILURES = 90
PEOPLE = 2000
CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
relation = "{relation}"
{units}
budget = {{ epsilon = 9 }}
[tables.staff.columns]
region = {{ type = "text", keys = ["north", "south"] }}
salary = {{ type = "float", low = 20000, high = 200000, null = 20000 }}
age = {{ type = "integer", low = 0, high = 110 }}
"""
ROWS = {
    "region": ["north"] * 1500 + ["south"] * 500,
    "salary": [50_000.0, 60_000.0] * 1000,
    "age": [30, 40] * 1000,
}


def staff(folder: Path, relation: str = "add-remove") -> Session:
    units = f"units = {PEOPLE}" if relation == "replace-one" else ""
    text = CATALOGUE.format(relation=relation, units=units)
    return seeded(deploy(folder, text, {"staff.parquet": ROWS}, refreshed=["staff"]))


def program_for(session: Session, text: str, error: object) -> Program:
    return session.sql(text)._program(None, None, None, error, LEVEL)


def errors(program: Program, exact: list[int], column: str, truth: float) -> np.ndarray:
    """|answer − truth| in 1 000 runs of the program on these exact statistics."""
    coins = SeededCoins(7)
    cells = np.array(
        [
            measurement.mechanism.draw(np.full(RUNS, value, np.int64), coins)
            for measurement, value in zip(program.measurements, exact, strict=True)
        ]
    )
    return np.abs(estimates_of(program, cells, LEVEL)[column].value - truth)


def exact_cells(program: Program) -> list[int]:
    """Of the table above, by the plan's own kinds of statistics."""
    cells = []
    for statistic in program.plan.statistics:
        if statistic.grid is None:
            cells.append(PEOPLE * statistic.unit_weight)
        else:
            name = "salary" if statistic.grid.high * statistic.grid.step > 200 else "age"
            cells.append(sum(statistic.grid.place(value) for value in ROWS[name]))
    return cells


CASES = [
    ("add-remove", "SELECT COUNT(*) AS it FROM staff", 40, PEOPLE),
    ("add-remove", "SELECT SUM(salary) AS it FROM staff", 2_000_000, 110_000_000),
    ("add-remove", "SELECT COUNT(*) AS n, SUM(salary) AS it FROM staff", 2_000_000, 110_000_000),
    ("replace-one", "SELECT AVG(salary) AS it FROM staff", 500, 55_000),
    ("replace-one", "SELECT AVG(salary) AS it FROM staff", "5%", 55_000),
]


@pytest.mark.parametrize(("relation", "text", "error", "truth"), CASES)
def test_a_wanted_error_is_kept_as_often_as_stated(
    tmp_path: Path, relation: str, text: str, error: object, truth: float
) -> None:
    session = staff(tmp_path, relation)
    program = program_for(session, text, error)
    wanted = 0.05 * truth if error == "5%" else float(str(error))
    cells = exact_cells(program)
    assert (errors(program, cells, "it", truth) > wanted).sum() < MOST_FAILURES
    noisier = session.sql(text)._program(program.loss.epsilon / 2, None, None, None, LEVEL)
    if error != "5%":  # half the budget would be noticed; a bound below the answer leaves some room
        assert (errors(noisier, cells, "it", truth) > wanted).sum() > MOST_FAILURES


@pytest.mark.parametrize(("relation", "text", "error", "truth"), CASES[:4])
def test_no_smaller_epsilon_on_a_grid_of_a_hundredth_would_do(
    tmp_path: Path, relation: str, text: str, error: object, truth: float
) -> None:
    session = staff(tmp_path, relation)
    program = program_for(session, text, error)
    less = session.sql(text).preview(epsilon=program.loss.epsilon * Fraction(99, 100))
    assert max(column.margin or 0 for column in less.columns) > float(str(error))
    same = session.sql(text).preview(error=error)
    assert max(column.margin or 0 for column in same.columns) <= float(str(error))


def test_columns_of_different_size_share_the_price_by_what_each_needs(tmp_path: Path) -> None:
    session = staff(tmp_path)
    both = program_for(session, "SELECT COUNT(*) AS n, SUM(age) AS s FROM staff", 600).loss.epsilon
    count = program_for(session, "SELECT COUNT(*) AS n FROM staff", 600).loss.epsilon
    total = program_for(session, "SELECT SUM(age) AS s FROM staff", 600).loss.epsilon
    assert both < Fraction(105, 100) * (count + total)  # an even split would cost twice the larger


def test_a_relative_error_of_what_nobody_released_is_refused_and_the_fix_works(tmp_path: Path) -> None:
    session = staff(tmp_path)
    question = session.sql("SELECT COUNT(*) AS n FROM staff")
    with pytest.raises(Refused, match="error-relative") as caught:
        question.preview(error="5%")
    assert 'epsilon=0.1 first, then with error="5%"' in str(caught.value.fix)
    question.run(epsilon="0.1")
    assert question.preview(error="5%").free  # ± 30 of 2 000 is good enough already
    finer = question.preview(error="1%")
    assert not finer.free and finer.columns[0].margin <= 20


def test_an_average_over_a_released_number_of_rows_keeps_its_error(tmp_path: Path) -> None:
    session = staff(tmp_path)
    text = "SELECT AVG(age) AS it FROM staff"
    with pytest.raises(Refused, match="error-unknown-n"):
        session.sql(text).preview(error=1)
    session.sql("SELECT COUNT(age) AS n FROM staff").run(epsilon="0.5")
    program = program_for(session, text, 1)
    assert (errors(program, exact_cells(program), "it", 35) > 1).sum() < MOST_FAILURES
    assert 0.1 < program.loss.epsilon < 1


def test_a_count_of_other_rows_says_nothing(tmp_path: Path) -> None:
    session = staff(tmp_path)
    session.sql("SELECT COUNT(age) AS n FROM staff").run(epsilon="0.5")
    with pytest.raises(Refused, match="error-unknown-n"):
        session.sql("SELECT AVG(age) AS it FROM staff WHERE region = 'north'").preview(error=1)


def test_groups_are_held_to_the_smallest_of_them(tmp_path: Path) -> None:
    session = staff(tmp_path)
    by_region = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
    session.sql(by_region).run(epsilon="0.5")
    [margin] = [column.margin for column in session.sql(by_region).preview(error="1%").columns]
    assert margin is not None and 2 <= margin <= 5  # of about 500 less a little, not of 2 000


def test_a_stored_answer_that_does_not_keep_the_error_is_not_served_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lapcat.plan import budget

    session = staff(tmp_path)
    text = "SELECT COUNT(*) AS n, SUM(age) AS s FROM staff"
    with monkeypatch.context() as other:  # as another version may have split it
        other.setattr(budget, "shares_of", lambda *_: [Fraction(1, 1000), Fraction(999, 1000)])
        session.sql(text).run(epsilon=2)
    preview = session.sql(text).preview(error=700)
    assert not preview.free
    assert all(column.margin is not None and column.margin <= 700 for column in preview.columns)


def test_an_analyst_is_not_told_of_an_answer_that_was_charged_to_another(tmp_path: Path) -> None:
    text = CATALOGUE.format(relation="add-remove", units="") + (
        "[analysts.ana]\ntables = { staff = { epsilon = 1 } }\n[analysts.bo]\ntables = { staff = { epsilon = 1 } }\n"
    )
    path = deploy(tmp_path, text, {"staff.parquet": ROWS}, refreshed=["staff"])
    seeded(path, analyst="ana").sql("SELECT COUNT(*) AS n FROM staff").run(epsilon="0.5")
    seeded(path, analyst="ana").sql("SELECT COUNT(*) AS n FROM staff").preview(error="1%")
    with pytest.raises(Refused, match="error-relative"):
        seeded(path, analyst="bo").sql("SELECT COUNT(*) AS n FROM staff").preview(error="1%")


def test_a_very_large_error_costs_the_least_price_and_is_not_refused(tmp_path: Path) -> None:
    program = program_for(staff(tmp_path), "SELECT SUM(salary) AS s FROM staff", "1e12")
    assert program.loss.epsilon == DEFAULT_LIMITS.min_epsilon


def test_a_number_of_rows_that_follows_from_another_answer_is_known() -> None:
    rows = pd.DataFrame({"pay": [float(i % 100) for i in range(5000)]})
    db = lapcat.table(rows, unit="row", bounds={"pay": (0, 100)}, epsilon=4)
    average = db.sql("SELECT AVG(pay) AS a FROM data")
    with pytest.raises(Refused, match="number of rows"):
        average.preview(error=1)
    db.sql("SELECT COUNT(*) AS n, AVG(pay) AS a FROM data").run(epsilon=1)
    assert not average.preview(error="0.05").free
