"""Intervals that hold all at once, and what no interval covers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.plan.simultaneous import Simultaneous
from tests.unit.test_answers_from_cache import BY_REGION, staff

LEVEL = Fraction(95, 100)


@pytest.mark.parametrize("cells", [1, 2, 3, 50, 10**6])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_cells_multiply_and_columns_add_up(cells: int, columns: int) -> None:
    product, union = Simultaneous(LEVEL, cells, columns, True), Simultaneous(LEVEL, cells, columns, False)
    in_a_cell = 1 - columns * (1 - product.each)
    assert float(in_a_cell) ** cells >= 0.95 - 1e-9
    assert 1 - cells * columns * (1 - union.each) == LEVEL
    assert product.each <= union.each
    assert (product.each < union.each) == (cells > 1)


def test_one_more_cell_asks_for_more() -> None:
    assert Simultaneous(LEVEL, 10, 1, True).each > Simultaneous(LEVEL, 9, 1, True).each


def test_the_product_is_exact_for_one_column(tmp_path: Path) -> None:
    """Of three independent counts: all three margins hold with just the stated confidence."""
    together = Simultaneous(LEVEL, 3, 1, True)
    law = DiscreteLaplaceLaw(Fraction(50))
    margin = law.margin(together.each)
    assert law.within(margin) ** 3 >= 0.95 > law.within(margin - 1) ** 3


def test_an_answer_widens_its_intervals_and_says_by_which_theorem(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    alone = session.sql(BY_REGION).run(epsilon=1)
    together = session.sql(BY_REGION).run(epsilon=1, simultaneous=True)
    assert together.free and together["n"] == alone["n"]
    assert all(np.array(together["n_high"]) > np.array(alone["n_high"]))
    assert together.at_once == Simultaneous(LEVEL, 3, 2, True)
    note = "all 6 intervals hold together at 0.95 confidence, each by itself at 0.991524 (independent noise, union bound over the columns)"
    assert note in repr(together) and note in together._repr_html_() and note in together.notes
    body = together.as_json()["simultaneous"]
    assert body["intervals"] == 6 and body["by"] == "independent noise, union bound over the columns"  # type: ignore[index]
    assert alone.as_json()["simultaneous"] is None


def test_a_preview_foresees_what_the_answer_will_have(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region")
    foreseen = question.preview(epsilon=1, simultaneous=True).columns[0].margin
    answer = question.run(epsilon=1, simultaneous=True)
    assert foreseen is not None
    assert answer["n_high"][0] - answer["n"][0] == pytest.approx(foreseen, abs=1)


def test_totals_that_share_noise_with_their_cells_go_by_the_union_bound(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql(BY_REGION).run(epsilon=1)
    rolled = session.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY ROLLUP (region)")
    derived = rolled.run(simultaneous=True)
    assert derived.at_once == Simultaneous(LEVEL, 4, 1, False)
    assert derived.at_once.theorem == "union bound"
    paid = rolled.run(epsilon=2, simultaneous=True)  # a strategy adds the total up from cells too
    assert paid.at_once == Simultaneous(LEVEL, 4, 1, False)
    sums = session.sql("SELECT region, SUM(salary) AS s FROM staff GROUP BY ROLLUP (region)")
    assert sums.run(epsilon=1, simultaneous=True).at_once == Simultaneous(
        LEVEL, 4, 1, True
    )  # noise of its own


def test_private_groups_count_as_they_are_shown(tmp_path: Path) -> None:
    question = lapcat.open(staff(tmp_path)).sql(
        "SELECT city, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY city"
    )
    preview = question.preview(epsilon=2, delta="1e-7", simultaneous=True)
    assert any("in each group" in note for note in preview.notes)
    answer = question.run(epsilon=2, delta="1e-7", simultaneous=True)
    assert answer.at_once is not None and answer.at_once.cells == len(answer) == 2


def test_public_numbers_do_not_count(tmp_path: Path) -> None:
    import pandas as pd

    table = lapcat.table(
        pd.DataFrame({"x": [1.0] * 10}),
        unit="row",
        relation="replace-one",
        units=10,
        bounds={"x": (0, 2)},
        null={"x": 0},
        epsilon=1,
    )
    answer = table.sql("SELECT COUNT(*) AS n, AVG(x) AS x FROM data").run(epsilon=1, simultaneous=True)
    assert answer.at_once is not None and answer.at_once.numbers == 1


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("SELECT COUNT(*) AS n FROM staff", "not contributions scaled down to a unit's limit or sampling"),
        ("SELECT SUM(salary) AS s FROM staff", "not the effect of clamping, contributions scaled down"),
        (
            "SELECT COUNT(DISTINCT city) AS n FROM staff",
            "not rows left out beyond a unit's limit or sampling",
        ),
    ],
)
def test_what_intervals_do_not_cover_is_said_once_beside_them(
    tmp_path: Path, sql: str, sentence: str
) -> None:
    answer = lapcat.open(staff(tmp_path)).sql(sql).run(epsilon=1)
    for text in (repr(answer), answer._repr_html_().replace("&#x27;", "'")):
        assert text.count("the intervals cover the noise") == 1 and sentence in text
        assert "sampling error" in text
    assert sum(note.startswith("the intervals cover the noise") for note in answer.as_json()["notes"]) == 1  # type: ignore[attr-defined]
