"""GoogleSQL's contribution bounds: blanked in their place, and each means what its plain form means, by DuckDB's numbers."""

from __future__ import annotations

import duckdb
import pytest

import lapcat
from lapcat.frontend.sql.contributions import split_contributions
from lapcat.session import Session
from tests.unit.test_spellings import CONFIDENCE, ROWS, identity
from tests.unit.test_spellings import FRAME as STAFF

FRAME = STAFF.assign(person=[n // 6 for n in range(ROWS)])
"""Six rows for each person, up to two of one grade."""
DP = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=500, max_groups_contributed=4, privacy_unit_column=person)"
ANON = "SELECT WITH ANONYMIZATION OPTIONS(epsilon=500, kappa=4)"


@pytest.fixture(scope="module")
def staff() -> Session:
    return lapcat.table(
        FRAME,
        unit="person",
        rows_per_unit=6,
        bounds={"age": (-5, 90), "pay": (0, 100), "bonus": (0, 20)},
        keys={"grade": ["a", "b", "c"], "name": "private"},
        epsilon=10**6,
        delta="0.01",
        i_understand="a test of meanings, on made-up people",
    )


@pytest.fixture(scope="module")
def rows() -> Session:
    """The same rows, each a unit."""
    return lapcat.table(
        FRAME.drop(columns="person"),
        unit="row",
        bounds={"age": (-5, 90), "pay": (0, 100), "bonus": (0, 20)},
        keys={"grade": ["a", "b", "c"]},
        epsilon=10**6,
        i_understand="a test of meanings, on made-up people",
    )


def of_units(aggregate: str, outer: str) -> str:
    inner = f"SELECT person, grade, {aggregate} AS v FROM data GROUP BY person, grade"
    return f"SELECT grade, {outer} AS x FROM ({inner}) WHERE grade IS NOT NULL GROUP BY grade"


def clamped(low: float, high: float) -> str:
    return f"CASE WHEN v IS NOT NULL THEN LEAST(GREATEST(v, {low}), {high}) END"


PER_GROUP = [
    (f"{DP} grade, SUM(pay, contribution_bounds_per_group => (0, 60)) AS x", of_units("SUM(pay)", f"SUM({clamped(0, 60)})")),
    (f"{ANON} grade, ANON_SUM(pay CLAMPED BETWEEN 10 AND 60) AS x", of_units("SUM(pay)", f"SUM({clamped(10, 60)})")),
    (f"{DP} grade, COUNT(*, contribution_bounds_per_group=>(0, 1)) AS x", of_units("COUNT(*)", f"SUM({clamped(0, 1)})")),
    (f"{DP} grade, COUNT(age, contribution_bounds_per_group => (0,5)) AS x", of_units("COUNT(age)", f"SUM({clamped(0, 5)})")),
    (f"{ANON} grade, ANON_COUNT(age CLAMPED BETWEEN 0 AND 5) AS x", of_units("COUNT(age)", f"SUM({clamped(0, 5)})")),
    (f"{DP} grade, AVG(pay, contribution_bounds_per_group => (20, 80)) AS x", of_units("AVG(pay)", f"AVG({clamped(20, 80)})")),
    (f"{ANON} grade, ANON_AVG(pay CLAMPED BETWEEN 20 AND 80) AS x", of_units("AVG(pay)", f"AVG({clamped(20, 80)})")),
    (f"{ANON} grade, ANON_AVG(pay) AS x", of_units("AVG(pay)", "AVG(v)")),
    (f"{DP} d.grade, SUM(d.pay - d.bonus, contribution_bounds_per_group => (-5, 60.5)) AS x", of_units("SUM(pay - bonus)", f"SUM({clamped(-5, 60.5)})")),
]  # fmt: skip


@pytest.mark.parametrize(("written", "plain"), PER_GROUP)
def test_bounds_per_group_bound_each_units_result_in_a_group(
    staff: Session, written: str, plain: str
) -> None:
    data = FRAME  # noqa: F841 – DuckDB finds it by its name
    truth = dict(duckdb.sql(plain).fetchall())
    table = "data AS d" if "d.grade" in written else "data"
    question = staff.sql(f"{written} FROM {table} GROUP BY grade ORDER BY grade")
    answer = question.run(confidence=CONFIDENCE)
    assert [row["grade"] for row in answer.rows] == ["a", "b", "c"]
    for row in answer.rows:
        assert row["x_low"] - 1e-6 <= float(truth[row["grade"]]) <= row["x_high"] + 1e-6
        assert row["x_high"] - row["x_low"] < 60


def test_bounds_per_group_cost_what_one_units_groups_can_add(staff: Session) -> None:
    question = staff.sql(
        f"{DP} grade, SUM(pay, contribution_bounds_per_group => (0, 60)) AS x FROM data GROUP BY grade"
    )
    (statistic,) = question.sensitivity().as_json()["statistics"]
    assert float(statistic["l1"]) == 240  # four groups, 60 in each
    whole = staff.sql("SELECT SUM(pay, contribution_bounds_per_group => (0, 60)) AS x FROM data")
    (statistic,) = whole.sensitivity().as_json()["statistics"]
    assert float(statistic["l1"]) == 60


SAME = [
    ("SUM(pay, contribution_bounds_per_row => (0, 50))", "SUM(CLAMP(pay, 0, 50))"),
    ("VAR_POP(pay, contribution_bounds_per_row => (0, 50))", "VAR_POP(CLAMP(pay, 0, 50))"),
    ("ANON_VAR_POP(pay CLAMPED BETWEEN 0 AND 50)", "VAR_POP(CLAMP(pay, 0, 50))"),
    ("ANON_STDDEV_POP(pay CLAMPED BETWEEN 0 AND 50)", "STDDEV_POP(CLAMP(pay, 0, 50))"),
    ("PERCENTILE_CONT(pay, 0.5, contribution_bounds_per_row => (0,50))", "QUANTILE_CONT(CLAMP(pay, 0, 50), 0.5)"),
    ("ANON_PERCENTILE_CONT(pay, 0.25 CLAMPED BETWEEN 0 AND 50)", "QUANTILE_CONT(CLAMP(pay, 0, 50), 0.25)"),
    ("ANON_COUNT(*)", "COUNT(*)"),
    ("anon_sum(pay)", "SUM(pay)"),
    ("ROUND(ANON_VAR_POP(pay CLAMPED BETWEEN -1.5 AND 50), 2)", "ROUND(VAR_POP(CLAMP(pay, -1.5, 50)), 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "plain"), SAME)
def test_bounds_per_row_are_a_clamp(staff: Session, written: str, plain: str) -> None:
    same = (f"SELECT {aggregate} AS x FROM data" for aggregate in (written, plain))
    assert len({identity(staff, question) for question in same}) == 1


ROWS_AS_UNITS = [
    ("SUM(pay, contribution_bounds_per_group => (0, 50))", "SUM(CLAMP(pay, 0, 50))"),
    ("ANON_SUM(pay CLAMPED BETWEEN 0 AND 50)", "SUM(CLAMP(pay, 0, 50))"),
    ("ANON_AVG(pay CLAMPED BETWEEN 0 AND 50)", "AVG(CLAMP(pay, 0, 50))"),
    ("ANON_AVG(pay)", "AVG(pay)"),
    ("COUNT(*, contribution_bounds_per_group => (0, 5))", "COUNT(*)"),
    ("ANON_COUNT(pay CLAMPED BETWEEN 0 AND 5)", "COUNT(pay)"),
]


@pytest.mark.parametrize(("written", "plain"), ROWS_AS_UNITS)
def test_where_a_row_is_the_unit_both_bounds_are_the_same(rows: Session, written: str, plain: str) -> None:
    same = (f"SELECT {aggregate} AS x FROM data" for aggregate in (written, plain))
    assert len({identity(rows, question) for question in same}) == 1


def test_a_statement_keeps_its_names_order_and_filters(staff: Session) -> None:
    answer = staff.sql(
        f"{DP} grade, SUM(pay, contribution_bounds_per_group => (0, 60)), COUNT(*, contribution_bounds_per_group => (0, 2)) n, "
        "COUNT(DISTINCT person) people FROM data WHERE ok GROUP BY 1 HAVING n > 10 ORDER BY n DESC, grade LIMIT 2"
    ).run()
    names = [name for name in answer.columns if not name.endswith(("_low", "_high"))]
    assert names == ["grade", "sum(pay)", "n", "people"] and len(answer) == 2
    joined = staff.sql(
        "SELECT a.grade, SUM(a.pay, contribution_bounds_per_group => (0, 60)) AS x FROM data AS a "
        "JOIN (SELECT person, COUNT(*) AS m FROM data GROUP BY person) AS b ON a.person = b.person WHERE b.m > 1 GROUP BY a.grade"
    )
    assert [row["grade"] for row in joined.run(epsilon=500)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("question", "fix"),
    [
        ("SELECT ok, SUM(pay, contribution_bounds_per_group => (0, 9)) FROM data GROUP BY ROLLUP (ok)", "SUM(CLAMP(pay, 0, 9))"),
        ("SELECT FLOOR(age), ANON_SUM(pay CLAMPED BETWEEN 0 AND 9) FROM data GROUP BY 1", "FROM (SELECT *, FLOOR(age) AS grp FROM data) GROUP BY grp"),
        ("SELECT ok, FLOOR(age), ANON_SUM(pay CLAMPED BETWEEN 0 AND 9) FROM data GROUP BY 1, 2", "SUM(CLAMP(pay, 0, 9))"),
        ("SELECT SUM(pay, contribution_bounds_per_group => (0, 9)) FILTER (WHERE ok) FROM data", "SUM(CLAMP(pay, 0, 9))"),
        ("SELECT MAX(pay, contribution_bounds_per_group => (0, 9)) FROM data", "MAX(CLAMP(pay, 0, 9))"),
        ("SELECT COUNT(*) FROM (SELECT person, ANON_SUM(pay CLAMPED BETWEEN 0 AND 9) FROM data GROUP BY 1)", "SUM(CLAMP(pay, 0, 9))"),
        ("SELECT SUM(pay, contribution_bounds_per_group => (0, age)) FROM data", "=> (0, 100)"),
        ("SELECT SUM(pay, contribution_bounds_per_group => 9) FROM data", "=> (0, 100)"),
        ("SELECT ANON_QUANTILES(pay, 2 CLAMPED BETWEEN 0 AND 9) FROM data", "QUANTILE_CONT(CLAMP(pay, 0, 9), 0.5)"),
        ("SELECT ANON_SUM(pay CLAMPED BETWEEN 0 AND 9), COUNT(*) FROM data", "COUNT(*, contribution_bounds_per_group => (LOW, HIGH))"),
    ],
)  # fmt: skip
def test_bounds_without_a_meaning_are_refused(staff: Session, question: str, fix: str) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(question).preview(epsilon=1)
    assert refused.value.code == "foreign-aggregate" and fix in refused.value.fix and refused.value.place


def test_a_count_of_one_row_is_not_moved_into_bounds_that_exclude_it(rows: Session) -> None:
    for bounds in ("(2, 5)", "(0, 0.5)"):
        with pytest.raises(lapcat.Error) as refused:
            rows.sql(f"SELECT COUNT(*, contribution_bounds_per_group => {bounds}) AS n FROM data").preview(
                epsilon=1
            )
        assert refused.value.code == "foreign-aggregate"


def test_the_strategy_must_agree_with_the_declared_keys(staff: Session) -> None:
    def chosen(strategy: str, key: str) -> None:
        options = f"OPTIONS(epsilon=1, delta=1e-6, group_selection_strategy={strategy})"
        staff.sql(
            f"SELECT WITH DIFFERENTIAL_PRIVACY {options} {key}, COUNT(*) FROM data GROUP BY 1"
        ).preview()

    chosen("PUBLIC_GROUPS", "grade")
    chosen("LAPLACE_THRESHOLD", "name")
    for strategy, key in (("PUBLIC_GROUPS", "name"), ("LAPLACE_THRESHOLD", "grade")):
        with pytest.raises(lapcat.Refused) as refused:
            chosen(strategy, key)
        assert refused.value.code == "groups-differ"


def test_rows_and_groups_are_not_bounded_at_once(staff: Session) -> None:
    with pytest.raises(lapcat.Error) as refused:
        staff.sql(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed=1) grade, ANON_SUM(pay CLAMPED BETWEEN 0 AND 9) "
            "FROM data GROUP BY grade"
        ).preview(epsilon=1)
    assert refused.value.code == "option-value"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(CLAMP(cost, 0, 100)) FROM visits",
        "SELECT SUM(CASE WHEN clamped BETWEEN 0 AND 1 THEN 1 END) FROM t",
        "SELECT COUNT(*) FROM t WHERE clamped BETWEEN 0 AND 1",
        "SELECT 'ANON_SUM(x)' FROM t -- ANON_SUM(x)",
        "SELECT anon_id FROM t",
        "SELECT ANON_SUM(",
        "SELECT ANON_OTHER(x) FROM t",
        ")) SELECT CLAMPED",
        "SELECT 'open CLAMPED",
    ],
)
def test_a_text_without_bounds_is_left_alone(text: str) -> None:
    assert split_contributions(text) == (text, ())


def test_everything_else_stays_where_it_was() -> None:
    text = "SELECT a,\n  ANON_SUM(b /* c */\n CLAMPED BETWEEN -1 AND 2.5) AS s, COUNT(*, contribution_bounds_per_group => (0, 5)) FROM t"
    read, (first, second) = split_contributions(text)
    assert len(read) == len(text) and read.count("\n") == text.count("\n")
    assert read.endswith(") FROM t") and ") AS s, COUNT(*" in read
    assert (first.ends, second.ends) == (("-1", "2.5"), ("0", "5"))
    assert read[first.start :].startswith("SUM(") and read[second.start :].startswith("COUNT(")


def test_a_long_text_is_read_in_linear_time() -> None:
    terms = " + ".join(["x"] * 5_000)
    split_contributions(f"SELECT SUM({terms}, contribution_bounds_per_row => (0, 5)) FROM t")


def test_the_frame_has_people_with_two_rows_of_one_grade() -> None:
    """Otherwise a bound per group would be one per row."""
    assert FRAME.groupby(["person", "grade"]).size().max() == 2
