"""Errors, labels and unnamed outputs quote a piece of a question as it was written."""

from __future__ import annotations

import time

import pytest

from lapcat.frontend.sql.text import Text

PIECES = [
    "x IS NULL",
    "x IS NOT NULL",
    "NOT smoker",
    "x NOT IN (1,2)",
    "name LIKE 'A%'",
    "smoker IS TRUE",
    "CAST(x AS BIGINT)",
    "TRY_CAST(x AS DOUBLE)",
    "x::BIGINT",
    "DATE '2024-01-01' < d",
    "-x",
    "- (x + 1)",
    "(x + y) * 2",
    "CASE WHEN a THEN CASE WHEN b THEN 1 ELSE 2 END END",
    "CASE CASE WHEN a THEN 1 END WHEN 1 THEN 2 ELSE NULL END",
    "FLOOR(x / 10)",
    "EXTRACT(month FROM d)",
    "CLAMP( x, 0, 1 )",
    "a AND NOT b",
    "'it''s (' = t",
    '"we ird" > 1',
    "x BETWEEN 1 AND 2",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_is_quoted_as_it_was_written(piece: str) -> None:
    text = Text(f"SELECT COUNT(*) FILTER (WHERE {piece}) AS n FROM staff")
    condition = text.parse().expressions[0].this.args["expression"].this
    assert text.written(condition) == piece
    place = text.place(condition)
    assert place is not None and (place.column, place.length) == (31, len(piece))


def test_a_long_condition_is_quoted_in_no_time() -> None:
    long = " AND ".join(f"age > {number}" for number in range(2000))
    text = Text(f"SELECT COUNT(*) FILTER (WHERE {long}) AS n FROM staff")
    condition = text.parse().expressions[0].this.args["expression"].this
    start = time.process_time()
    assert text.written(condition) == long
    assert time.process_time() - start < 3  # a tenth of that, unless it grows with the square
