"""Questions about the same rows, asked together: paid for once, by what one unit can do to all of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.errors import BadQuery, BudgetExceeded, Refused
from tests.support import deploy, seeded

CATALOGUE = """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = {{ epsilon = {cap} }}
[tables.cats.columns]
colour = {{ type = "text", keys = ["orange", "blue"] }}
sex = {{ type = "text", keys = ["f", "m"] }}
weight = {{ type = "float", low = 0, high = 10 }}
age = {{ type = "integer", keys = {{ from = 0, to = 31 }} }}

[tables.dogs]
source = "dogs.parquet"
unit = "row"
budget = {{ epsilon = 5 }}
[tables.dogs.columns]
weight = {{ type = "float", low = 0, high = 90 }}
"""
DICE = np.random.default_rng(11)
CATS = {
    "colour": DICE.choice(["orange", "blue", "black"], 3000).tolist(),
    "sex": DICE.choice(["f", "m", None], 3000).tolist(),
    "weight": DICE.uniform(1, 8, 3000).tolist(),
    "age": DICE.integers(0, 32, 3000).tolist(),
}
ORANGE = "SELECT COUNT(*) AS n FROM cats WHERE colour = 'orange'"
BLUE = "SELECT COUNT(*) AS n FROM cats WHERE colour = 'blue'"
HEAVY = "SELECT COUNT(*) AS n FROM cats WHERE weight > 4.5"
BY_COLOUR = "SELECT colour, COUNT(*) AS n FROM cats GROUP BY colour"
BY_SEX = "SELECT sex, COUNT(*) AS n FROM cats GROUP BY sex"


def where(folder: Path, cap: object = 50) -> Path:
    text = CATALOGUE.format(cap=f'{cap}, i_understand = "a test"')
    return deploy(folder, text, {"cats.parquet": CATS, "dogs.parquet": {"weight": [9.0, 30.0]}})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For what only looks ahead, and pays nothing."""
    return where(tmp_path_factory.mktemp("cats"))


def noise_of(session: lapcat.session.Session, *questions: str) -> list[float | None]:
    return [column.margin for column in session.workload(questions).preview(epsilon=1).columns]


def test_questions_that_no_row_shares_cost_what_one_of_them_costs(shared: Path) -> None:
    session = seeded(shared)
    alone = session.sql(ORANGE).preview(epsilon=1).columns[0].margin
    assert noise_of(session, ORANGE, BLUE) == [alone, alone]
    report = session.workload([ORANGE, BLUE]).sensitivity()
    assert (report.l1, report.l2_squared) == (1, 1)
    assert report.witness is not None and set(report.witness) == {"colour"}


def test_questions_that_overlap_are_found_and_a_row_that_moves_both_is_named(shared: Path) -> None:
    session = seeded(shared)
    workload = session.workload([ORANGE, BLUE, HEAVY])
    report = workload.sensitivity()
    assert (report.l1, report.l2_squared) == (2, 2)
    assert report.as_json()["witness"] == {"colour": "blue", "weight": 5.0}
    example = "for example, one row with colour 'blue' and weight 5 changes 2 of the 3"
    assert (
        example in str(report)
        and example in workload.explain()
        and example in str(workload.preview(epsilon=1))
    )
    assert noise_of(session, ORANGE, BLUE, HEAVY) == [6.0, 6.0, 6.0]


def test_a_preview_says_what_asking_separately_would_cost(shared: Path) -> None:
    """Laplace noise of scale 2 for all three, against three times the noise of one."""
    ways = seeded(shared).workload(f"{ORANGE}; {BLUE}; {HEAVY};").preview(epsilon="0.1").ways
    assert [(way.name, way.taken) for way in ways] == [("asked together", True), ("asked separately", False)]
    assert ways[1].error / ways[0].error == pytest.approx(3 / 2, rel=0.01)


def test_a_condition_that_nothing_satisfies_moves_nothing(shared: Path) -> None:
    nobody = "SELECT COUNT(*) AS n FROM cats WHERE weight > 5 AND weight < 4"
    assert seeded(shared).workload([HEAVY, nobody]).sensitivity().l1 == 1


def test_all_are_paid_for_once_and_asked_again_they_are_free(tmp_path: Path) -> None:
    session = seeded(where(tmp_path))
    answers = session.workload([ORANGE, HEAVY, BY_COLOUR]).run(epsilon=8)
    assert session.budget().tables["cats"].left.epsilon == 42
    assert len({answer.receipt.id for answer in answers}) == 1
    truth = [sum(c == "orange" for c in CATS["colour"]), sum(w > 4.5 for w in CATS["weight"])]
    assert [abs(answers[i]["n"][0] - truth[i]) < 12 for i in (0, 1)] == [True, True]
    assert answers[2]["colour"] == ["orange", "blue"] and abs(answers[2]["n"][0] - truth[0]) < 12
    again = session.workload([ORANGE, HEAVY, BY_COLOUR]).run(epsilon=8)
    assert all(answer.free for answer in again) and [a.rows for a in again] == [a.rows for a in answers]
    assert any("one charge for all 3 questions" in note for note in answers[0].notes)
    assert session.budget().tables["cats"].left.epsilon == 42


def test_the_same_asked_in_one_select_is_the_same_question(tmp_path: Path) -> None:
    session = seeded(where(tmp_path))
    first, second = session.workload([ORANGE, HEAVY]).run(epsilon=1)
    answer = session.sql(
        "SELECT COUNT(*) FILTER (WHERE weight > 4.5) AS heavy, COUNT(*) FILTER (WHERE colour = 'orange') AS o FROM cats"
    ).run(epsilon=1)
    assert answer.free and answer.rows[0]["o"] == first["n"][0] and answer.rows[0]["heavy"] == second["n"][0]


def test_what_is_done_with_each_answer_stays_its_own(tmp_path: Path) -> None:
    session = seeded(where(tmp_path))
    colours, light = session.workload(
        [
            f"{BY_COLOUR} ORDER BY n DESC LIMIT 1",
            "SELECT colour, 100 * AVG(weight) AS pay FROM cats WHERE sex = 'f' GROUP BY colour",
        ]
    ).run(epsilon=5)
    assert len(colours) == 1 and colours.columns == ["colour", "n", "n_low", "n_high"]
    assert light["colour"] == ["orange", "blue"] and all(100 < pay < 800 for pay in light["pay"])


def test_counts_in_different_groups_add_up(tmp_path: Path) -> None:
    """They become grouping sets, which a strategy answers: a finer table adds up to a coarser one."""
    session = seeded(where(tmp_path))
    both = "SELECT colour, sex, COUNT(*) AS n FROM cats GROUP BY ROLLUP (colour, sex)"
    workload = session.workload([BY_COLOUR, "SELECT COUNT(*) AS n FROM cats", both])
    preview = workload.preview(epsilon=1)
    assert preview.ways[0].taken and preview.ways[-1].error > preview.ways[0].error
    by_colour, everybody, rolled = workload.run(epsilon=1)
    assert by_colour["n"] == [r["n"] for r in rolled if r["colour"] is not None and r["sex"] is None]
    assert everybody["n"] == [r["n"] for r in rolled if r["colour"] is None]
    assert everybody["n"][0] > sum(by_colour["n"])  # those of other colours are counted too


def test_questions_that_cannot_be_one_are_refused_and_the_fix_works(shared: Path) -> None:
    session = seeded(shared)
    for texts in (
        [ORANGE, "SELECT COUNT(*) AS n FROM dogs"],
        [
            "SELECT age, COUNT(*) AS n FROM cats WHERE sex = 'f' GROUP BY age",
            "SELECT colour, sex, age, COUNT(*) AS n FROM cats WHERE weight > 3 GROUP BY CUBE (colour, sex, age)",
        ],
        [BY_COLOUR, "SELECT sex, MEDIAN(weight) AS w FROM cats GROUP BY sex"],
    ):
        with pytest.raises(BadQuery, match="workload-mixed") as caught:
            session.workload(texts)
        assert "db.batch" in str(caught.value.fix)
        assert len(session.batch(texts, epsilon=1).preview()) == len(texts)


def test_bad_workloads_are_refused(shared: Path) -> None:
    session = seeded(shared)
    with pytest.raises(BadQuery, match="workload-empty"):
        session.workload([])
    with pytest.raises(BadQuery, match="workload-price"):
        session.workload(
            [ORANGE, "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) AS n FROM cats"]
        )
    with pytest.raises(BadQuery, match="workload-table"):
        session.workload([ORANGE], table="cats")
    with pytest.raises(BadQuery, match="workload-table"):
        session.workload(lapcat.Workload.prefixes("age"))


def test_a_workload_beyond_the_budget_is_refused_as_a_whole(tmp_path: Path) -> None:
    session = seeded(where(tmp_path, cap="0.5"))
    with pytest.raises(BudgetExceeded):
        session.workload([ORANGE, HEAVY]).run(epsilon=1)
    assert session.budget().tables["cats"].left.epsilon == Fraction(1, 2)


# ------------------------------------------------------------------------------------------------ written in Python


def test_a_workload_in_python_is_one_question(tmp_path: Path) -> None:
    session = seeded(where(tmp_path))
    ranges = [(0, 7), (8, 15), (0, 15), (3, 30)]
    question = session.workload(lapcat.Workload.ranges("age", ranges), table="cats", where="weight > 2")
    preview = question.preview(epsilon=4)
    assert {"each number by itself", "asked separately"} < {way.name for way in preview.ways}
    answer = question.run(epsilon=4)
    assert answer.columns == ["question", "n", "n_low", "n_high"] and answer.cost.epsilon == 4
    assert answer["question"][0] == "age from 0 to 7"
    assert answer["n"][2] == answer["n"][0] + answer["n"][1]  # consistent
    ages = [age for age, weight in zip(CATS["age"], CATS["weight"], strict=True) if weight > 2]
    for n, (low, high) in zip(answer["n"], ranges, strict=True):
        assert abs(n - sum(low <= age <= high for age in ages)) < 25
    assert question.run(epsilon=4).free and question.run(epsilon=1).rows == answer.rows
    assert answer.receipt.fields["strategy"] and "ranges of age" in str(answer.receipt.fields["question"])


def test_a_workload_is_not_the_counts_that_it_is_made_of(tmp_path: Path) -> None:
    session = seeded(where(tmp_path))
    session.sql("SELECT age, COUNT(*) AS n FROM cats GROUP BY age").run(epsilon=1)
    prefixes = session.workload(lapcat.Workload.prefixes("age"), table="cats").run(epsilon=1)
    assert not prefixes.free and len(prefixes) == 32
    assert session.budget().tables["cats"].left.epsilon == 48


def test_a_wanted_error_is_kept_by_every_answer(shared: Path) -> None:
    question = seeded(shared).workload(
        lapcat.Workload.marginals(["colour", "sex"], ways=[1, 2]), table="cats"
    )
    preview = question.preview(error=30)
    assert 25 <= preview.columns[0].margin <= 30
    with pytest.raises(Refused, match="error-relative"):
        question.preview(error="5%")


def test_columns_with_more_cells_than_anybody_looks_at_are_asked_by_twos(tmp_path: Path) -> None:
    dice = np.random.default_rng(2)
    names = [f"c{n}" for n in range(12)]
    columns = "".join(f'{name} = {{ type = "integer", keys = {{ from = 0, to = 9 }} }}\n' for name in names)
    text = f'[tables.t]\nsource = "t.parquet"\nunit = "row"\nbudget = {{ epsilon = 5 }}\n[tables.t.columns]\n{columns}'
    rows = {name: dice.integers(0, 10, 500).tolist() for name in names}
    session = seeded(deploy(tmp_path, text, {"t.parquet": rows}))
    question = session.workload(lapcat.Workload.marginals(names, ways=2))
    answer = question.run(epsilon=5)
    assert len(answer) == 66 * 100 and answer["question"][0] == "c0 = 0, c1 = 0"
    truth = sum(a == 0 and b == 0 for a, b in zip(rows["c0"], rows["c1"], strict=True))
    assert abs(answer["n"][0] - truth) < 200
    assert question.run(epsilon=5).free


# ------------------------------------------------------------------------------------------------ strategies in SQL

ROLLUP = "SELECT colour, sex, COUNT(*) AS n FROM cats GROUP BY ROLLUP (colour, sex)"
RANGES = (
    "SELECT "
    + ", ".join(f"COUNT(*) FILTER (WHERE age BETWEEN {a} AND {b}) AS from_{a}_to_{b}" for a in range(0, 30, 5) for b in range(a + 4, 32, 5))
    + " FROM cats"
)  # fmt: skip
RUNNING = "SELECT age, SUM(COUNT(*)) OVER (ORDER BY age) AS n FROM cats GROUP BY age"


@pytest.mark.parametrize("text", [ROLLUP, RANGES, RUNNING], ids=["rollup", "ranges", "running"])
def test_sql_that_is_a_workload_is_answered_with_less_error_and_says_so(tmp_path: Path, text: str) -> None:
    session = seeded(where(tmp_path))
    preview = session.sql(text).preview(epsilon=1)
    errors = {way.name: way.error for way in preview.ways}
    (taken,) = [way for way in preview.ways if way.taken]
    assert taken.name != "each number by itself" and taken.error < 0.99 * errors["each number by itself"]
    assert errors["each number by itself"] <= errors["asked separately"]
    assert f"{taken.name} {taken.error:.4g} (taken)" in str(preview)
    answer = session.sql(text).run(epsilon=1)
    assert answer.receipt.fields["strategy"] == taken.name
    again = session.sql(text.lower().replace("colour", "COLOUR")).run(epsilon="0.5")
    assert again.free
    assert "computed from the measurements of strategy" in session.sql(text).explain(1)


def test_subtotals_of_a_rollup_add_up_with_those_of_other_groups(tmp_path: Path) -> None:
    answer = seeded(where(tmp_path)).sql(ROLLUP).run(epsilon=1)
    by_colour = {r["colour"]: r["n"] for r in answer if r["sex"] is None and r["colour"] is not None}
    for colour, n in by_colour.items():
        listed = sum(r["n"] for r in answer if r["colour"] == colour and r["sex"] is not None)
        unlisted = sum(c == colour and s is None for c, s in zip(CATS["colour"], CATS["sex"], strict=True))
        assert abs(n - listed - unlisted) < 30  # the cats of no sex are in the sub-total alone
    assert all(r["n_low"] <= r["n"] <= r["n_high"] for r in answer)


def test_ranges_add_up_exactly(tmp_path: Path) -> None:
    (row,) = seeded(where(tmp_path)).sql(RANGES).run(epsilon=1).rows
    assert row["from_0_to_4"] + row["from_5_to_9"] == row["from_0_to_9"]
    assert row["from_0_to_9"] + row["from_10_to_29"] == row["from_0_to_29"]


def test_a_public_number_stays_exact_beside_a_strategy() -> None:
    import pandas as pd

    session = lapcat.table(
        pd.DataFrame(CATS), unit="row", relation="replace-one", units=3000, epsilon=5,
        keys={"age": range(32)},
    )  # fmt: skip
    text = (
        "SELECT COUNT(*) AS everybody, "
        + ", ".join(f"COUNT(*) FILTER (WHERE age < {a}) AS below_{a}" for a in range(4, 32, 4))
        + " FROM data"
    )
    question = session.sql(text)
    assert question.preview(epsilon=1).ways[0].taken and question.preview(epsilon=1).columns[0].margin == 0
    answer = question.run(epsilon=1)
    assert answer["everybody"] == answer["everybody_low"] == answer["everybody_high"] == [3000]


@pytest.mark.parametrize("price", [{"rho": "0.1"}, {"error": 40}])
def test_a_budget_of_rho_gets_gaussian_strategies(tmp_path: Path, price: dict[str, object]) -> None:
    text = CATALOGUE.format(cap=5).replace("epsilon = 5", "rho = 0.5, delta = 1e-6", 1)
    session = seeded(deploy(tmp_path, text, {"cats.parquet": CATS, "dogs.parquet": {"weight": [9.0]}}))
    question = session.sql(RUNNING)
    assert question.preview(**price).ways[0].taken  # type: ignore[arg-type]
    answer = question.run(**price)  # type: ignore[arg-type]
    assert answer.receipt.fields["measurements"]["event"] == "concentrated"  # type: ignore[index]
    assert question.run(**price).free  # type: ignore[arg-type]


def test_epsilon_and_delta_buy_whichever_strategy_errs_least(tmp_path: Path) -> None:
    text = CATALOGUE.format(cap="5, delta = 1e-6")
    session = seeded(deploy(tmp_path, text, {"cats.parquet": CATS, "dogs.parquet": {"weight": [9.0]}}))
    cube = session.sql("SELECT colour, sex, age, COUNT(*) AS n FROM cats GROUP BY CUBE (colour, sex, age)")
    pure, pair = cube.preview(epsilon=1), cube.preview(epsilon=1, delta="1e-6")
    errors = [next(way.error for way in preview.ways if way.taken) for preview in (pure, pair)]
    assert errors[1] <= errors[0]
    answer = cube.run(epsilon=1, delta="1e-6")
    assert answer.cost.epsilon <= 1 and cube.run(epsilon=1, delta="1e-6").rows == answer.rows
