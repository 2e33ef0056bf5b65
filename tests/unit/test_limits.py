"""A question is no larger than [limits] allows: each refusal names its limit, and comes before anything slow is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import lapcat
from lapcat.session import Session
from tests.support import deploy

CATALOGUE = """
{limits}
[tables.t]
source = "t.parquet"
unit = "row"
relation = "replace-one"
units = 3
budget = {{ epsilon = 5 }}
[tables.t.columns]
a = {{ type = "integer", low = 0, high = 1000000, null = 0 }}
b = {{ type = "integer", low = 0, high = 100, null = 0 }}
x = {{ type = "float", low = 0, high = 100, null = 0 }}
s = {{ type = "text" }}
k = {{ type = "integer", keys = {{ from = 0, to = 9999 }} }}
z = {{ type = "integer", keys = {{ from = 0, to = 999 }} }}
m = {{ type = "integer", keys = {{ from = 0, to = 999999 }} }}
[tables.v]
source = "v.parquet"
unit = "who"
rows_per_unit = 3
budget = {{ epsilon = 5 }}
[tables.v.columns]
who = {{ type = "integer" }}
"""
ROWS = {
    "a": [1, 2, 3],
    "b": [1, 2, 3],
    "x": [1.0, 2.0, 3.0],
    "s": ["u"] * 3,
    "k": [1, 2, 3],
    "z": [1, 2, 3],
    "m": [1, 2, 3],
}
VISITS = {"who": [1, 1, 2]}


def table(folder: Path, limits: str = "") -> Session:
    text = CATALOGUE.format(limits=limits and f"[limits]\n{limits}")
    return lapcat.open(deploy(folder, text, {"t.parquet": ROWS, "v.parquet": VISITS}, refreshed=["t", "v"]))


def many(n: int, part: Callable[[int], str], between: str = ", ") -> str:
    return between.join(map(part, range(n)))


LIMITED = {
    "aggregates": (3, "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) + SUM(a) AS m FROM t"),
    "predicates": (2, "SELECT COUNT(*) FILTER (WHERE a > 1 AND b > 2) AS n FROM t WHERE x > 1"),
    "expression_size": (9, "SELECT SUM(CLAMP(x + 1 + 2 + 3 + 4, 0, 1)) AS n FROM t"),
    "expression_depth": (5, "SELECT SUM(CLAMP(x + 1 + 2 + 3 + 4, 0, 1)) AS n FROM t"),
    "tables": (
        2,
        "SELECT COUNT(*) AS n FROM (SELECT a FROM t UNION ALL SELECT a FROM t UNION ALL SELECT b FROM t)",
    ),
    "groups": (9_999, "SELECT k, COUNT(*) AS n FROM t GROUP BY k"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_question_beyond_a_limit_is_refused_by_its_name_and_the_stewards_line_helps(
    tmp_path: Path, name: str
) -> None:
    limit, question = LIMITED[name]
    with pytest.raises(lapcat.Refused, match=rf"\[limits\] {name}\)") as refusal:
        table(tmp_path / "low", f"{name} = {limit}").sql(question)
    assert refusal.value.code == "beyond-limit"
    line = refusal.value.fix.partition("the steward raises it: ")[2].partition(" under ")[0]
    assert line.startswith(f"{name} = ")
    table(tmp_path / "raised", line).sql(question).preview(epsilon=1)
    table(tmp_path / "default").sql(question).preview(epsilon=1)


def test_a_million_groups_are_answered_and_no_more_unless_the_steward_says_so(tmp_path: Path) -> None:
    more = "SELECT k, b, COUNT(*) AS n FROM t GROUP BY k, b"
    with pytest.raises(lapcat.Refused, match="1010000; the limit is 1000000"):
        table(tmp_path / "default").sql(more)
    assert table(tmp_path / "raised", "groups = 2000000").sql(more).preview(epsilon=1).groups == 1_010_000


def test_a_preview_says_how_many_groups_there_will_be(tmp_path: Path) -> None:
    preview = table(tmp_path).sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k").preview(epsilon=1)
    assert preview.as_json()["groups"] == 10_000 and "in each of 10 000 groups" in str(preview)


def test_a_workload_has_no_more_questions_than_a_question_has_aggregates(tmp_path: Path) -> None:
    session = table(tmp_path, "aggregates = 3")
    questions = [f"SELECT COUNT(*) AS n FROM t WHERE a > {i}" for i in range(4)]
    with pytest.raises(lapcat.Refused, match=r"\[limits\] aggregates\)"):
        session.workload(questions)


HOSTILE = {
    "a long IN list": "SELECT COUNT(*) AS n FROM t WHERE a IN (" + many(7000, str) + ")",
    "IN lists in filters": "SELECT "
    + many(7, lambda i: f"COUNT(*) FILTER (WHERE a IN ({many(1000, lambda j: str(7 * j + i))})) AS n{i}")
    + " FROM t",
    "a long OR": "SELECT COUNT(*) AS n FROM t WHERE " + many(490, lambda i: f"(a > {i} AND x < {i})", " OR "),
    "computed conditions": "SELECT "
    + many(200, lambda i: f"COUNT(*) FILTER (WHERE a * {i + 1} > x + {i}) AS n{i}")
    + " FROM t",
    "patterns": "SELECT "
    + many(200, lambda i: f"COUNT(*) FILTER (WHERE s LIKE '%{i}%') AS n{i}")
    + " FROM t",
    "quantiles": "SELECT " + many(200, lambda i: f"QUANTILE_CONT(x, {(i + 1) / 1000}) AS q{i}") + " FROM t",
    "correlations": "SELECT " + many(200, lambda i: f"CORR(x + {i}, b) AS r{i}") + " FROM t",
    "regressions": "SELECT " + many(200, lambda i: f"REGR_INTERCEPT(x + {i}, b) AS r{i}") + " FROM t",
    "a running total": "SELECT m, SUM(COUNT(*)) OVER (ORDER BY m) AS n FROM t GROUP BY m",
    "searched weights": "SELECT z, SUM(COUNT(*)) OVER (ORDER BY z) AS n FROM t GROUP BY z",
    "a hundred joins": "SELECT COUNT(*) AS n FROM v AS v0 "
    + many(99, lambda i: f"JOIN v AS v{i + 1} ON v0.who = v{i + 1}.who", " "),
    "deep parentheses": "SELECT COUNT(*) AS n FROM t WHERE " + "(" * 99 + "a > 1" + ")" * 99,
    "many NOTs": "SELECT COUNT(*) AS n FROM t WHERE " + "NOT " * 1900 + "a > 1",
    "a long sum": "SELECT SUM(CLAMP(" + many(7000, lambda i: "x", "+") + ", 0, 1)) AS n FROM t",
    "a long CASE": "SELECT CASE "
    + many(1500, lambda i: f"WHEN a = {i} THEN {i}", " ")
    + " END AS g, COUNT(*) AS n "
    "FROM t GROUP BY 1",
    "a union of 500": "SELECT COUNT(*) AS n FROM ("
    + many(500, lambda i: f"SELECT a FROM t WHERE a > {i}", " UNION ALL ")
    + ")",
    "a wide cube": "SELECT COUNT(*) AS n FROM t GROUP BY CUBE (" + many(20, lambda i: f"a > {i}") + ")",
    "tiny buckets": "SELECT FLOOR(a / 0.00001) AS g, COUNT(*) AS n FROM t GROUP BY 1",
    "nested NULLIF": "SELECT SUM(CLAMP(" + "NULLIF(" * 12 + "a" + ", 1)" * 12 + ", 0, 1)) AS n FROM t",
    "nested MOD": "SELECT SUM(CLAMP(" + "MOD(" * 12 + "a" + ", 7)" * 12 + ", 0, 1)) AS n FROM t",
    "rows in a list": "SELECT COUNT(*) AS n FROM t WHERE (a, x) IN ("
    + many(1200, lambda i: f"({i}, {i})")
    + ")",
    "a doubling": "WITH c0 AS (SELECT a FROM t)"
    + many(25, lambda i: f", c{i + 1} AS (SELECT a + a AS a FROM c{i})", "")
    + " SELECT SUM(CLAMP(a, 0, 1)) AS n FROM c25",
}


@pytest.mark.alone
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_question_is_refused_or_previewed_soon(tmp_path: Path, name: str) -> None:
    """Promised: a second for a refusal, five for a preview, of processor time, which a busy machine stretches too."""
    session = table(tmp_path)
    session.sql("SELECT COUNT(*) FILTER (WHERE a * 2 > x) AS n, SUM(x) AS s FROM t").preview(
        epsilon=1
    )  # imports
    begin = time.process_time()
    try:
        session.sql(HOSTILE[name]).preview(epsilon=1)
        seconds = 5.0
    except (lapcat.BadQuery, lapcat.Refused) as refusal:
        assert refusal.fix
        seconds = 1.0
    assert time.process_time() - begin < seconds
