"""What may be done with a released table for free."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.cli.answers import answer_lines
from lapcat.core.loss import PureDP
from lapcat.plan.aggregates import AVG, COUNT, Argument, Estimates
from lapcat.plan.compile import ComputedColumn, KeyColumn, ValueColumn
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Cast,
    Clamp,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
)
from lapcat.plan.nodes import Group, GroupKey, Scan
from lapcat.plan.released import After, Order, tabulate
from lapcat.plan.schema import Relation, Type, Unit
from lapcat.session.budgets import Budget
from lapcat.session.results import Answer, Receipt
from tests.e2e.test_drawing import screen, text

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type
PEOPLE = Scan("people", "people", 1, Unit(), Relation.ADD_REMOVE, None)


def lit(value: Any) -> Literal:
    kinds = {bool: BOOL, int: INT, float: FLOAT, str: TEXT}
    return Literal(value, kinds[type(value)])


def counted(name: str, test: Expression | None = None) -> ValueColumn:
    return ValueColumn(name, COUNT, Argument("*", None, test, None, "" if test is None else "…"))


def averaged(name: str, column: str) -> ValueColumn:
    value = Clamp(Column(column, FLOAT), lit(0.0), lit(10.0), FLOAT)
    return ValueColumn(name, AVG, Argument(column, value, None, None))


# ------------------------------------------------------------------------------------------------ rows


def key(name: str, values: Any, kind: Type = TEXT, **more: Any) -> GroupKey:
    return GroupKey(name, Column(name, kind), values, **more)


def numbered(rows: int) -> dict[str, Estimates]:
    value = np.arange(rows, dtype=np.int64)
    return {"n": Estimates(value, value - 1, value + 1)}


def test_cells_are_the_product_of_the_keys_with_the_last_running_fastest() -> None:
    plan = Group(PEOPLE, (key("a", ("x", "y"), other=True), key("b", range(3, 6), INT)), ())
    table = tabulate(plan, (KeyColumn("b", 1), counted("n"), KeyColumn("a", 0)), numbered(9))
    product = list(itertools.product(("x", "y", "other"), (3, 4, 5)))
    assert list(table) == ["b", "n", "n_low", "n_high", "a"]
    assert list(zip(table["a"], table["b"], strict=True)) == product and table.rows == 9
    assert [field.role for field in table.fields] == ["key", "value", "low", "high", "key"]


def test_grouping_sets_follow_each_other_and_a_key_that_is_not_grouped_by_is_null() -> None:
    keys = (key("a", ("x", "y")), key("b", (True, False), BOOL), key("c", range(2), INT))
    sets = ((0, 1, 2), (0, 2), (1,), ())
    plan = Group(PEOPLE, keys, (), sets)
    columns = (KeyColumn("a", 0), KeyColumn("b", 1), KeyColumn("c", 2), counted("n"))
    wanted = [
        tuple(dict(zip(grouping, values, strict=True)).get(index) for index in range(3))
        for grouping in sets
        for values in itertools.product(*(list(keys[position].values or ()) for position in grouping))
    ]
    for after in (After(), After(offset=0, limit=99)):
        table = tabulate(plan, columns, numbered(plan.cells), None, after)
        assert list(zip(table["a"], table["b"], table["c"], strict=True)) == wanted
        assert table["n"].tolist() == list(range(plan.cells)) == list(range(table.rows))  # type: ignore[union-attr]


def test_private_combinations_are_major_and_declared_cells_minor() -> None:
    keys = (key("a", ("x", "y")), key("city", None), key("b", range(2), INT), key("zip", None, INT))
    plan = Group(PEOPLE, keys, ())
    private = (("Bern", 1), ("Bern", 7), ("Ulm", 2))
    columns = (KeyColumn("a", 0), KeyColumn("city", 1), KeyColumn("b", 2), KeyColumn("zip", 3), counted("n"))
    for after in (After(), After(limit=100)):
        table = tabulate(plan, columns, numbered(12), private, after)
        rows = list(zip(table["city"], table["zip"], table["a"], table["b"], strict=True))
        assert rows == [(*p, a, b) for p in private for a in ("x", "y") for b in range(2)]
        assert tabulate(plan, columns, numbered(0), (), after)["city"] == []
    with pytest.raises(ValueError, match="private"):
        tabulate(plan, columns, numbered(12), None)


def test_sixteen_million_cells_cost_nothing_until_somebody_looks() -> None:
    plan = Group(PEOPLE, (key("a", range(2**12), INT), key("b", range(2**12), INT)), ())
    value = np.zeros(2**24, dtype=np.int64)
    estimates = {"n": Estimates(value, value, value)}
    table = tabulate(plan, (KeyColumn("a", 0), KeyColumn("b", 1), counted("n")), estimates)
    assert table.rows == 2**24 and table["n"] is value
    assert set(table._made) == {"n"}


# ------------------------------------------------------------------------------------------------ against DuckDB

GROUPS = Group(PEOPLE, (key("a", ("x", "y", "z")), key("b", range(-2, 3), INT)), (), ((0, 1), (1,), ()))
COLUMNS = (KeyColumn("a", 0), KeyColumn("b", 1), counted("n"), averaged("v", "x"))
CELLS = GROUPS.cells
A, B, N, V = Column("a", TEXT), Column("b", INT), Column("n", INT), Column("v", FLOAT)
PIECES: list[tuple[Expression, str]] = [
    (Compare(">", N, lit(2)), "n > 2"),
    (Compare("<=", Column("v_low", FLOAT), lit(1.5)), "v_low <= 1.5"),
    (Compare("=", A, lit("x")), "a = 'x'"),
    (Compare("<", A, lit("y")), "a < 'y'"),
    (IsNull(A), "a IS NULL"),
    (Like(A, "%y%"), "a LIKE '%y%'"),
    (InList(B, (lit(1), lit(-2))), "b IN (1, -2)"),
    (Compare("<>", N, B), "n <> b"),
    (IsNull(V), "v IS NULL"),
]
SORTS: list[tuple[Expression, str]] = [
    (A, "a"),
    (B, "b"),
    (N, "n"),
    (V, "v"),
    (Absolute(B, INT), "abs(b)"),
    (Arithmetic("-", N, B, FLOAT), "n::DOUBLE - b::DOUBLE"),
    (Compare("=", A, lit("x")), "a = 'x'"),
    (Column("n_high", INT), "n_high"),
]


@st.composite
def afters(draw: st.DrawFn) -> tuple[After, str]:
    """What is done with the rows, and the same in SQL."""
    having: Expression | None = None
    sql = ""
    chosen = draw(st.lists(st.sampled_from(PIECES), max_size=3))
    if len(chosen) == 1:
        having, sql = Not(chosen[0][0]), f"WHERE NOT ({chosen[0][1]})"
    elif chosen:
        op = draw(st.sampled_from(["and", "or"]))
        having = Logic(op, tuple(piece for piece, _ in chosen))  # type: ignore[arg-type]
        sql = "WHERE " + f" {op} ".join(f"({shown})" for _, shown in chosen)
    orders, shown = [], []
    for expression, written in draw(st.lists(st.sampled_from(SORTS), max_size=3)):
        descending, first = draw(st.booleans()), draw(st.sampled_from([None, True, False]))
        orders.append(Order(expression, descending, first))
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[first]
        shown.append(f"{written} {'DESC' if descending else 'ASC'}{nulls}")
    sql += " ORDER BY " + ", ".join([*shown, "place"])  # DuckDB's sort is not stable by itself
    limit, offset = draw(st.none() | st.integers(0, 12)), draw(st.integers(0, 5))
    sql += ("" if limit is None else f" LIMIT {limit}") + f" OFFSET {offset}"
    return After(having, False, tuple(orders), limit, offset), sql


@st.composite
def released(draw: st.DrawFn) -> dict[str, Estimates]:
    whole = np.array(draw(st.lists(st.integers(-3, 6), min_size=CELLS, max_size=CELLS)), dtype=np.int64)
    real = draw(st.lists(st.sampled_from([0.0, 0.5, 1.5, 7.25, None]), min_size=CELLS, max_size=CELLS))
    mask = [value is None for value in real]
    v = np.ma.masked_array(np.array([value or 0.0 for value in real]), mask)
    return {"n": Estimates(whole, whole - 2, whole + 2), "v": Estimates(v, v - 1, v + 1)}


def asked_of_duckdb(estimates: dict[str, Estimates], sql: str) -> list[tuple[Any, ...]]:
    table = tabulate(GROUPS, COLUMNS, estimates)
    data = {name: part.tolist() if isinstance(part, np.ndarray) else part for name, part in table.items()}
    kinds = {"a": pa.string(), "b": pa.int64(), "n": pa.int64(), "v": pa.float64()}
    t = pa.table({n: pa.array(p, kinds[n.split("_")[0]]) for n, p in data.items()})
    t = t.append_column("place", pa.array(range(CELLS)))
    with duckdb.connect() as connection:
        connection.register("t", t)
        return connection.execute(sql).fetchall()


def rows_of(table: Any, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    parts = [table[name] for name in names]
    return list(zip(*(p.tolist() if isinstance(p, np.ndarray) else p for p in parts), strict=True))


@pytest.mark.patient
@given(released(), afters())
def test_having_order_and_limit_are_those_of_duckdb(
    estimates: dict[str, Estimates], case: tuple[After, str]
) -> None:
    after, sql = case
    names = ("a", "b", "n", "n_low", "n_high", "v", "v_low", "v_high")
    wanted = asked_of_duckdb(estimates, f"SELECT {', '.join(names)} FROM t {sql}")
    table = tabulate(GROUPS, COLUMNS, estimates, None, after)
    assert rows_of(table, names) == wanted and table.rows == len(wanted)


@pytest.mark.patient
@given(released(), st.integers(0, 10))
def test_distinct_keeps_the_first_of_equal_rows_of_the_shown_columns(
    estimates: dict[str, Estimates], limit: int
) -> None:
    shown = (KeyColumn("a", 0), KeyColumn("b", 1, shown=False), counted("n"), averaged("v", "x"))
    after = After(None, True, (Order(N, True),), limit)
    table = tabulate(GROUPS, shown, estimates, None, after)
    sql = f"SELECT a, n, v FROM t GROUP BY a, n, v ORDER BY n DESC, min(place) LIMIT {limit}"
    assert rows_of(table, ("a", "n", "v")) == asked_of_duckdb(estimates, sql)
    assert "b" not in table


# ------------------------------------------------------------------------------------------------ answers


def an_answer(after: After = After(), *, shown: bool = True) -> Answer:  # noqa: B008 (a frozen value)
    plan = Group(PEOPLE, (key("a", ("x", "y")), key("b", range(2), INT)), (), ((0, 1), (1,)))
    value = np.ma.masked_array(np.arange(6) * 1.5, [False, True, False, False, False, False])
    low = np.ma.masked_array(np.arange(6) * 1.5 - 1, [False, True, True, False, False, False])
    whole = np.arange(6)
    estimates = {"r": Estimates(value, low, low + 2), "n": Estimates(whole, whole - 1, whole + 1)}
    percent = ComputedColumn("r", Cast(Column("n", INT), FLOAT), (counted("n"),))
    columns = (KeyColumn("a", 0, shown), KeyColumn("b", 1, shown), percent, counted("n"))
    return Answer(
        tabulate(plan, columns, estimates, None, after),
        Fraction(95, 100),
        PureDP(Fraction(1, 5)),
        False,
        Receipt(1, "9f3c" + "0" * 60, {"table": "people"}),
        Budget({}, {}, {}),
        (),
    )


def test_nulls_are_none_in_python_and_null_in_json() -> None:
    answer = an_answer()
    assert answer["a"] == ["x", "x", "y", "y", None, None] and answer["r"][1] is None
    assert answer.rows[1] == {
        "a": "x", "b": 1, "r": None, "r_low": None, "r_high": None, "n": 1, "n_low": 0, "n_high": 2,
    }  # fmt: skip
    assert answer.rows[2]["r_low"] is None and answer.rows[2]["r"] == 3.0
    document = answer.as_json()
    assert document["rows"][4]["a"] is None  # type: ignore[index]


def test_json_and_csv_write_null_as_programs_read_it() -> None:
    import csv
    import io
    import json

    from lapcat.cli.streams import write_csv, write_json

    answer, stream = an_answer(), io.StringIO()
    write_json([answer], stream)
    assert json.loads(stream.getvalue())["rows"] == answer.as_json()["rows"]
    stream = io.StringIO()
    write_csv([answer], stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert rows[1]["r"] == "" and rows[4]["a"] == "" and rows[0]["r"] == "0.0"


def test_data_frames_have_the_nulls_and_keep_integers() -> None:
    answer = an_answer(After(order=(Order(N, True),)))
    frame = answer.to_pandas()
    assert frame["r"].isna().tolist() == [False] * 4 + [True, False] and frame["n"].dtype == np.int64
    assert frame["a"].isna().tolist() == [True, True, False, False, False, False]
    assert answer.to_polars()["r"].to_list() == answer["r"] == answer.to_arrow()["r"].to_pylist()
    assert answer.to_polars()["a"].to_list() == answer["a"] == answer.to_arrow()["a"].to_pylist()
    assert str(answer.to_arrow().schema.field("b").type) == "int64"


def test_tables_for_people_say_all_for_a_total_and_null_for_no_number() -> None:
    answer = an_answer()
    lines = repr(answer).splitlines()
    assert lines[2].split()[:5] == ["x", "1", "NULL", "[-inf,", "inf]"]
    assert lines[5].startswith("(all)")
    drawn = text(answer_lines(answer, screen(120)))
    assert drawn[5].startswith(" (all)") and "NULL" in drawn[2] and "●" in drawn[1]
    page = answer._repr_html_()
    assert "(all)" in page and page.count("<svg") == 4 + 6  # two rows of r have no interval to draw


@pytest.mark.parametrize("after", [After(limit=0), After(having=Compare("<", N, lit(-5)))])
def test_an_answer_without_rows_is_still_an_answer(after: After) -> None:
    answer = an_answer(after)
    assert len(answer) == 0 and answer.rows == [] and answer["a"] == [] and answer["r"] == []
    assert repr(answer) and answer._repr_html_() and answer_lines(answer, screen(120))
    assert len(answer.to_pandas()) == 0 and answer.as_json()["rows"] == []


def test_keys_need_not_be_shown() -> None:
    answer = an_answer(After(having=Compare("=", A, lit("y"))), shown=False)
    assert answer.columns == ["r", "r_low", "r_high", "n", "n_low", "n_high"]
    assert answer["n"] == [2, 3]
    assert text(answer_lines(answer, screen(120)))[0].split()[0] == "r"
