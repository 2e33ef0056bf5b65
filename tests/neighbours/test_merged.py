"""Questions that are asked together: each gets what it would get by itself, and one unit moves all of them no further than
claimed for the whole."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import CATALOGUE, TABLES, breaches, looked, pair_of

from lapcat.frontend.sql import understand
from lapcat.plan.columns import KeyColumn, ValueColumn
from lapcat.plan.compile import Prepared, Query, prepare
from lapcat.plan.merging import merged
from lapcat.plan.nodes import Public, Scan
from lapcat.plan.schema import Table

RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
WHERES = ["", "a > 3", "k = 'p'", "k = 'q'", "f", "NOT f", "x BETWEEN 0 AND 5", "b IS NULL", "a <= 3 OR f"]
KEYS = ["", "k", "o", "f", "k, f"]
VALUES = ["COUNT(*) AS n", "COUNT(x) AS n", "SUM(x) AS s, COUNT(*) AS n", "AVG(y) AS m, COUNT(y) AS n"]


def asked(text: str) -> Query:
    def scan(table: Table) -> Scan:
        return Scan(
            table.name,
            table.source,
            1,
            table.unit,
            table.relation,
            table.units,
            rows_per_unit=table.rows_per_unit,
        )

    return understand(text, CATALOGUE, scan, lambda table: Public(table.name, table.source, 1))


def question(table: str, dice: Random, key: str | None = None) -> str:
    key, where = dice.choice(KEYS) if key is None else key, dice.choice(WHERES)
    shown = f"{key}, " if key else ""
    text = f"SELECT {shown}{dice.choice(VALUES)} FROM {table}" + (f" WHERE {where}" if where else "")
    return text + (f" GROUP BY {key}" if key else "")


def several(table: str, seed: int) -> list[str]:
    """Of the same groups, of different ones, or of different ones that measure the same."""
    dice = Random(seed)
    kind = dice.randint(0, 2)
    many = dice.randint(2, 4)
    if kind == 0:
        key = dice.choice(KEYS)
        return [question(table, dice, key) for _ in range(many)]
    if kind == 1:
        return [question(table, dice) for _ in range(many)]
    return [
        f"SELECT {key + ', ' if key else ''}COUNT(*) AS n FROM {table}{f' GROUP BY {key}' if key else ''}"
        for key in dice.sample(KEYS, many)
    ]


def counts_of(question: Prepared, name: str, rows: list[dict[str, object]]) -> list[int]:
    """The exact count behind a column, in each cell."""
    (column,) = [c for c in question.asked.columns if not isinstance(c, KeyColumn) and c.name == name]
    assert isinstance(column, ValueColumn)
    return (
        looked(question.plan, rows)[question.plan.statistics.index(column.readings[0].statistic)]
    ).tolist()


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=25, suppress_health_check=RELAXED, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_each_question_gets_what_it_measures_and_all_move_no_further_than_claimed(
    table: str, seed: int
) -> None:
    texts = several(table, seed)
    questions = [asked(text) for text in texts]
    together = merged(questions)
    whole, pair = prepare(together.asked), pair_of(table, seed)
    for alone, share, text in zip(questions, together.shares, texts, strict=True):
        own = counts_of(prepare(alone), "n", pair.here)
        cells = [
            cell
            for piece in share.pieces["n"]
            for cell in counts_of(whole, piece.name, pair.here)[piece.first : piece.stop]
        ]
        assert cells == own, (texts, text)
    assert breaches(whole, pair) == [], texts
