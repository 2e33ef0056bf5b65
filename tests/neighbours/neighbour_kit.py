"""Random tables, their neighbours, and random questions: text that goes through the whole front half of lapcat."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from lapcat.engines.reference import ReferenceEngine, index_by_column
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import understand
from lapcat.plan.compile import Prepared, prepare
from lapcat.plan.nodes import Group, Public, Scan
from lapcat.plan.schema import Relation, Table, Type
from lapcat.testing.reveal import reveal

Row = dict[str, object]

COLUMNS = """
x = { type = "float", low = -3.5, high = 10.3 }
y = { type = "float", low = 1, high = 9.7, null = 2 }
a = { type = "integer", low = 0, high = 40 }
b = { type = "integer", low = -7, high = 4, null = 0 }
raw = { type = "float" }
k = { type = "text", keys = ["p", "q", "r"] }
o = { type = "text", keys = ["p", "q"], other = true }
z = { type = "integer", keys = { from = 0, to = 4 } }
f = { type = "boolean" }
d = { type = "date", low = 2024-01-01, high = 2024-03-31 }
t = { type = "text" }
person = { type = "integer" }
"""
UNITS, ROWS = 4, 3
"""The public number of units under replace-one; the most rows of a person that count."""
CATALOGUE = read_catalogue(
    "".join(
        f'[tables.{name}]\nsource = "{name}.parquet"\nbudget = {{ epsilon = 9 }}\n{keys}\n[tables.{name}.columns]\n{COLUMNS}\n'
        for name, keys in {
            "rows_added": 'unit = "row"',
            "rows_replaced": f'unit = "row"\nrelation = "replace-one"\nunits = {UNITS}',
            "people_added": f'unit = "person"\nrows_per_unit = {ROWS}',
            "people_replaced": f'unit = "person"\nrows_per_unit = {ROWS}\nrelation = "replace-one"\nunits = {UNITS}',
        }.items()
    ),
    lambda source: {},
)
TABLES = tuple(CATALOGUE.tables)
TYPES: dict[str, Type] = {name: spec.type for name, spec in CATALOGUE.tables["rows_added"].columns.items()}
KEY = bytes(range(32))


def prepared(text: str) -> Prepared:
    """The question as the product would prepare it."""

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


# ------------------------------------------------------------------------------------------------ tables

INF, NAN = float("inf"), float("nan")
FLOATS = (None, NAN, INF, -INF, 1e308, -1e308, -0.0, 5e-324, -3.5, 10.3, 1.0, 9.7, 4.5, 1e-9, "n/a", "3")
INTEGERS = (None, 2**63 - 1, -(2**63), 0, 40, 41, -7, -8, 4, 5, 2.5, "7", "x", NAN)
TEXTS = (None, "p", "q", "r", "s", "", "P", "12", "-3.0", "p%", "𝄞é")
DAYS = (None, datetime.date(1, 1, 1), datetime.date(9999, 12, 31), "2024-02-30", "2024-02-29")


def contents(dice: Random) -> Row:
    """A row of nobody's: each cell ordinary or hostile."""

    def number(hostile: Sequence[object], ordinary: object) -> object:
        return dice.choice(hostile) if dice.random() < 0.4 else ordinary

    return {
        "x": number(FLOATS, dice.uniform(-6, 13)),
        "y": number(FLOATS, dice.uniform(-1, 12)),
        "a": number(INTEGERS, dice.randint(-10, 50)),
        "b": number(INTEGERS, dice.randint(-10, 8)),
        "raw": number(FLOATS, dice.uniform(-6, 13)),
        "k": dice.choice(TEXTS),
        "o": dice.choice(TEXTS),
        "z": number(INTEGERS, dice.randint(-1, 5)),
        "f": dice.choice((None, True, False)),
        "d": number(DAYS, datetime.date(2023, 12, 20) + datetime.timedelta(dice.randint(0, 110))),
        "t": dice.choice(TEXTS),
        "person": None,
    }


@dataclass(frozen=True)
class Pair:
    """Two neighbouring tables."""

    here: list[Row]
    there: list[Row]


def pair_of(table: str, seed: int) -> Pair:
    """Two tables that differ in one unit with all its rows: without it (add-remove), or with others (replace-one)."""
    dice, spec = Random(seed), CATALOGUE.tables[table]
    replaced = spec.relation is Relation.REPLACE_ONE

    def rows_of(who: int | None, limit: int) -> list[Row]:
        return [{**contents(dice), "person": who} for _ in range(dice.randint(1, limit))]

    if spec.unit.is_row:
        others = [contents(dice) for _ in range(UNITS - 1 if replaced else dice.randint(0, 5))]
        ours, theirs = [contents(dice)], [contents(dice)]
    else:
        people = [*range(1, UNITS), None] if replaced else [1, 2, None]
        others = [row for who in people for row in rows_of(who, ROWS + 1)]
        ours, theirs = rows_of(0, ROWS + 3), rows_of(0, ROWS + 3)
    at = dice.randint(0, len(others))
    here, there = ([*others[:at], *own, *others[at:]] for own in (ours, theirs if replaced else []))
    return Pair(here, there)


def looked(plan: Group, rows: list[Row]) -> NDArray[np.int64]:
    """The exact integers of a look, by the executable specification."""
    table = plan.source
    while not isinstance(table, Scan):
        table = table.source
    ranks = {} if table.unit.is_row else {table.table: index_by_column(rows, "person", TYPES, KEY)}
    return reveal(ReferenceEngine({table.table: rows}, ranks).execute(plan))


def exact(question: Prepared, rows: list[Row]) -> list[list[int]]:
    """The exact integers of each statistic."""
    return looked(question.plan, rows).tolist()


# ------------------------------------------------------------------------------------------------ how far it moved


@dataclass(frozen=True)
class Movement:
    """How far one statistic moved over all cells."""

    l0: int
    linf: int
    l1: int
    l2_squared: int

    @classmethod
    def between(cls, here: list[int], there: list[int]) -> Movement:
        apart = [abs(a - b) for a, b in zip(here, there, strict=True)]
        return cls(sum(d > 0 for d in apart), max(apart, default=0), sum(apart), sum(d * d for d in apart))


def movements(question: Prepared, pair: Pair) -> list[Movement]:
    return [
        Movement.between(here, there)
        for here, there in zip(exact(question, pair.here), exact(question, pair.there), strict=True)
    ]


def breaches(question: Prepared, pair: Pair) -> list[str]:
    """What moved further than lapcat says one unit can move it; empty where the claim holds."""
    messages, together, squares = [], Fraction(0), Fraction(0)
    moved = movements(question, pair)
    for label, fact, own in zip(question.labels, question.facts.statistics, moved, strict=True):
        claimed = fact.sensitivity
        for name in ("l0", "linf", "l1", "l2_squared"):
            if getattr(own, name) > getattr(claimed, name):
                messages.append(
                    f"{label.label}: {name} moved by {getattr(own, name)}, claimed {getattr(claimed, name)}"
                )
        if claimed.l1 > 0:
            together += Fraction(own.l1) / claimed.l1
            squares += Fraction(own.l2_squared) / claimed.l2_squared
    # each part is at most 1 of its bound, so if all are at most `most`, no weights lift them above the `most` largest
    if max(together, squares) > question.facts.max_affected:
        messages.append(
            f"together: {together}, squared {squares} of their own bounds, claimed {question.facts.max_affected}"
        )
    for choice in question.choices:
        apart = int(np.abs(looked(choice.plan, pair.here) - looked(choice.plan, pair.there)).sum())
        if apart > choice.moved:
            messages.append(f"{choice.label}: its counts moved by {apart}, claimed {choice.moved}")
    whole = question.sensitivity
    if whole is not None:  # all statistics in one unit of measure: the vector as a whole
        steps = [label.step for label in question.labels]
        l1 = sum((own.l1 * step for own, step in zip(moved, steps, strict=True)), Fraction(0))
        l2 = sum((own.l2_squared * step**2 for own, step in zip(moved, steps, strict=True)), Fraction(0))
        if l1 > whole.l1 or l2 > whole.l2_squared:
            messages.append(f"the question: l1 {l1} of {whole.l1}, l2 squared {l2} of {whole.l2_squared}")
    return messages


# ------------------------------------------------------------------------------------------------ questions


def written(pieces: str) -> st.SearchStrategy[str]:
    """One of the pieces of SQL between the semicolons."""
    return st.sampled_from([" ".join(piece.split()) for piece in pieces.split(";")])


NUMBERS = st.sampled_from(["-3.5", "0", "1", "2", "4.5", "9.7", "10.3", "11", "40", "1e308", "-1e-9"])
WORDS = st.sampled_from(["'p'", "'q'", "'r'", "'s'", "''", "'12'"])
MOMENTS = st.sampled_from(["'2024-01-31'", "'2024-03-01'", "'2023-12-31'"])
OPERATORS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
NUMERIC = st.sampled_from(["x", "y", "a", "b", "raw", "z", "person"])
ATOMS = st.one_of(
    st.tuples(NUMERIC, OPERATORS, NUMBERS).map(" ".join),
    st.tuples(st.sampled_from(["k", "o", "t"]), OPERATORS, WORDS).map(" ".join),
    st.tuples(st.just("d"), OPERATORS, MOMENTS).map(" ".join),
    st.tuples(NUMERIC, OPERATORS, NUMERIC).map(" ".join),
    st.tuples(NUMERIC, st.just("BETWEEN 1 AND"), NUMBERS).map(" ".join),
    st.tuples(st.sampled_from(["k", "t"]), WORDS, WORDS).map(lambda s: f"{s[0]} IN ({s[1]}, {s[2]})"),
    st.sampled_from([*TYPES]).map(lambda name: f"{name} IS NULL"),
    written(
        """f; f IS TRUE; t LIKE 'p%'; t LIKE '_'; x + y > 3; x / a < 0.2; CAST(t AS DOUBLE) > 1; ABS(x) > 2;
        FLOOR(raw) = 1; CLAMP(x, 0, 5) >= 2; COALESCE(a, 3) = 3; MONTH(d) = 2; LEAST(x, y) < 1;
        CASE WHEN f THEN x ELSE a END > 1; z NOT IN (0, 3); BUCKETS(y) >= 4; TRUE"""
    ),
    written(
        """LOWER(t) = 'p'; t ILIKE 'P%'; TRIM(t) <> ''; LEFT(t, 1) = 'p'; LENGTH(t) > 1; POSITION('p' IN t) = 1;
        t || k = 'pq'; REPLACE(t, 'p', 'qq') LIKE 'q%'; SPLIT_PART(t, '-', 2) = '3.0'; t LIKE 'p!%' ESCAPE '!';
        d + INTERVAL 1 MONTH > DATE '2024-03-01'; d - DATE '2024-01-31' > 7; STRFTIME(d, '%m') = '02'; NULLIF(a, 3) IS NULL"""
    ),
)
PREDICATES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda s: f"({s[0]} {s[1]} {s[2]})"),
        inner.map(lambda p: f"NOT ({p})"),
    ),
    max_leaves=3,
)
VALUES = st.one_of(
    written("x; y; a; b; f"),
    written(
        """x + y; x - b; a * b; x * y; y / 2; -x; 2 - a; ABS(x); ROUND(y); CEIL(x); FLOOR(y / 3); LEAST(x, y);
        GREATEST(a, b); CLAMP(raw, -1, 4); CLAMP(x, 2, 30); CLAMP(raw, -1e12, 3e-5); COALESCE(x, 1); COALESCE(a, 50);
        CLAMP(CAST(t AS BIGINT), 0, 9); CAST(x AS BIGINT); x > 2; WIDTH_BUCKET(raw, 0, 10, 5);
        EXTRACT(month FROM d); CAST(f AS BIGINT) * y; a / y; CAST(a AS DOUBLE); BUCKETS(x, 6)"""
    ),
    written(
        """LENGTH(t); CLAMP(LENGTH(t), 0, 5); POSITION('p' IN t || k); DATE '2024-03-31' - d; d - DATE '2024-01-31';
        DATE_DIFF('month', d, DATE '2024-05-01'); CLAMP(DATE_DIFF('day', d, d + INTERVAL 2 MONTH), 0, 70); a % 7; NULLIF(a, 3)"""
    ),
    st.tuples(
        PREDICATES, st.sampled_from(["x", "a", "1", "y"]), st.sampled_from(["y", "b", "-2", "0.5"])
    ).map(lambda s: f"CASE WHEN {s[0]} THEN {s[1]} ELSE {s[2]} END"),
    PREDICATES.map(lambda p: f"CASE WHEN {p} THEN x END"),
)
GROUPS = st.one_of(
    written(
        """UPPER(k); k || '-' || z; COALESCE(k, 'none'); LEFT(k, 1); STRFTIME(d, '%m'); MONTHNAME(d); CLAMP(LENGTH(t), 0, 3);
        DATE_TRUNC('month', d + INTERVAL 1 MONTH); CASE WHEN f THEN k ELSE 'none' END; a % 3"""
    ),
    written("k; o; z; f; b; FLOOR(a / 10); MONTH(d); x > 2; ROUND(y); WIDTH_BUCKET(x, 0, 9, 3)"),
    written("BUCKETS(a); BUCKETS(x, 7); BUCKETS(y, 30); BUCKETS(d, 5); BUCKETS(CLAMP(raw, 0, 1), 3); 3 * z"),
    PREDICATES.map(lambda p: f"CASE WHEN {p} THEN 'u' WHEN f THEN 'v' END"),
)
AGGREGATES = st.one_of(
    st.just("COUNT(*)"),
    st.one_of(VALUES, st.sampled_from(["t", "k", "raw", "d"])).map(lambda v: f"COUNT({v})"),
    VALUES.map(lambda v: f"SUM({v})"),
    VALUES.map(lambda v: f"AVG({v})"),
    st.tuples(written("MEDIAN; MIN; MAX"), VALUES).map(lambda s: f"{s[0]}({s[1]})"),
    st.tuples(VALUES, written("0.1; 0.5; 0.99")).map(lambda s: f"QUANTILE_CONT({s[0]}, {s[1]})"),
    written("MODE(k); MODE(z); MODE(f); APPROX_TOP_K(k, 2); MODE(x > 2)"),
    st.tuples(written("VAR_POP; VARIANCE; STDDEV_POP; STDDEV"), VALUES).map(lambda s: f"{s[0]}({s[1]})"),
    st.tuples(written("COVAR_POP; COVAR_SAMP; CORR; REGR_SLOPE; REGR_INTERCEPT"), VALUES, VALUES).map(
        lambda s: f"{s[0]}({s[1]}, {s[2]})"
    ),
)
FILTERED = st.one_of(
    AGGREGATES, st.tuples(AGGREGATES, PREDICATES).map(lambda s: f"{s[0]} FILTER (WHERE {s[1]})")
)


@st.composite
def questions(draw: st.DrawFn, table: str) -> str:
    groups = draw(st.one_of(st.just([]), st.lists(GROUPS, max_size=2, unique=True)))
    outputs = draw(st.lists(FILTERED, min_size=1, max_size=3))
    where = draw(st.one_of(st.just(""), PREDICATES.map(lambda p: f" WHERE {p}")))
    by = f" GROUP BY {', '.join(groups)}" if groups else ""
    return f"SELECT {', '.join(f'{o} AS c{i}' for i, o in enumerate(outputs))} FROM {table}{where}{by}"


def without_bound(question: Prepared) -> Prepared:
    """The same question with the limit of rows per unit taken out of the query, but not out of the claim."""
    from lapcat.plan.nodes import Filter, LimitRows, Rows, WeightRows

    def strip(rows: Rows) -> Rows:
        match rows:
            case Filter(source, predicate):
                return Filter(strip(source), predicate)
            case LimitRows(source, _) | WeightRows(source, _):
                return source
            case _:
                return rows

    return replace(question, plan=replace(question.plan, source=strip(question.plan.source)))
