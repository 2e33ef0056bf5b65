"""Questions whose answer could be another question's: what a newcomer writes means what SQL says, or is refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

import lapcat
from lapcat.session import Session
from tests.e2e.kit import Desk

POSTS = """\
[populations.so]
budget = { epsilon = 9 }

[tables.Posts]
source = "Posts.parquet"
unit = { column = "OwnerUserId", of = "so" }
rows_per_unit = 20
budget = { epsilon = 9 }

[tables.Posts.columns]
Id = { type = "integer", unique = true }

[tables.Comments]
source = "Comments.parquet"
unit = { column = "UserId", of = "so" }
rows_per_unit = 20
budget = { epsilon = 9 }

[tables.Comments.columns]
PostId = { type = "integer" }
Id = { type = "integer" }
"""


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """300 posts of 100 people; a third of the comments are by who wrote the post."""
    folder: Path = tmp_path_factory.mktemp("forum")
    (folder / "lapcat.toml").write_text(POSTS, encoding="utf-8")
    ids = range(300)
    pd.DataFrame({"Id": ids, "OwnerUserId": [n % 100 for n in ids]}).to_parquet(folder / "Posts.parquet")
    writers = [n % 100 if n % 3 == 0 else (n + 1) % 100 for n in ids]
    pd.DataFrame({"Id": ids, "PostId": ids, "UserId": writers}).to_parquet(folder / "Comments.parquet")
    assert Desk(folder).here("refresh").code == 0
    return lapcat.open(folder / "lapcat.toml")


def fix_of(db: Session, question: str, code: str) -> str:
    with pytest.raises(lapcat.Refused) as refused:
        db.sql(question).preview(epsilon=1)
    assert refused.value.code == code
    return refused.value.fix


# ------------------------------------------------------------------------------------------------ joins


@pytest.mark.parametrize("how", ["JOIN", "LEFT JOIN"])
@pytest.mark.parametrize("condition", ["p.Id = c.PostId", "c.PostId = p.Id AND p.Id > 5"])
def test_a_join_by_a_unique_column_is_refused_until_the_units_are_compared(
    forum: Session, how: str, condition: str
) -> None:
    if how == "LEFT JOIN" and ">" in condition:
        condition = "c.PostId = p.Id"
    fix = fix_of(
        forum, f"SELECT COUNT(*) AS n FROM Posts p {how} Comments c ON {condition}", "join-strangers"
    )
    reason, _, question = fix.partition(": ")
    assert reason == "this counts only pairs of one person"
    assert condition in question and "UserId" in question
    forum.sql(question)


def test_the_fix_of_a_join_counts_the_pairs_of_one_person(forum: Session) -> None:
    question = "SELECT COUNT(*) AS n FROM Posts p JOIN Comments c ON p.Id = c.PostId"
    pasted = fix_of(forum, question, "join-strangers").partition(": ")[2]
    (row,) = forum.sql(pasted).run(epsilon=4)
    assert abs(row["n"] - 100) < 100, "of 300 pairs; the noise has scale 5"


@pytest.mark.parametrize(
    ("question", "pasted"),
    [
        (
            "SELECT COUNT(*) AS n FROM Posts p JOIN Comments c ON p.Id = c.PostId OR p.Id = c.Id",
            "SELECT COUNT(*) AS n FROM Posts p JOIN Comments c ON (p.Id = c.PostId OR p.Id = c.Id) "
            "AND p.OwnerUserId = c.UserId",
        ),
        (
            "SELECT COUNT(*) AS n FROM Posts a JOIN Posts b USING (Id)",
            "SELECT COUNT(*) AS n FROM Posts a JOIN Posts b USING (Id, OwnerUserId)",
        ),
    ],
)
def test_the_units_go_where_the_condition_is(forum: Session, question: str, pasted: str) -> None:
    assert fix_of(forum, question, "join-strangers") == f"this counts only pairs of one person: {pasted}"
    forum.sql(pasted)


def test_using_between_units_of_other_names_becomes_on(forum: Session) -> None:
    question = "SELECT COUNT(*) AS n FROM Posts p JOIN Comments c USING (Id)"
    condition = fix_of(forum, question, "join-strangers").partition(": ")[2]
    assert condition == "JOIN … ON c.Id = p.Id AND c.UserId = p.OwnerUserId"
    forum.sql(question.replace("USING (Id)", condition.removeprefix("JOIN … ")))
    natural = "SELECT COUNT(*) AS n FROM Posts p NATURAL JOIN Comments c"
    assert fix_of(forum, natural, "join-strangers").partition(": ")[2] == condition


# ------------------------------------------------------------------------------------------------ names


@pytest.fixture(scope="module")
def people() -> tuple[Session, pd.DataFrame]:
    rows = [{"sex": n % 2, "educ": 1 + n % 5} for n in range(2000)]
    frame = pd.DataFrame(rows)
    return lapcat.table(frame, unit="row", epsilon=10, bounds={"sex": (0, 1), "educ": (1, 5)}), frame


@pytest.mark.parametrize(
    "question",
    [
        "SELECT educ AS sex, sex AS educ, COUNT(*) AS n FROM data GROUP BY sex, educ HAVING educ > 2",
        "SELECT educ AS sex, sex AS educ, COUNT(*) AS n FROM data GROUP BY sex, educ HAVING sex = 1",
        "SELECT sex, COUNT(*) AS educ FROM data GROUP BY sex, educ HAVING educ > 3",
        "SELECT sex, COUNT(*) AS educ FROM data GROUP BY sex HAVING educ > 3",
        "SELECT educ AS sex, sex AS educ, COUNT(*) AS n FROM data GROUP BY sex, educ ORDER BY sex, educ",
        "SELECT educ AS sex, sex AS educ, COUNT(*) AS n FROM data GROUP BY sex, educ ORDER BY sex + 0, educ + 0",
        "SELECT educ AS sex, sex AS educ, COUNT(*) AS n FROM data GROUP BY sex, educ ORDER BY data.sex, data.educ",
    ],
)
def test_a_name_that_is_a_column_and_an_alias_means_what_duckdb_takes_it_for(
    people: tuple[Session, pd.DataFrame], question: str
) -> None:
    db, frame = people
    with duckdb.connect() as connection:
        connection.register("data", frame)
        keys = connection.execute(question).df()
    answer = db.sql(question).run(epsilon="0.5")
    shown = [name for name in ("sex", "educ") if name in keys and "COUNT(*) AS " + name not in question]
    mine = [[row[name] for name in shown] for row in answer]
    theirs = keys[shown].values.tolist()
    assert (mine if "ORDER" in question else sorted(mine)) == (
        theirs if "ORDER" in question else sorted(theirs)
    )


# ------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("question", "message", "pasted"),
    [
        (
            "SELECT educ FROM data GROUP BY educ ORDER BY educ DESC LIMIT 1",
            "educ alone selects public group keys and no number",
            "SELECT educ, COUNT(*) AS n FROM data GROUP BY educ ORDER BY educ DESC LIMIT 1",
        ),
        (
            "SELECT sex * COUNT(*) AS n FROM data GROUP BY educ",
            "sex is neither in GROUP BY nor in an aggregate",
            "SELECT sex * COUNT(*) AS n FROM data GROUP BY educ, sex",
        ),
        (
            "SELECT ROW_NUMBER() OVER () FROM data",
            "ROW_NUMBER() OVER () would return single rows",
            "SELECT COUNT(*) AS n FROM data",
        ),
        ("SELECT 3 FROM data", "3 is a constant", "SELECT COUNT(*) AS n FROM data"),
        ("SELECT sex FROM data", "sex would return single rows", "SELECT COUNT(*) AS n FROM data"),
    ],
)
def test_a_refusal_says_single_rows_only_of_single_rows(
    people: tuple[Session, pd.DataFrame], question: str, message: str, pasted: str
) -> None:
    with pytest.raises((lapcat.Refused, lapcat.BadQuery)) as refused:
        people[0].sql(question)
    assert refused.value.message == message
    people[0].sql(pasted)


# ------------------------------------------------------------------------------------------------ years


@pytest.fixture(scope="module")
def dated() -> Session:
    day = pd.Timestamp("2024-03-01").date()
    frame = pd.DataFrame({"d": [day] * 50, "known": [day] * 50, "t": [pd.Timestamp("2023-05-06 07:08")] * 50})
    types = {"d": "date", "known": "date"}
    ends = "2020-01-01", "2025-12-31"
    return lapcat.table(frame, unit="row", epsilon=10, types=types, bounds={"known": ends})


@pytest.mark.parametrize("key", ["YEAR(d)", "YEAR(t)", "YEAR(d) - 2000", "FLOOR(YEAR(d) / 10)"])
def test_years_without_bounds_are_refused_and_not_paid_for_9999_times(dated: Session, key: str) -> None:
    fix = fix_of(dated, f"SELECT {key} AS y, COUNT(*) AS n FROM data GROUP BY {key}", "keys-missing")
    assert "lapcat.table(..., bounds={" in fix
    assert (f"{key} BETWEEN FIRST AND LAST" in fix) is (key in ("YEAR(d)", "YEAR(t)"))


@pytest.mark.parametrize(
    ("where", "first", "last"),
    [
        ("YEAR(d) BETWEEN 2020 AND 2024", 2020, 2024),
        ("d BETWEEN '2020-05-01' AND '2024-06-30'", 2020, 2024),
        ("d >= '2020-01-01' AND d < '2025-01-01'", 2020, 2024),
        ("'2019-12-31' < d AND 2025 > YEAR(d)", 2020, 2024),
        ("YEAR(d) IN (2024, 2020) AND YEAR(known) < 2030", 2020, 2024),
        ("YEAR(d) = 2023", 2023, 2023),
        ("YEAR(d) > 2021.5 AND YEAR(d) < 2024.5", 2021, 2024),
    ],
)
def test_the_years_of_a_question_are_those_that_where_leaves(
    dated: Session, where: str, first: int, last: int
) -> None:
    question = dated.sql(f"SELECT YEAR(d) AS y, COUNT(*) AS n FROM data WHERE {where} GROUP BY YEAR(d)")
    assert question.preview(epsilon=1).groups == last - first + 1
    assert [row["y"] for row in question.run(epsilon="0.1")] == list(range(first, last + 1))


@pytest.mark.parametrize(
    "where", ["d > '2020-01-01'", "YEAR(d) < 2024 OR YEAR(d) > 2020", "d <> '2024-01-01'"]
)
def test_years_that_where_leaves_open_are_refused(dated: Session, where: str) -> None:
    fix_of(dated, f"SELECT YEAR(d) AS y, COUNT(*) AS n FROM data WHERE {where} GROUP BY 1", "keys-missing")


def test_a_year_that_was_paid_for_before_stays_free(dated: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT YEAR(d) AS y, COUNT(*) AS n FROM data GROUP BY YEAR(d)"
    with monkeypatch.context() as patched:
        patched.setattr("lapcat.session.question.require_floor", lambda *_: None)
        before = dated.sql(text).run(epsilon="0.1")
    again = dated.sql(text).run(epsilon="0.1")
    assert again.free and again.rows == before.rows


def test_declared_bounds_name_the_years(dated: Session) -> None:
    question = dated.sql("SELECT YEAR(known) AS y, COUNT(*) AS n FROM data GROUP BY YEAR(known)")
    assert question.preview(epsilon=1).groups == 6


@pytest.mark.parametrize(
    "ends", [("2020-01-01",), ("2025-01-01", "2020-01-01"), (2020, 2025), "ab", ("x", "y"), 3]
)
def test_bounds_of_a_date_are_two_dates(ends: object) -> None:
    frame = pd.DataFrame({"t": [pd.Timestamp("2023-05-06 07:08")]})
    with pytest.raises(lapcat.BadQuery) as refused:
        lapcat.table(frame, unit="row", epsilon=1, bounds={"t": ends})  # type: ignore[dict-item]
    assert refused.value.code == "bounds-range"
    lapcat.table(frame, unit="row", epsilon=1, bounds={"t": ("2020-01-01", "2024-12-31")})
