"""The builder writes SQL that a person would write, and asks what that SQL asks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapcat
from lapcat.frontend.frame import Outcome, Rows
from lapcat.frontend.words import identifier
from lapcat.session import Session
from tests.support import deploy, seeded

CATALOGUE = """
[populations.people]
budget = { epsilon = 2 }

[tables.staff]
source = "staff.parquet"
unit = { column = "person_id", of = "people" }
rows_per_unit = 2
budget = { epsilon = 1 }
[tables.staff.columns]
region = { type = "text", keys = ["north", "south"] }
salary = { type = "float", low = 0, high = 100, null = 0 }
age = { type = "integer", low = 0, high = 110 }
"home town" = { type = "text", keys = ["here", "there"] }

[tables.visits]
source = "visits.parquet"
unit = { column = "person_id", of = "people" }
rows_per_unit = 3
budget = { epsilon = 1 }
[tables.visits.columns]
kind = { type = "text", keys = ["cure", "test"] }
cost = { type = "float", low = 0, high = 100 }
age = { type = "integer", low = 0, high = 110 }

[tables.days]
source = "days.parquet"
unit = "row"
budget = { epsilon = 1 }
[tables.days.columns]
cost = { type = "float", low = 0, high = 100 }
"""
DATA = {
    "staff.parquet": {
        "person_id": [1, 1, 2, 3, 4],
        "region": ["north", "north", "south", "south", "elsewhere"],
        "salary": [10.0, 10.0, 50.0, 1e300, 70.0],
        "age": [30, 30, 40, 50, 60],
        "home town": ["here", "here", "there", "here", "there"],
    },
    "visits.parquet": {
        "person_id": [1, 1, 2, 3],
        "kind": ["cure", "test", "test", "cure"],
        "cost": [1.0, 2.0, 3.0, 4.0],
        "age": [30, 31, 40, 50],
    },
    "days.parquet": {"cost": [1.0, 2.0]},
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Session:
    path = deploy(tmp_path_factory.mktemp("desk"), CATALOGUE, DATA, refreshed=["staff", "visits", "days"])
    return seeded(path)


ASKED: dict[str, tuple[Callable[[Session], Outcome], str]] = {
    "the example of the documentation": (
        lambda db: db.table("staff").where("age >= 30").group_by("region").agg(pay=lapcat.mean("salary")),
        "SELECT region, AVG(salary) AS pay\nFROM staff\nWHERE age >= 30\nGROUP BY region",
    ),
    "conditions in brackets beside each other": (
        lambda db: (
            db.table("staff")
            .where("age < 20 OR age > 60", "region = 'north'")
            .where("salary > 1")
            .agg(n=lapcat.count())
        ),
        "SELECT COUNT(*) AS n\nFROM staff\nWHERE (age < 20 OR age > 60)\n  AND region = 'north'\n  AND salary > 1",
    ),
    "named keys, quoted names, unnamed measures": (
        lambda db: (
            db.table("STAFF")
            .group_by("home town", decade="FLOOR(age / 10)")
            .agg(
                lapcat.count(), lapcat.sum("salary", where="age > 30"), **{"the mean": lapcat.mean("salary")}
            )
        ),
        """\
SELECT
    "home town",
    FLOOR(age / 10) AS decade,
    COUNT(*),
    SUM(salary) FILTER (WHERE age > 30),
    AVG(salary) AS "the mean"
FROM staff
GROUP BY "home town", FLOOR(age / 10)""",
    ),
    "a histogram": (
        lambda db: db.table("staff").where("age >= 30").histogram("age"),
        "SELECT BUCKETS(age) AS age, COUNT(*) AS n\nFROM staff\nWHERE age >= 30\nGROUP BY BUCKETS(age)",
    ),
    "a histogram of an expression for each group": (
        lambda db: db.table("staff").histogram("salary / 12", by="home town", buckets=5),
        """\
SELECT "home town", BUCKETS(salary / 12, 5) AS bucket, COUNT(*) AS n
FROM staff
GROUP BY "home town", BUCKETS(salary / 12, 5)""",
    ),
    "a cumulative distribution": (
        lambda db: db.table("staff").bound(rows=1).cdf("salary", buckets=5),
        """\
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed=1)
    BUCKETS(salary, 5) AS salary,
    COUNT(*) AS n,
    SUM(COUNT(*)) OVER (ORDER BY BUCKETS(salary, 5)) AS upto,
    SUM(COUNT(*)) OVER (ORDER BY BUCKETS(salary, 5)) / SUM(COUNT(*)) OVER () AS share
FROM staff
GROUP BY BUCKETS(salary, 5)""",
    ),
    "cumulative distributions of groups": (
        lambda db: db.table("staff").cdf("age", by=["region", "home town"]).order_by("share desc"),
        """\
SELECT
    region,
    "home town",
    BUCKETS(age) AS age,
    COUNT(*) AS n,
    SUM(COUNT(*)) OVER (PARTITION BY region, "home town" ORDER BY BUCKETS(age)) AS upto,
    SUM(COUNT(*)) OVER (PARTITION BY region, "home town" ORDER BY BUCKETS(age)) / SUM(COUNT(*)) OVER (PARTITION BY region, "home town") AS share
FROM staff
GROUP BY region, "home town", BUCKETS(age)
ORDER BY share DESC""",
    ),
    "chosen values": (
        lambda db: (
            db.table("staff")
            .group_by("region")
            .agg(
                half=lapcat.median("salary"),
                most=lapcat.quantile("salary", 0.9, where="age > 30"),
                least=lapcat.min("age"),
                oldest=lapcat.max("age", where="age < 99"),
                usual=lapcat.mode("home town"),
            )
        ),
        """\
SELECT
    region,
    MEDIAN(salary) AS half,
    QUANTILE_CONT(salary, 0.9) FILTER (WHERE age > 30) AS most,
    MIN(age) AS least,
    MAX(age) FILTER (WHERE age < 99) AS oldest,
    MODE("home town") AS usual
FROM staff
GROUP BY region""",
    ),
    "aggregates as text": (
        lambda db: db.table("staff").agg(n="COUNT(salary)"),
        "SELECT COUNT(salary) AS n\nFROM staff",
    ),
}
"""What the front-end understands today: asked on real rows below."""

COMING: dict[str, tuple[Callable[[Session], Outcome], str]] = {
    "computed columns": (
        lambda db: (
            db.table("staff")
            .with_columns(monthly="salary / 12")
            .where("monthly > 3")
            .group_by("region")
            .agg(pay=lapcat.mean("monthly"))
        ),
        """\
SELECT region, AVG(monthly) AS pay
FROM (
    SELECT region, salary / 12 AS monthly
    FROM staff
) AS staff
WHERE monthly > 3
GROUP BY region""",
    ),
    "a column in the place of another": (
        lambda db: (
            db.table("staff").with_columns(salary="CLAMP(salary, 0, 50)").agg(total=lapcat.sum("salary"))
        ),
        """\
SELECT SUM(salary) AS total
FROM (
    SELECT CLAMP(salary, 0, 50) AS salary
    FROM staff
) AS staff""",
    ),
    "chosen columns that nobody mentions": (
        lambda db: db.table("staff").select("region", pay="salary").agg(n=lapcat.count()),
        "SELECT COUNT(*) AS n\nFROM (\n    SELECT salary AS pay\n    FROM staff\n) AS staff",
    ),
    "a join by the unit": (
        lambda db: (
            db.table("staff")
            .join("visits", on="person_id")
            .where("cost > 2")
            .group_by("region", "kind")
            .agg(cost=lapcat.sum("cost"))
        ),
        """\
SELECT region, kind, SUM(cost) AS cost
FROM staff
JOIN visits USING (person_id)
WHERE cost > 2
GROUP BY region, kind""",
    ),
    "a condition written before a join means the columns of its own side": (
        lambda db: (
            db.table("staff")
            .where("age >= 40")
            .join("visits", on="person_id")
            .group_by("kind")
            .agg(n=lapcat.count())
        ),
        """\
SELECT kind, COUNT(*) AS n
FROM (
    SELECT person_id
    FROM staff
    WHERE age >= 40
) AS staff
JOIN visits USING (person_id)
GROUP BY kind""",
    ),
    "a left join of filtered rows by pairs of columns": (
        lambda db: (
            db.table("staff")
            .join(
                db.table("visits").where("kind = 'cure'"),
                on={"person_id": "person_id", "staff.age": "age"},
                how="left",
            )
            .agg(n=lapcat.count("cost"))
        ),
        """\
SELECT COUNT(cost) AS n
FROM staff
LEFT JOIN (
    SELECT person_id, cost, age
    FROM visits
    WHERE kind = 'cure'
) AS visits ON staff.person_id = visits.person_id AND staff.age = visits.age""",
    ),
    "a join with itself": (
        lambda db: (
            db.table("visits")
            .join("visits", on="person_id")
            .agg(n=lapcat.count(where="visits.kind = 'test' AND visits_2.kind = 'cure'"))
        ),
        """\
SELECT COUNT(*) FILTER (WHERE visits.kind = 'test' AND visits_2.kind = 'cure') AS n
FROM visits
JOIN visits AS visits_2 USING (person_id)""",
    ),
    "columns of a join handed on": (
        lambda db: (
            db.table("staff")
            .join("visits", on="person_id")
            .with_columns(share="cost / salary")
            .group_by("kind")
            .agg(share=lapcat.mean("CLAMP(share, 0, 1)"))
        ),
        """\
SELECT kind, AVG(CLAMP(share, 0, 1)) AS share
FROM (
    SELECT visits.kind, cost / salary AS share
    FROM staff
    JOIN visits USING (person_id)
) AS staff
GROUP BY kind""",
    ),
    "each person's total": (
        lambda db: (
            db.table("visits")
            .where("cost > 1")
            .per_unit(total=lapcat.sum("cost"), n=lapcat.count())
            .agg(mean=lapcat.mean("CLAMP(total, 0, 200)"))
        ),
        """\
SELECT AVG(CLAMP(total, 0, 200)) AS mean
FROM (
    SELECT person_id, SUM(cost) AS total, COUNT(*) AS n
    FROM visits
    WHERE cost > 1
    GROUP BY person_id
) AS visits""",
    ),
    "each person's total for each kind": (
        lambda db: (
            db.table("visits")
            .per_unit("kind", total=lapcat.sum("cost"))
            .group_by("kind")
            .agg(people=lapcat.count())
        ),
        """\
SELECT kind, COUNT(*) AS people
FROM (
    SELECT person_id, kind, SUM(cost) AS total
    FROM visits
    GROUP BY person_id, kind
) AS visits
GROUP BY kind""",
    ),
    "a union": (
        lambda db: (
            db.table("staff")
            .select("person_id", "age")
            .union(db.table("visits").where("cost > 2").select("person_id", "age"))
            .agg(n=lapcat.count(where="age > 30"))
        ),
        """\
SELECT COUNT(*) FILTER (WHERE age > 30) AS n
FROM (
    SELECT age
    FROM staff
    UNION ALL
    SELECT age
    FROM visits
    WHERE cost > 2
) AS staff""",
    ),
    "sub-totals": (
        lambda db: db.table("staff").rollup("region", "home town").agg(n=lapcat.count()),
        'SELECT region, "home town", COUNT(*) AS n\nFROM staff\nGROUP BY ROLLUP (region, "home town")',
    ),
    "all sub-totals": (
        lambda db: db.table("staff").cube("region", old="age > 50").agg(n=lapcat.count()),
        "SELECT region, age > 50 AS old, COUNT(*) AS n\nFROM staff\nGROUP BY CUBE (region, (age > 50))",
    ),
    "grouping sets": (
        lambda db: (
            db.table("staff").grouping_sets(["region", "home town"], ["region"], []).agg(n=lapcat.count())
        ),
        'SELECT region, "home town", COUNT(*) AS n\nFROM staff\nGROUP BY GROUPING SETS ((region, "home town"), (region), ())',
    ),
    "an answer filtered, sorted and cut": (
        lambda db: (
            db.table("staff")
            .group_by("region")
            .agg(n=lapcat.count(), **{"the pay": lapcat.mean("salary")})
            .having("n > 10")
            .order_by("the pay desc nulls last", "region")
            .limit(3)
            .offset(1)
        ),
        """\
SELECT region, COUNT(*) AS n, AVG(salary) AS "the pay"
FROM staff
GROUP BY region
HAVING n > 10
ORDER BY "the pay" DESC NULLS LAST, region
LIMIT 3
OFFSET 1""",
    ),
    "different rows of an answer": (
        lambda db: db.table("staff").group_by("region").agg(n=lapcat.count()).distinct(),
        "SELECT DISTINCT region, COUNT(*) AS n\nFROM staff\nGROUP BY region",
    ),
    "arithmetic of aggregates": (
        lambda db: db.table("visits").agg(
            each=(lapcat.sum("cost") - 2 * lapcat.count("cost")) / (lapcat.count() + 1),
            less=10 - (lapcat.count() - lapcat.count("cost")) * -0.5,
        ),
        """\
SELECT
    (SUM(cost) - 2 * COUNT(cost)) / (COUNT(*) + 1) AS each,
    10 - (COUNT(*) - COUNT(cost)) * (-0.5) AS less
FROM visits""",
    ),
    "different values": (
        lambda db: db.table("visits").agg(people=lapcat.count_distinct("person_id")),
        "SELECT COUNT(DISTINCT person_id) AS people\nFROM visits",
    ),
    "tighter bounds for this question": (
        lambda db: db.table("visits").bound(rows=2).group_by("kind").agg(n=lapcat.count()).bound(groups=1),
        """\
SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed=2, max_groups_contributed=1)
    kind, COUNT(*) AS n
FROM visits
GROUP BY kind""",
    ),
}
"""What the front-end learns with joins and sub-queries. `UNDERSTOOD` names those that are also asked on real rows."""

UNDERSTOOD: tuple[str, ...] = tuple(COMING)


@pytest.mark.parametrize("case", [*ASKED, *COMING])
def test_the_text_is_the_sql_that_a_person_would_write(case: str, db: Session) -> None:
    build, text = {**ASKED, **COMING}[case]
    assert build(db).sql == text


@pytest.mark.parametrize("case", [*ASKED, *UNDERSTOOD])
def test_the_builder_asks_what_its_text_asks(case: str, db: Session) -> None:
    built = {**ASKED, **COMING}[case][0](db)
    pasted = db.sql(built.sql)
    assert built.question()._prepared().identity == pasted._prepared().identity
    assert built.preview(epsilon="0.1").as_json() == pasted.preview(epsilon="0.1").as_json()
    assert built.sensitivity().as_json() == pasted.sensitivity().as_json()
    assert built.explain() == pasted.explain() and built.explain(epsilon="0.1") != ""


def test_an_answer_is_paid_for_once_and_the_pasted_text_is_free(tmp_path: Path) -> None:
    db = seeded(deploy(tmp_path, CATALOGUE, DATA, refreshed=["staff", "visits", "days"]))
    built = db.table("staff").where("age >= 30").group_by("region").agg(pay=lapcat.mean("salary"))
    answer = built.run(epsilon="0.5")
    assert answer.columns == ["region", "pay", "pay_low", "pay_high"] and not answer.free
    again = db.sql(built.sql).run(epsilon="0.5")
    assert again.free and again["pay"] == answer["pay"]
    other = db.sql("SELECT region, AVG(salary) AS pay FROM staff WHERE age >= 29 GROUP BY region")
    assert not other.preview(epsilon="0.1").free, "the comparison can fail"


def test_a_data_frame_in_memory_has_the_builder_too() -> None:
    pandas = pytest.importorskip("pandas")
    held = lapcat.table(pandas.DataFrame({"x": [1, 2, 3]}), unit="row", epsilon=1, bounds={"x": (0, 5)})
    answer = held.table("data").agg(total=lapcat.sum("x")).run(epsilon=1)
    assert answer.columns == ["total", "total_low", "total_high"]


def test_a_cumulative_distribution_is_answered_by_the_histogram_that_was_paid_for(tmp_path: Path) -> None:
    db = seeded(deploy(tmp_path, CATALOGUE, DATA, refreshed=["staff", "visits", "days"]))
    histogram = db.table("staff").histogram("age", buckets=5).run(epsilon="0.5")
    distribution = db.table("staff").cdf("age", buckets=5).run(epsilon="0.5")
    assert distribution.free and distribution["n"] == histogram["n"]
    assert distribution["age"] == [0, 20, 40, 60, 80, 100] and distribution["share"][-1] == 1
    other = db.table("staff").cdf("age", by="region", buckets=5)
    assert not other.preview(epsilon="0.1").free, "the comparison can fail"


def test_every_step_leaves_what_it_was_taken_from_as_it_was(db: Session) -> None:
    staff = db.table("staff")
    old = staff.where("age > 60")
    assert (
        old.agg(n=lapcat.count()).sql != staff.agg(n=lapcat.count()).sql == "SELECT COUNT(*) AS n\nFROM staff"
    )
    with pytest.raises(AttributeError):
        staff.conditions = ()  # type: ignore[misc]


HOSTILE = (
    'a" FROM staff --',
    "a'b",
    'x"',
    '"',
    "); DROP TABLE staff",
    "a\nb",
    "select",
    "ünï",
    "1st",
    "a.b",
    "*",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_cannot_break_out_of_its_quotes(name: str, db: Session) -> None:
    answer = db.table("staff").agg(**{name: lapcat.count()}).run(epsilon="0.001")
    assert answer.columns[0] == name


@given(st.text(min_size=1).filter(lambda name: "\0" not in name))
def test_a_quoted_name_reads_back_as_itself(name: str) -> None:
    written = identifier(name)
    if written != name:
        assert re.fullmatch(r'"(?:[^"]|"")*"', written, re.DOTALL)
        assert written[1:-1].replace('""', '"') == name


def test_a_plain_name_is_one_for_the_parser_too(db: Session) -> None:
    from sqlglot import parse_one
    from sqlglot.tokens import Tokenizer

    words = {word.lower() for word in Tokenizer.KEYWORDS if re.fullmatch(r"[A-Z_]+", word)}
    assert len(words) > 200
    for word in sorted(words):
        read = parse_one(f"SELECT COUNT(*) AS {identifier(word)} FROM t", dialect="duckdb")
        assert read.expressions[0].alias == word, word


@pytest.mark.parametrize(
    "text",
    ["", " ", "a -- b", "a /* b", "a; b", "a, b", "(a", "a)", "a)(b", "(a]", "'a", '"a', "a FROM b", "a AS b",
     "age > 3 GROUP BY age", "1 UNION SELECT 2", 3, None],
)  # fmt: skip
def test_what_is_not_one_expression_is_refused(text: object, db: Session) -> None:
    with pytest.raises(lapcat.BadArgument) as refusal:
        db.table("staff").where(text)  # type: ignore[arg-type]
    assert refusal.value.code == "expression-text"


@pytest.mark.parametrize(
    "text",
    ["region = 'a -- b, (c'", "age IS DISTINCT FROM 3", "EXTRACT(year FROM day) = 1", 'age IN (1, 2)', "x = ';'",
     "CAST(age AS TEXT) = '('", "note = 'it''s, (so'"],
)  # fmt: skip
def test_an_expression_is_kept_as_it_was_written(text: str, db: Session) -> None:
    assert db.table("staff").where(text).agg(n=lapcat.count()).sql.endswith("WHERE " + text)


REFUSED: dict[str, tuple[Callable[[Rows], object], str]] = {
    "rows cannot be asked": (lambda rows: rows.run(epsilon=1), "step-order"),
    "rows have no text": (lambda rows: rows.sql, "step-order"),
    "rows are not sorted": (lambda rows: rows.order_by("age"), "step-order"),
    "groups wait for agg": (lambda rows: rows.group_by("region").where("age > 1"), "step-order"),
    "an answer is filtered by having": (lambda rows: rows.agg(n=lapcat.count()).where("n > 1"), "step-order"),
    "having comes before limit": (lambda rows: rows.agg(n=lapcat.count()).limit(1).having("n > 1"), "step-order"),
    "sorting comes before limit": (lambda rows: rows.agg(n=lapcat.count()).offset(1).order_by("n"), "step-order"),
    "sorting once": (lambda rows: rows.agg(n=lapcat.count()).order_by("n").order_by("n"), "step-order"),
    "bounds are for the whole": (lambda rows: rows.join(rows.bound(rows=1), on="person_id"), "step-order"),
    "nothing to filter by": (lambda rows: rows.where(), "step-empty"),
    "nothing to group by": (lambda rows: rows.group_by(), "step-empty"),
    "nothing to measure": (lambda rows: rows.agg(), "step-empty"),
    "nothing to bound": (lambda rows: rows.bound(), "step-empty"),
    "half a row": (lambda rows: rows.agg(n=lapcat.count()).limit(0.5), "step-number"),  # type: ignore[arg-type]
    "no row of a unit": (lambda rows: rows.bound(rows=0), "step-number"),
    "a truth value is no number": (lambda rows: rows.agg(n=lapcat.count()).limit(True), "step-number"),
    "no such join": (lambda rows: rows.join("visits", on="person_id", how="outer"), "join-how"),
    "a join by nothing": (lambda rows: rows.join("visits", on=[]), "join-on"),
    "a join by a number": (lambda rows: rows.join("visits", on=[1]), "join-on"),  # type: ignore[list-item]
    "a join with a number": (lambda rows: rows.join(1, on="person_id"), "rows-wanted"),  # type: ignore[arg-type]
    "a join with a stranger": (lambda rows: rows.join("vists", on="person_id"), "unknown-table"),
    "a join by a stranger": (lambda rows: rows.join("visits", on="persn_id"), "unknown-column"),
    "a join by a stranger there": (lambda rows: rows.join("visits", on={"age": "agee"}), "unknown-column"),
    "a column of two tables": (
        lambda rows: rows.join("visits", on="person_id").join("days", on={"age": "cost"}),
        "column-ambiguous",
    ),
    "a union with a name": (lambda rows: rows.union("visits"), "rows-wanted"),  # type: ignore[arg-type]
    "a union of strangers": (lambda rows: rows.union(rows.select("age")), "union-columns"),
    "a set that is a word": (lambda rows: rows.grouping_sets("region"), "keys-list"),
    "a number as a measure": (lambda rows: rows.agg(n=1), "measure-unknown"),  # type: ignore[arg-type]
    "a column in arithmetic": (lambda rows: rows.agg(n=lapcat.sum("age") / "salary"), "measure-unknown"),
    "a column without a name": (lambda rows: rows.select("salary / 12"), "name-empty"),
    "an empty name": (lambda rows: rows.agg(**{"": lapcat.count()}).sql, "name-empty"),
    "half a bucket": (lambda rows: rows.histogram("age", buckets=0.5), "step-number"),  # type: ignore[arg-type]
    "a distribution of an answer": (lambda rows: rows.agg(n=lapcat.count()).cdf("n"), "step-order"),
    "a histogram of groups": (lambda rows: rows.group_by("region").histogram("age"), "step-order"),
    "a measure as a share": (lambda rows: lapcat.quantile("age", lapcat.count()), "measure-unknown"),
    "a total for nobody": (lambda rows: rows.select("age").per_unit(n=lapcat.count()), "unit-column"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_misplaced_step_is_refused_with_a_fix(case: str, db: Session) -> None:
    step, code = REFUSED[case]
    with pytest.raises(lapcat.BadQuery) as refusal:
        step(db.table("staff"))
    assert refusal.value.code == code and refusal.value.fix


def test_totals_of_units_need_a_unit_that_is_not_a_row(db: Session) -> None:
    with pytest.raises(lapcat.BadArgument, match="the unit of days is the row"):
        db.table("days").per_unit(total=lapcat.sum("cost"))


def test_an_unknown_table_is_named_with_the_nearest(db: Session) -> None:
    with pytest.raises(lapcat.BadQuery, match=r"no table 'stuff'; did you mean staff\?"):
        db.table("stuff")


def test_what_is_no_step_is_an_attribute_error(db: Session) -> None:
    with pytest.raises(AttributeError):
        db.table("staff").filtr  # noqa: B018
    assert not hasattr(db.table("staff").agg(n=lapcat.count()), "_repr_html_")


def test_steps_say_what_they_are(db: Session) -> None:
    rows = db.table("visits")
    assert repr(rows).startswith("<rows of visits: person_id, kind, cost, age;")
    assert "by kind" in repr(rows.group_by("kind"))
    assert "SELECT COUNT(*) AS n\nFROM visits" in repr(rows.agg(n=lapcat.count()))
