"""CURRENT_DATE is the date that the steward gives with a version of the data: no clock, no file, no row."""

from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import pytest

import lapcat
from lapcat.session.files import open_deployment, refresh
from tests.e2e.kit import Desk

CATALOGUE = """\
[populations.people]
budget = { epsilon = 5 }

[tables.visits]
source = "visits.csv"
unit = { column = "person", of = "people" }
rows_per_unit = 3
budget = { epsilon = 5 }
[tables.visits.columns]
day = { type = "date", low = 2024-01-01, high = 2024-12-31 }

[tables.calls]
source = "calls.csv"
unit = { column = "person", of = "people" }
rows_per_unit = 3
budget = { epsilon = 5 }
[tables.calls.columns]
day = { type = "date" }
"""
JUNE, JULY = datetime.date(2024, 6, 30), datetime.date(2024, 7, 31)
RECENT = "SELECT COUNT(*) AS n FROM visits WHERE day > CURRENT_DATE - INTERVAL 30 DAY"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    days = [f"{n},2024-0{1 + n % 9}-15" for n in range(90)]
    for name in ("visits", "calls"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["person,day", *days]), encoding="utf-8")
    (tmp_path / "lapcat.toml").write_text(CATALOGUE, encoding="utf-8")
    return Desk(tmp_path)


def identity(desk: Desk, question: str) -> str:
    return str(lapcat.open(desk.catalogue).sql(question)._context.prepared().identity)


def refused(desk: Desk, question: str) -> lapcat.Error:
    with pytest.raises(lapcat.BadQuery) as caught:
        lapcat.open(desk.catalogue).sql(question)
    return caught.value


def test_today_is_the_date_of_the_version(desk: Desk) -> None:
    assert desk.here("refresh", "visits", "--today", "2024-06-30").code == 0
    plain = "SELECT COUNT(*) AS n FROM visits WHERE day > DATE '2024-05-31'"
    assert identity(desk, RECENT) == identity(desk, plain)
    assert "CURRENT_DATE is 2024-06-30 (refresh)" in desk.here("preview", RECENT, "--epsilon", "0.1").out
    assert desk.here("refresh", "visits", "--today", "2024-07-31").code == 0
    assert identity(desk, RECENT) == identity(desk, plain.replace("05-31", "07-01"))


def test_a_version_without_a_date_has_no_today(desk: Desk) -> None:
    desk.here("refresh", "visits", "--today", "2024-06-30")
    desk.here("refresh", "visits")
    error = refused(desk, RECENT)
    assert error.code == "today-missing" and error.fix == "lapcat refresh visits --today 2024-06-30"
    assert desk.here(*str(error.fix).split()[1:]).code == 0
    identity(desk, RECENT)


def test_another_snapshot_of_the_same_version_keeps_its_date(desk: Desk) -> None:
    desk.here("refresh", "visits", "--today", "2024-06-30")
    before = identity(desk, RECENT)
    for path in (desk.folder / "lapcat.cache").glob("visits*"):
        path.unlink()
    assert desk.here("refresh", "visits", "--same-version", "--reason", "lost").code == 0
    assert identity(desk, RECENT) == before
    again = desk.here("refresh", "visits", "--same-version", "--reason", "x", "--today", "2024-06-30")
    assert again.code != 0 and "keeps its date" in again.err


def test_tables_with_different_dates_have_no_common_today(desk: Desk) -> None:
    deployment = open_deployment(str(desk.catalogue))
    deployment.require_acceptance()
    refresh(deployment, "visits", today=JUNE)
    refresh(deployment, "calls", today=JULY)
    both = (
        "SELECT COUNT(*) AS n FROM visits AS a JOIN calls AS b ON a.person = b.person WHERE a.day > TODAY()"
    )
    error = refused(desk, both)
    assert error.code == "today-differs" and "2024-06-30 for visits, 2024-07-31 for calls" in str(error)


def test_the_schema_shows_the_date(desk: Desk) -> None:
    desk.here("refresh", "--today", "2024-06-30")
    assert "CURRENT_DATE is 2024-06-30" in " ".join(desk.here("schema", "visits").out.split())
    assert '"today": "2024-06-30"' in desk.here("tables", "--json").out
    assert "today" not in desk.here("refresh", "--json").out


FRAME = pd.DataFrame({"d": [datetime.date(2024, 1, 1) + datetime.timedelta(n) for n in range(300)]})


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("d > CURRENT_DATE - INTERVAL 30 DAY AND d <= CURRENT_DATE()", 30),
        ("d >= NOW() - INTERVAL '30 days'", 149),
        ("d > TODAY() OR d > CURDATE() OR d > SYSDATE OR d > SYSDATE()", 118),
        ("d > CURRENT_TIMESTAMP", 118),
        ("d > NOW()::DATE", 118),
        ("d > DATE('now', '-7 days')", 125),
        ("DATEDIFF(day, d, GETDATE()) > 3", 178),
        ("STRFTIME('%Y-%m', d) = STRFTIME('%Y-%m', 'now')", 30),
        ("EXTRACT(YEAR FROM AGE(d)) = 0", 300),
        ("DATE_TRUNC('month', d) = DATE_TRUNC('month', CURRENT_DATE)", 30),
        ("d >= DATE_TRUNC('month', CURRENT_DATE) - INTERVAL '1 month'", 179),
        ("YEAR(d) = YEAR(CURRENT_DATE) AND MONTH(d) = EXTRACT(MONTH FROM NOW())", 30),
    ],
)
def test_every_name_of_today_is_the_same_date(condition: str, truth: int) -> None:
    people = lapcat.table(
        FRAME, unit="row", types={"d": "date"}, epsilon=100, today=JUNE, i_understand="a test"
    )
    (row,) = people.sql(f"SELECT COUNT(*) AS n FROM data WHERE {condition}").run(epsilon=50).rows
    assert row["n"] == truth


def test_a_column_may_be_called_sysdate() -> None:
    people = lapcat.table(
        FRAME.rename(columns={"d": "sysdate"}), unit="row", types={"sysdate": "date"}, epsilon=1
    )
    people.sql("SELECT COUNT(*) AS n FROM data WHERE sysdate > DATE '2024-02-01'").preview(epsilon=1)
