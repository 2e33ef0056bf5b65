"""Rows that are weighted, because their unit has more than may count: their numbers are those of the weighed rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import deploy, seeded

CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit = "person"
rows_per_unit = 10
budget = { epsilon = 100000, i_understand = "a test" }
[tables.visits.columns]
person = { type = "integer" }
came = { type = "integer", low = 0, high = 1 }
age = { type = "integer", low = 0, high = 100 }
"""
PEOPLE, EACH = 200, 15


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("COUNT(*)", 2000),
        ("SUM(came)", 2000),
        ("AVG(came)", 1),
        ("SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END)", 2000),
        ("SUM(age)", 14000),
        ("AVG(age)", 7),
        ("STDDEV_POP(age)", 0),
    ],
)
def test_small_whole_numbers_of_who_has_many_rows_are_not_cut_to_nothing(
    tmp_path: Path, asked: str, expected: float
) -> None:
    rows = PEOPLE * EACH
    data = {"person": [row // EACH for row in range(rows)], "came": [1] * rows, "age": [7] * rows}
    path = deploy(tmp_path, CATALOGUE, {"visits.parquet": data}, refreshed=["visits"])
    (row,) = seeded(path).sql(f"SELECT {asked} AS x FROM visits").run(epsilon=5000)
    assert row["x"] == pytest.approx(expected, rel=1e-3, abs=0.5)
