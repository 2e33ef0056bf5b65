"""The theorem behind budgets of blocks: a unit moves only what is paid from the block in which it lies.

Random questions about tables in blocks; then one unit with all its rows is removed. A question that does not debit the
unit's block must not see the difference in any integer; one that does must move no further than it is charged for.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import (
    COLUMNS,
    FILTERED,
    GROUPS,
    KEY,
    PREDICATES,
    ROWS,
    TYPES,
    Pair,
    Row,
    breaches,
    contents,
)
from numpy.typing import NDArray

from lapcat.engines.reference import ReferenceEngine, index_by_column
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan import blocks as plan_blocks
from lapcat.plan.blocks import blocks_read
from lapcat.plan.compile import Prepared, prepare
from lapcat.plan.nodes import Group, Public, Scan
from lapcat.plan.schema import Table
from lapcat.testing.reveal import reveal

CATALOGUE = read_catalogue(
    "".join(
        f'[tables.{name}]\nsource = "{name}.parquet"\nblocks = "k"\nbudget = {{ epsilon = 9 }}\n{keys}\n'
        f"[tables.{name}.columns]\n{COLUMNS}\n"
        for name, keys in {
            "rows": 'unit = "row"',
            "people": f'unit = {{ column = "person", within = "k" }}\nrows_per_unit = {ROWS}',
        }.items()
    ),
    lambda source: {},
)
TABLES = tuple(CATALOGUE.tables)
DECLARED = ("p", "q", "r")
HOLDS = (*DECLARED, "s", "", "P", None)
"""What the column of blocks holds: also values that are not declared."""
RELAXED = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def prepared(text: str) -> Prepared:
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

    return prepare(understand(text, CATALOGUE, scan, lambda table: Public(table.name, table.source, 1)))


def debited(table: str, question: Prepared) -> tuple[object, ...]:
    declared = CATALOGUE.tables[table]
    assert declared.blocks is not None
    return blocks_read((question.plan, *question.executed_plans), declared.source, declared.blocks)


def looked(table: str, plan: Group, rows: list[Row]) -> NDArray[np.int64]:
    unit = CATALOGUE.tables[table].unit
    ranks = {} if unit.is_row else {table: index_by_column(rows, "person", TYPES, KEY)}
    return reveal(ReferenceEngine({table: rows}, ranks).execute(plan))


def moved(table: str, question: Prepared, pair: Pair) -> bool:
    return any(
        not np.array_equal(looked(table, plan, pair.here), looked(table, plan, pair.there))
        for plan in dict.fromkeys((question.plan, *question.executed_plans))
    )


def pair_of(table: str, seed: int) -> tuple[Pair, object]:
    """Two tables of which one has a unit more, with all its rows in one block; and that block."""
    dice = Random(seed)

    def rows_of(who: int | None, block: object, limit: int) -> list[Row]:
        return [{**contents(dice), "person": who, "k": block} for _ in range(dice.randint(1, limit))]

    ours = dice.choice(HOLDS)
    if CATALOGUE.tables[table].unit.is_row:
        others = [row for _ in range(dice.randint(0, 6)) for row in rows_of(None, dice.choice(HOLDS), 1)]
        own = rows_of(None, ours, 1)
    else:
        others = [row for who in (1, 2, 3, None) for row in rows_of(who, dice.choice(HOLDS), ROWS + 2)]
        own = rows_of(0, ours, ROWS + 3)
    at = dice.randint(0, len(others))
    return Pair([*others[:at], *own, *others[at:]], others), ours


NAMED = st.one_of(
    st.sampled_from(["'p'", "'q'", "'r'", "'s'"]).map(lambda word: f"k = {word}"),
    st.sampled_from(
        ["k IN ('p', 'q')", "k IN ('r', 's')", "'q' = k", "k IN ('p')", "k > 'p'", "NOT k = 'p'"]
    ),
    st.sampled_from(["k = 'p' OR k = 'q'", "k = 'p' OR f", "COALESCE(k, 'p') = 'p'", "k = t", "k <> 'q'"]),
)


@st.composite
def questions(draw: st.DrawFn, table: str) -> str:
    groups = draw(st.one_of(st.just([]), st.lists(GROUPS, max_size=1)))
    outputs = draw(st.lists(FILTERED, min_size=1, max_size=2))
    terms = [f"({term})" for term in draw(st.lists(st.one_of(NAMED, NAMED, PREDICATES), max_size=2))]
    where = f" WHERE {' AND '.join(terms)}" if terms else ""
    by = f" GROUP BY {', '.join(groups)}" if groups else ""
    return f"SELECT {', '.join(f'{o} AS c{i}' for i, o in enumerate(outputs))} FROM {table}{where}{by}"


def check(table: str, data: st.DataObject, pairs: int) -> None:
    text = data.draw(questions(table))
    first = data.draw(st.integers(0, 2**32))
    question = prepared(text)
    paid = debited(table, question)
    for seed in range(first, first + pairs):
        pair, block = pair_of(table, seed)
        where = f"{text}\npair_of({table!r}, {seed}) in {block!r}, paid from {paid}"
        if block not in paid:
            assert not moved(table, question, pair), where
        else:
            assert breaches(question, pair) == [], where


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=120, suppress_health_check=RELAXED)
@given(data=st.data())
def test_a_unit_moves_only_what_is_paid_from_its_block_and_no_further_than_claimed(
    table: str, data: st.DataObject
) -> None:
    check(table, data, pairs=6)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=1500, suppress_health_check=RELAXED)
@given(data=st.data())
def test_a_unit_moves_nothing_that_other_blocks_pay_for_in_many_more_questions(
    table: str, data: st.DataObject
) -> None:
    check(table, data, pairs=20)


NESTED = {
    "one": ("people WHERE k = 'p'", ("p",)),
    "two of which one is left out": ("people WHERE k IN ('p', 'q') AND k <> 'p'", ("p", "q")),
    "or": ("people WHERE k = 'p' OR k = 'q'", DECLARED),
    "or another row": ("rows WHERE k = 'p' OR f", DECLARED),
    "an undeclared one": ("people WHERE k = 's'", DECLARED),
    "a declared and an undeclared one": ("people WHERE k IN ('q', 's')", ("q",)),
    "none": ("rows WHERE k = 'p' AND k = 'q'", DECLARED),
    "in brackets": ("rows WHERE (k = 'q' AND x > 2) AND f", ("q",)),
    "all": ("rows", DECLARED),
    "people of all": ("people", DECLARED),
    "pairs of one side": ("people a JOIN people b ON a.person = b.person WHERE a.k = 'p'", DECLARED),
    "pairs": ("(SELECT person FROM people WHERE k = 'p') a JOIN people b ON a.person = b.person", DECLARED),
    "parts": (
        "(SELECT k FROM people WHERE k = 'p' UNION ALL SELECT k FROM people WHERE k = 'r')",
        ("p", "r"),
    ),
    "a part of all": ("(SELECT k FROM people WHERE k = 'p' UNION ALL SELECT k FROM people)", DECLARED),
    "another column of the name": ("(SELECT k AS kind, x AS k FROM people) WHERE k > 3", DECLARED),
    "another text of the name": ("(SELECT t AS k FROM people) WHERE k = 'p'", DECLARED),
    "a sub-query": ("(SELECT k FROM people) WHERE k = 'p'", ("p",)),
    "one row of each": ("(SELECT person, COUNT(*) AS m FROM people WHERE k = 'p' GROUP BY person)", ("p",)),
    "of all, one row of each": (
        "(SELECT person, COUNT(*) AS m FROM people GROUP BY person) WHERE m > 1",
        DECLARED,
    ),
}
"""What stands after FROM, and the blocks that pay for it."""
WHOLE = {
    "SELECT COUNT(*) FILTER (WHERE k = 'p') AS n FROM people": DECLARED,
    "SELECT k, COUNT(*) AS n FROM people GROUP BY k": DECLARED,
    "SELECT MEDIAN(x) AS m FROM people WHERE k = 'r'": ("r",),
    "SELECT MEDIAN(x) FILTER (WHERE k = 'r') AS m FROM people": DECLARED,
    "SELECT COUNT(DISTINCT person) AS n FROM people WHERE k = 'q' AND f": ("q",),
    "WITH one AS (SELECT * FROM people WHERE k = 'p') SELECT SUM(a) AS n FROM one WHERE f": ("p",),
}


def check_paid(text: str, expected: tuple[object, ...]) -> None:
    table = "people" if "people" in text else "rows"
    question = prepared(text)
    paid = debited(table, question)
    assert paid == expected
    for seed in range(100):
        pair, block = pair_of(table, seed)
        if block not in paid:
            assert not moved(table, question, pair), (seed, block)


@pytest.mark.parametrize("name", NESTED)
def test_the_blocks_that_rows_are_read_from_follow_from_the_text(name: str) -> None:
    rows, expected = NESTED[name]
    check_paid(f"SELECT COUNT(*) AS n FROM {rows}", expected)


@pytest.mark.parametrize("text", WHOLE)
def test_the_blocks_that_a_question_can_read_follow_from_its_text(text: str) -> None:
    check_paid(text, WHOLE[text])


def test_paying_for_too_few_blocks_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: OR names no block, and whoever reads it as AND charges the wrong ones."""
    text = "SELECT COUNT(*) AS n FROM rows WHERE k = 'p' OR f"
    question = prepared(text)
    monkeypatch.setattr(plan_blocks, "named", lambda predicate, column: frozenset("p"))
    paid = debited("rows", question)
    assert paid == ("p",)
    pairs = [pair_of("rows", seed) for seed in range(300)]
    assert any(block not in paid and moved("rows", question, pair) for pair, block in pairs)


def test_somebody_in_two_blocks_would_be_noticed() -> None:
    """Why `within` is checked: the rows of one block would decide which rows of another count."""
    question = prepared("SELECT SUM(a) AS s FROM people WHERE k = 'p'")
    assert debited("people", question) == ("p",)
    cells = {**contents(Random(1)), "a": 40, "person": 0}
    here = [{**cells, "k": "p"} for _ in range(ROWS)]
    assert moved("people", question, Pair([*here, *({**cells, "k": "q"} for _ in range(9))], here))
