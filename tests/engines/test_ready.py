"""Integers that `refresh` writes already weighed are those that a question would compute, or are not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.base.weights import SUM, WEIGHT, Ready, declared_ready
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.plan.bounding import UNIT_WEIGHT
from lapcat.plan.expressions import Clamp, Column, Compare, Literal
from lapcat.plan.grids import count_statistic, sum_statistic
from lapcat.plan.nodes import Filter, Group, GroupKey, Kind, Scan, Statistic, WeightRows
from lapcat.plan.schema import Bounds, ColumnSpec, Table, Type, Unit
from lapcat.session.files import open_deployment, refresh
from tests.engines.holding import KEY, Rows, arrow, declared, looked, reference

TYPES = {
    "who": Type.TEXT,
    "s": Type.TEXT,
    "x": Type.FLOAT,
    "y": Type.FLOAT,
    "i": Type.INTEGER,
    "j": Type.INTEGER,
}
SPECS = {
    "x": ColumnSpec("x", Type.FLOAT, Bounds(Fraction(-7, 2), Fraction(10))),
    "y": ColumnSpec("y", Type.FLOAT, Bounds(Fraction(0), Fraction(1)), null=Fraction(1, 4)),
    "i": ColumnSpec(
        "i", Type.INTEGER, Bounds(Fraction(-3), Fraction(8))
    ),  # its middle lies between two integers
    "j": ColumnSpec("j", Type.INTEGER, Bounds(Fraction(-(2**62)), Fraction(2**62))),
}


def people(rows_per_unit: int = 2, **specs: ColumnSpec) -> Table:
    plain = declared(TYPES, unit="who")
    return replace(plain, columns={**plain.columns, **SPECS, **specs}, rows_per_unit=rows_per_unit)


def write(folder: Path, rows: Rows, table: Table) -> Path:
    pq.write_table(arrow(rows, TYPES), folder / "t.parquet")
    path = folder / "cache" / "t.parquet"
    write_snapshot(parse_source("t.parquet", folder), table, path, KEY)
    return path


def engine(folder: Path, path: Path, table: Table) -> DuckDBEngine:
    return DuckDBEngine({"t": OpenTable(table, parse_source("t.parquet", folder), path)}, threads=2)


def question(table: Table, where: bool = False) -> Group:
    """Counts and sums of all declared numbers, as averages need them."""
    rows = WeightRows(
        Scan("t", "t", 1, Unit("who"), table.relation, None, rows_per_unit=table.rows_per_unit),
        table.rows_per_unit,
    )
    ready = declared_ready([*table.columns.values()], table.rows_per_unit)
    assert ready is not None and set(ready.sums) == set(SPECS)
    small = Compare("<", Column("x", Type.FLOAT), Literal(4.0, Type.FLOAT))
    statistics: list[Statistic] = [Statistic(Kind.ROWS, unit_weight=UNIT_WEIGHT)]
    for held in ready.sums.values():
        statistics += [held, count_statistic(held.value, None, UNIT_WEIGHT), replace(held, filter=small)]
    keys = (GroupKey("s", Column("s", Type.TEXT), ("a", "b"), other=True),)
    return Group(Filter(rows, small) if where else rows, keys, tuple(statistics))


def reads_ready(engine: DuckDBEngine, plan: Group) -> set[str]:
    """The declared numbers whose ready integers the statement adds up; '' for the weight."""
    sql = engine._statement(plan).sql.partition('"picked"')[2]
    return {name for name in SPECS if f'"{SUM}{name}"' in sql} | ({""} if f'"{WEIGHT}"' in sql else set())


floats = st.sampled_from([None, 0.0, -0.0, 1.5, -2.25, 9.99, -1e-300, 1e308, -1e308]) | st.floats(width=32)
integers = st.none() | st.integers(-5, 12) | st.sampled_from([2**62 + 1, -(2**63), 2**53 + 1])
rows_of_people = st.lists(
    st.tuples(st.sampled_from(["ada", "bob", "heavy", "heavy", "heavy", None]), st.sampled_from(["a", "b", "c", None]), floats, floats, integers, integers),
    max_size=40,
)  # fmt: skip


def named(rows: Sequence[tuple[Any, ...]]) -> list[dict[str, object]]:
    return [dict(zip(TYPES, row, strict=True)) for row in rows]


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(rows_of_people, st.integers(1, 3), st.booleans())
def test_ready_integers_are_those_that_a_question_computes(
    tmp_path: Path, some: list[tuple[Any, ...]], rows_per_unit: int, where: bool
) -> None:
    rows, table = named(some), people(rows_per_unit)
    path, plan = write(tmp_path, rows, table), question(table, where)
    expected = looked(reference(rows, table), plan).tolist()
    ready = engine(tmp_path, path, table)
    assert reads_ready(ready, plan) == {"", *SPECS}
    assert looked(ready, plan).tolist() == expected
    computing = engine(tmp_path, path, table)
    relation, types = computing._open("t")
    computing._opened["t"] = replace(relation, ready=None), types
    assert reads_ready(computing, plan) == set()
    assert looked(computing, plan).tolist() == expected


@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
@given(rows_of_people, st.booleans())
def test_so_are_those_of_rows_that_are_units_of_their_own(
    tmp_path: Path, some: list[tuple[Any, ...]], where: bool
) -> None:
    rows, table = named(some), replace(people(1), unit=Unit())
    held = declared_ready([*table.columns.values()], None)
    assert held is not None and set(held.sums) == set(SPECS)
    small = Compare("<", Column("x", Type.FLOAT), Literal(4.0, Type.FLOAT))
    statistics: list[Statistic] = [Statistic(Kind.ROWS)]
    for each in held.sums.values():
        statistics += [each, count_statistic(each.value, None), replace(each, filter=small)]
    scan = Scan("t", "t", 1, Unit(), table.relation, None)
    keys = (GroupKey("s", Column("s", Type.TEXT), ("a", "b"), other=True),)
    plan = Group(Filter(scan, small) if where else scan, keys, tuple(statistics))
    path = write(tmp_path, rows, table)
    expected = looked(reference(rows, table), plan).tolist()
    ready, computing = engine(tmp_path, path, table), engine(tmp_path, path, table)
    assert reads_ready(ready, plan) == set(SPECS)
    assert looked(ready, plan).tolist() == expected
    relation, types = computing._open("t")
    computing._opened["t"] = replace(relation, ready=None), types
    assert reads_ready(computing, plan) == set()
    assert looked(computing, plan).tolist() == expected


def test_the_rows_of_a_person_of_a_hundred_thousand_are_weighed_as_the_reference_does(tmp_path: Path) -> None:
    some = [
        ("heavy", "ab"[n % 2], n / 7 - 3, None if n % 3 else 0.5, n % 13 - 3, n * 2**40)
        for n in range(100_000)
    ]
    rows, table = named([*some, ("ada", "a", 1.0, 1.0, 1, 1)]), people(3)
    ready, plan = engine(tmp_path, write(tmp_path, rows, table), table), question(table)
    plan = replace(
        plan, statistics=(plan.statistics[0], *(s for s in plan.statistics if s.grid and not s.filter))
    )
    assert reads_ready(ready, plan) == {"", *SPECS}
    assert looked(ready, plan).tolist() == looked(reference(rows, table), plan).tolist()


ROWS = named(
    [
        (who, s, x, x, i, i)
        for who in ("ada", "bob")
        for s in "abc"
        for i, x in enumerate([-9.0, 0.5, None, 9.0, 1e9])
    ]
)
CHANGED: dict[str, tuple[Table, set[str]]] = {
    "another limit": (people(3), set()),
    "wider bounds": (people(x=replace(SPECS["x"], bounds=Bounds(Fraction(-4), Fraction(11)))), {"", "y", "i", "j"}),
    "narrower bounds": (people(i=replace(SPECS["i"], bounds=Bounds(Fraction(0), Fraction(8)))), {"", "x", "y", "j"}),
    "NULL counts": (people(x=replace(SPECS["x"], null=Fraction(2))), {"", "y", "i", "j"}),
    "NULL counts otherwise": (people(y=replace(SPECS["y"], null=Fraction(1))), {"", "x", "i", "j"}),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGED)
def test_a_catalogue_that_changed_since_refresh_gets_the_integers_that_it_declares(
    change: str, tmp_path: Path
) -> None:
    path = write(tmp_path, ROWS, people())
    now, still = CHANGED[change]
    changed, plan = engine(tmp_path, path, now), question(now)
    assert looked(changed, plan).tolist() == looked(reference(ROWS, now), plan).tolist()
    assert reads_ready(changed, plan) == still


def test_what_the_question_clamps_itself_is_computed(tmp_path: Path) -> None:
    table = people()
    asked = engine(tmp_path, write(tmp_path, ROWS, table), table)
    narrow = Clamp(Column("x", Type.FLOAT), Literal(0.0, Type.FLOAT), Literal(1.0, Type.FLOAT), Type.FLOAT)
    for value, centred in ((narrow, True), (declared_ready([SPECS["x"]], 2).sums["x"].value, False)):  # type: ignore[union-attr]
        assert value is not None
        plan = replace(question(table), statistics=(sum_statistic(value, None, centred=centred),))
        assert looked(asked, plan).tolist() == looked(reference(ROWS, table), plan).tolist()
        assert reads_ready(asked, plan) == set()


def test_a_limit_that_no_weight_fits_has_no_ready_integers() -> None:
    assert declared_ready([SPECS["x"]], 2**30 + 1) is None
    ready = declared_ready([SPECS["x"]], 2**30)
    assert ready is not None and ready.as_written({}) is None
    assert ready.as_written(ready.header()) == ready
    assert Ready(1, 2, {}).as_written(ready.header()) is None


def test_a_question_of_the_analyst_reads_what_refresh_made_ready(tmp_path: Path) -> None:
    """The grid of refresh is the grid of the front end: else nothing would be wrong but the time it takes."""
    (tmp_path / "t.csv").write_text("who,s,x,i\nada,a,1.5,3\nada,b,2.5,4\nbob,a,,5\n")
    (tmp_path / "lapcat.toml").write_text(
        """
[tables.t]
source = "t.csv"
unit = "who"
rows_per_unit = 2
budget = { epsilon = 5 }
[tables.t.columns]
s = { type = "text", keys = ["a", "b"] }
x = { type = "float", low = -3.5, high = 10, null = 0.1 }
i = { type = "integer", low = -3, high = 8 }
"""
    )
    deployment = open_deployment(tmp_path / "lapcat.toml")
    deployment.require_acceptance()
    refresh(deployment, "t")
    seen: list[str] = []
    session = lapcat.open(tmp_path / "lapcat.toml")
    honest = DuckDBEngine._statement

    def noting(self: DuckDBEngine, plan: Group) -> Any:
        statement = honest(self, plan)
        seen.append(statement.sql)
        return statement

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDBEngine, "_statement", noting)
        session.sql("SELECT s, COUNT(*) AS n, AVG(x) AS x, AVG(i) AS i FROM t WHERE i < 5 GROUP BY s").run(
            epsilon=1
        )
    picked = seen[-1].partition('"picked"')[2]
    assert (
        f'"{SUM}x"' in picked and f'"{SUM}i"' in picked and f'"{WEIGHT}"' in picked and "FLOOR" not in picked
    )
