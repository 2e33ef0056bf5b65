"""Questions of TPC-H, as the specification writes them, have the answers of plain DuckDB within their intervals."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from lapcat.session import Session
from tests.tpch.corpus import QUERIES, for_duckdb, generate, generator, opened

SCALE = 0.01
"""1 500 customers, 60 000 lines."""
CONFIDENCE = 0.999_999_999
Both = tuple[Session, duckdb.DuckDBPyConnection]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    if generator() is None:
        pytest.skip("tpchgen-cli is not installed: pip install -e '.[test]'")
    folder = tmp_path_factory.mktemp("tpch")
    generate(folder, SCALE)
    session, plain = opened(folder)
    yield session, plain
    plain.close()


@pytest.mark.parametrize("name", QUERIES)
def test_a_question_of_tpc_h_is_answered_within_its_intervals(both: Both, name: str) -> None:
    session, plain = both
    answer = session.sql(QUERIES[name]).run(epsilon=10**7, confidence=CONFIDENCE)
    cursor = plain.execute(for_duckdb(QUERIES[name]))
    names = [column[0] for column in cursor.description or ()]
    numbers = [column for column in names if f"{column}_low" in answer.columns]
    keys = [column for column in names if column not in numbers]
    shown = {tuple(row[key] for key in keys): row for row in answer.rows}
    exact = {tuple(row[names.index(key)] for key in keys): row for row in cursor.fetchall()}
    assert numbers and exact and set(exact) <= set(shown)
    for key, values in exact.items():
        for column in numbers:
            value, row = float(values[names.index(column)]), shown[key]
            assert row[f"{column}_low"] <= value <= row[f"{column}_high"], (key, column, value, row)
            width = row[f"{column}_high"] - row[f"{column}_low"]
            assert width <= max(1.0, abs(value) / 50), "the interval would prove nothing"


def test_lines_are_looked_up_whatever_the_order_of_the_tables(both: Both) -> None:
    """No question repeats a line, so a customer moves no more than the lines that they may have."""
    for name in ("q05", "q07", "q08", "q19"):
        for statistic in both[0].sql(QUERIES[name]).sensitivity().as_json()["statistics"]:
            assert float(statistic["l1"]) <= 250 * 105_000
