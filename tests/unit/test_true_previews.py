"""A preview promises nothing that fails on some table, and says what it supposes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lapcat
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.session import Session
from tests.e2e.kit import Desk

PLACES, DRAWS = 128, 100
SURE = Fraction(95, 100)


def tables() -> dict[str, np.ndarray]:
    """Counts by place that are as uneven as can be."""
    edge, ends, comb, spike = (np.zeros(PLACES, np.int64) for _ in range(4))
    edge[0], edge[-1] = 501, 499
    ends[:: PLACES - 1] = 300
    comb[::16] = 100
    spike[50] = 1000
    return {"two heaps": edge, "ends": ends, "comb": comb, "one value": spike, "even": np.full(PLACES, 8)}


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(9, 10)])
def test_the_rank_of_a_quantile_is_as_near_as_its_guarantee_on_every_table(name: str, q: Fraction) -> None:
    counts = tables()[name]
    ranks = Ranks.calibrate((q,), 1, Fraction(1), Fraction(1, 2), single_cell=False)
    below = np.concatenate([[0], np.cumsum(counts)])
    drawn = ranks.draw(np.tile(counts, (DRAWS, 1)), system_coins())[0]
    wanted, margin = float(q) * below[-1], float(ranks.margin(PLACES, SURE))
    off = np.maximum(np.maximum(below[drawn] - wanted, wanted - below[drawn + 1]), 0)
    assert margin < below[-1], "it says something"
    assert np.mean(off > margin) <= 0.05


@pytest.mark.parametrize("name", tables())
def test_several_quantiles_are_as_near_but_for_rows_that_share_a_value(name: str) -> None:
    counts, parts = tables()[name], 8
    quantiles = tuple(Fraction(n, 4) for n in (1, 2, 3))
    ranks = Ranks.calibrate(quantiles, parts, Fraction(1), Fraction(2), single_cell=False)
    below = np.concatenate([[0], np.cumsum(np.repeat(counts, parts))]) / parts
    drawn = ranks.draw(np.tile(counts, (DRAWS, 1)), system_coins())[: len(quantiles)]
    margin = float(ranks.margin(PLACES * parts, SURE)) + counts.max() / parts
    worst = np.zeros(DRAWS)
    for q, picks in zip(quantiles, drawn, strict=True):
        wanted = float(q) * below[-1]
        worst = np.maximum(worst, np.maximum(below[picks] - wanted, wanted - below[picks + 1]))
    assert np.mean(worst > margin) <= 0.05


@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("highest", [True, False])
def test_no_more_rows_than_stated_lie_beyond_an_extreme(name: str, highest: bool) -> None:
    counts = tables()[name]
    extreme = ExtremeRank.calibrate(highest, PLACES, Fraction(1), Fraction(1, 2), single_cell=False)
    below = np.concatenate([[0], np.cumsum(counts)])
    drawn = extreme.draw(np.tile(counts, (DRAWS, 1)), system_coins())[0]
    beyond = below[-1] - below[drawn + 1] if highest else below[drawn]
    assert np.mean(beyond > float(extreme.margin(PLACES, SURE))) <= 0.05


def test_a_mode_is_no_rarer_than_stated() -> None:
    counts = np.array([100, 95, 90, *[80] * 20])
    mode = Commonest.calibrate(1, Fraction(1), Fraction(1, 2))
    drawn = mode.draw(np.tile(counts, (DRAWS, 1)), system_coins())[0]
    assert np.mean(counts.max() - counts[drawn] > float(mode.margin(len(counts), SURE))) <= 0.05


# ------------------------------------------------------------------------------------------------ words


@pytest.fixture(scope="module")
def people() -> Session:
    frame = pd.DataFrame({"kg": [30.0] * 400 + [149.0] * 600, "k": ["a", "b"] * 500})
    return lapcat.table(frame, unit="row", epsilon=10, bounds={"kg": (30, 150)}, keys={"k": ["a", "b"]})


@pytest.mark.parametrize(
    ("asked", "guarantee"),
    [
        ("MEDIAN(kg)", "rank within ± 22 rows of the requested one"),
        ("MAX(kg)", "at most 68 rows above it"),
        ("MIN(kg)", "at most 68 rows below it"),
        ("MODE(k)", "no other value has 4 rows more"),
    ],
)
def test_a_preview_of_a_choice_says_what_is_sure_in_every_form(
    people: Session, asked: str, guarantee: str
) -> None:
    preview = people.sql(f"SELECT {asked} AS m FROM data").preview(epsilon=1)
    (column,) = preview.as_json()["columns"]  # type: ignore[misc]
    assert column["margin"] is None and column["guarantee"]["text"] == guarantee
    assert guarantee in str(preview) and guarantee in preview._repr_html_()
    if "kg" in asked:
        supposed = "if the values lie evenly within their bounds; if they do not, up to the whole range, 120"
        assert supposed in str(preview) and supposed in preview._repr_html_()
        assert "evenly" in column["supposing"]


def test_a_number_in_rows_is_called_the_score_and_never_stands_for_the_value(people: Session) -> None:
    report = people.sql("SELECT MAX(kg) AS m FROM data").sensitivity()
    for text in (str(report), report._repr_html_()):
        assert "score of max(kg)" in text
    assert "whole range, 120" in str(report)


def test_prices_are_compared_by_what_is_sure(people: Session) -> None:
    line = people.sql("SELECT MEDIAN(kg) AS m FROM data").tradeoff(["0.1", "1"]).column("m")
    assert line.in_rows and line.as_json()["in_rows"] is True
    cheap, dear = line.margins
    assert cheap is not None and dear is not None and 9 < cheap / dear < 11


def test_margins_of_moments_say_which_values_they_are_for(people: Session) -> None:
    assert "upper half of their bounds" in str(
        people.sql("SELECT STDDEV(kg) AS s FROM data").preview(epsilon=1)
    )


# ------------------------------------------------------------------------------------------------ private groups


@pytest.fixture(scope="module")
def visits() -> Session:
    rows = [{"who": n // 4, "city": f"c{n % 7}", "k": "ab"[n % 2]} for n in range(4000)]
    keys = {"city": "private", "k": ["a", "b"]}
    return lapcat.table(pd.DataFrame(rows), unit="who", rows_per_unit=3, epsilon=10, delta="1e-6", keys=keys)


def test_a_preview_says_how_large_a_private_group_must_be(visits: Session) -> None:
    preview = visits.sql("SELECT city, COUNT(*) AS n FROM data GROUP BY city").preview(
        epsilon=1, delta="1e-7"
    )
    shown = preview.threshold
    assert shown is not None and shown.hidden_to < shown.tau < shown.shown_from
    for text in (str(preview), preview._repr_html_()):
        assert f"reaches {shown.tau}" in text and f"groups of {shown.shown_from} or more" in text
        assert "how many there are is private" in text
    assert preview.as_json()["threshold"]["shown_from"] == shown.shown_from  # type: ignore[index]


def test_groups_of_the_stated_sizes_are_shown_and_left_out_as_often_as_stated(visits: Session) -> None:
    preview = visits.sql("SELECT city, COUNT(*) AS n FROM data GROUP BY city").preview(
        epsilon=1, delta="1e-7"
    )
    shown = preview.threshold
    assert shown is not None
    program = visits.sql("SELECT city, COUNT(*) AS n FROM data GROUP BY city")._program(
        1, "1e-7", None, None, SURE
    )
    drawn = program.threshold
    assert drawn is not None
    sizes = np.repeat([shown.shown_from, shown.hidden_to], 2000)
    mask = drawn.draw(sizes, system_coins()).mask
    assert mask[:2000].mean() > 0.93 and mask[2000:].mean() < 0.07
    assert float(drawn.law(shown.shown_from).shown_bounds()[0]) >= 0.95
    assert float(drawn.law(shown.shown_from - 1).shown_bounds()[1]) < 0.95
    assert float(drawn.law(shown.hidden_to).shown_bounds()[1]) <= 0.05


def test_a_preview_warns_where_no_group_can_be_large_enough() -> None:
    frame = pd.DataFrame({"city": ["a", "b"] * 10})
    few = lapcat.table(
        frame, unit="row", epsilon=1, delta="1e-6", relation="replace-one", units=20, keys={"city": "private"}
    )
    preview = few.sql("SELECT city, COUNT(*) AS n FROM data GROUP BY city").preview(epsilon=1, delta="1e-7")
    assert "there are 20 in all, so most likely no group is shown" in str(preview)


def test_declared_and_private_groups_are_counted_apart(visits: Session) -> None:
    text = "SELECT city, k, COUNT(*) AS n FROM data GROUP BY city, k"
    assert "in each of 2 groups, for each group by city that is shown" in str(
        visits.sql(text).preview(epsilon=1, delta="1e-7")
    )


# ------------------------------------------------------------------------------------------------ limits, and what is free


def test_a_preview_warns_of_rows_that_do_not_count_in_full(visits: Session) -> None:
    warning = "not in the margins: the error from contributions beyond a who's limit"
    assert warning in str(visits.sql("SELECT COUNT(*) AS n FROM data").preview(epsilon=1))
    assert warning not in str(visits.sql("SELECT COUNT(DISTINCT who) AS n FROM data").preview(epsilon=1))


def test_a_free_answer_says_whose_budget_is_untouched(visits: Session) -> None:
    question = visits.sql("SELECT COUNT(*) AS n FROM data WHERE k = 'a'")
    question.run(epsilon="0.1")
    for preview in (question.preview(epsilon="0.1"), question.preview()):
        assert preview.free and "nothing is taken from the budget of data" in str(preview)
        assert "nothing is taken from the budget of data" in preview._repr_html_()


ANALYSTS = """\
[tables.people]
source = "people.csv"
unit = "row"
budget = { epsilon = 3 }

[tables.people.columns]
age = { type = "integer", low = 0, high = 99 }

[analysts.ana]
tables = { people = { epsilon = 1 } }

[analysts.ben]
tables = { people = { epsilon = 1 } }
"""


def test_what_is_free_for_the_table_and_not_for_the_analyst_says_so(tmp_path: Path) -> None:
    (tmp_path / "lapcat.toml").write_text(ANALYSTS, encoding="utf-8")
    (tmp_path / "people.csv").write_text("age\n30\n40\n", encoding="utf-8")
    assert Desk(tmp_path).here("refresh").code == 0
    text = "SELECT COUNT(*) AS n FROM people"
    ana = lapcat.open(tmp_path / "lapcat.toml", analyst="ana").sql(text)
    ana.run(epsilon="0.25")
    assert "nothing is taken from the budgets of people and ana on people" in str(ana.preview(epsilon="0.25"))
    ben = lapcat.open(tmp_path / "lapcat.toml", analyst="ben").sql(text)
    for preview in (ben.preview(epsilon="0.25"), ben.preview()):
        assert "nothing is taken from the budget of people; ben on people is charged epsilon 0.25" in str(
            preview
        )
