"""Units by a path of keys, unique columns and public tables, as `refresh` finds, checks and writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import HeldSnapshot, OpenTable
from lapcat.engines.base.relation import UNIT
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.router import Checked
from lapcat.engines.units import UnitPath, rank_within, resolve_units
from lapcat.engines.values import canonical_text
from lapcat.plan.schema import ColumnSpec, PublicTable, Table, Type, Unit
from lapcat.session.deployment import Deployment
from lapcat.session.files import everything, open_deployment, refresh
from tests.engines.holding import KEY, Rows, arrow, declared

ORDERS = {"order_id": Type.INTEGER, "who": Type.TEXT, "total": Type.FLOAT}
ITEMS = {"order_id": Type.INTEGER, "sku": Type.TEXT, "price": Type.FLOAT}


def unique(table: Table, column: str) -> Table:
    return replace(table, columns={**table.columns, column: replace(table.columns[column], unique=True)})


ORDERS_TABLE = unique(declared(ORDERS, unit="who", name="orders"), "order_id")
ITEMS_TABLE = replace(
    declared(ITEMS, name="items"), unit=Unit("order_id", through=("orders", "order_id")), rows_per_unit=3
)


def write(folder: Path, table: Table, rows: Rows, people: dict[str, HeldSnapshot] | None = None) -> Path:
    types = {name: spec.type for name, spec in table.columns.items()}
    pq.write_table(arrow(rows, types), folder / f"{table.name}.parquet")
    path = folder / "cache" / f"{table.name}.1.parquet"
    write_snapshot(parse_source(f"{table.name}.parquet", folder), table, path, KEY, people=people or {})
    return path


def held(path: Path) -> list[dict[str, object]]:
    return pq.read_table(path).to_pylist()


orders_rows = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from(["ada", "bob", "cy", None]), st.floats(width=16)),
    max_size=12,
    unique_by=lambda row: row[0],
)
items_rows = st.lists(
    st.tuples(
        st.none() | st.integers(1, 14), st.sampled_from(["a", "b;", ""]), st.sampled_from([0.0, -0.0, 1.5])
    ),
    max_size=30,
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(orders_rows, items_rows)
def test_units_by_a_path_of_keys_are_those_of_the_reference(
    tmp_path: Path, some_orders: list[tuple[object, ...]], some_items: list[tuple[object, ...]]
) -> None:
    orders = [dict(zip(ORDERS, row, strict=True)) for row in some_orders]
    items = [dict(zip(ITEMS, row, strict=True)) for row in some_items]
    way = UnitPath(orders, resolve_units(orders, "who", Type.TEXT), "order_id", Type.INTEGER)
    units = resolve_units(items, "order_id", Type.INTEGER, way)
    ranks = rank_within(units, items, ITEMS, KEY)

    there = {"orders": HeldSnapshot(ORDERS_TABLE, write(tmp_path, ORDERS_TABLE, orders))}
    rows = held(write(tmp_path, ITEMS_TABLE, items, there))
    assert sorted(
        (canonical_text(row, ITEMS), row[UNIT], row["_lapcat_rank"], row["_lapcat_rows"]) for row in rows
    ) == sorted(
        (canonical_text(row, ITEMS), unit, rank, units.count(unit))
        for row, unit, rank in zip(items, units, ranks, strict=True)
        if unit is not None
    )


def test_an_undeclared_unit_column_names_units_and_is_not_kept(tmp_path: Path) -> None:
    table = replace(declared({"v": Type.INTEGER}), unit=Unit("id"))
    pq.write_table(pa.table({"id": ["a", "b", "a"], "v": [1, 2, 3]}), tmp_path / "t.parquet")
    path = tmp_path / "s" / "t.parquet"
    write_snapshot(parse_source("t.parquet", tmp_path), table, path, KEY)
    assert sorted((row[UNIT], row["v"]) for row in held(path)) == [("a", 1), ("a", 3), ("b", 2)]
    assert "id" not in held(path)[0]


def test_people_who_are_declared_to_have_one_row_have_rank_one(tmp_path: Path) -> None:
    table = unique(declared({"who": Type.TEXT}, unit="who"), "who")
    rows = held(write(tmp_path, table, [{"who": who} for who in ("a", None, "b")]))
    whole = 2**20  # its weight, in steps
    assert sorted(tuple(row.values()) for row in rows) == [("a", "a", 1, 1, whole), ("b", "b", 1, 1, whole)]
    with pytest.raises(lapcat.Refused, match="key-not-unique"):
        write(tmp_path, table, [{"who": "a"}, {"who": "a"}])


def test_rows_of_low_rank_come_first(tmp_path: Path) -> None:
    rows = [{"order_id": n, "who": f"p{n % 7}", "total": float(n)} for n in range(100)]
    ranks = [row["_lapcat_rank"] for row in held(write(tmp_path, ORDERS_TABLE, rows))]
    assert ranks == sorted(ranks)


def test_a_repeated_key_refuses_the_version_and_shows_no_value(tmp_path: Path) -> None:
    rows = [{"order_id": n, "who": "ada", "total": 1.0} for n in (1, 2, None, None)]
    path = write(tmp_path, ORDERS_TABLE, rows)
    before = path.read_bytes()
    with pytest.raises(lapcat.Refused, match="2 rows repeat") as refusal:
        write(tmp_path, ORDERS_TABLE, [*rows, *rows])
    assert refusal.value.code == "key-not-unique" and refusal.value.fix
    assert path.read_bytes() == before and [p.name for p in path.parent.iterdir()] == [path.name]


def test_people_of_another_type_are_refused(tmp_path: Path) -> None:
    orders = HeldSnapshot(
        ORDERS_TABLE, write(tmp_path, ORDERS_TABLE, [{"order_id": 1, "who": "7", "total": 1.0}])
    )
    visits = declared({"who": Type.INTEGER}, unit="who", name="visits")
    with pytest.raises(lapcat.BadQuery, match="is integer, and the unit of orders is text") as problem:
        write(tmp_path, visits, [{"who": 7}], {"orders": orders})
    assert problem.value.code == "unit-type" and 'who = { type = "text" }' in problem.value.fix
    by_text = replace(
        ITEMS_TABLE, columns={**ITEMS_TABLE.columns, "order_id": ColumnSpec("order_id", Type.TEXT)}
    )
    with pytest.raises(lapcat.BadQuery, match=r"is text, and orders\.order_id is integer"):
        write(tmp_path, by_text, [{"order_id": "1", "sku": "a", "price": 1.0}], {"orders": orders})


def test_a_public_table_is_opened_from_its_snapshot_alone(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("region,size\nnorth,1\nsouth,x\n")
    specs = [ColumnSpec("region", Type.TEXT, unique=True), ColumnSpec("size", Type.INTEGER)]
    table = PublicTable("regions", "regions.csv", {spec.name: spec for spec in specs})
    source, path = parse_source("regions.csv", tmp_path), tmp_path / "cache" / "regions.1.parquet"
    write_snapshot(source, table, path, KEY)
    assert held(path) == [{"region": "north", "size": 1}, {"region": "south", "size": None}]
    relation, types = DuckDBEngine({"regions": OpenTable(table, source, path)})._open("regions")
    assert types == {"region": Type.TEXT, "size": Type.INTEGER} and not relation.ranked
    with pytest.raises(lapcat.EngineFailed, match="snapshot-missing"):
        DuckDBEngine({"regions": OpenTable(table, source, tmp_path / "gone.parquet")})._open("regions")


# ------------------------------------------------------------------------------------------------ deployments

SHOP = """\
[tables.items]
source = "items.csv"
unit = { column = "order_id", through = "orders.order_id" }
rows_per_unit = 5
budget = { epsilon = 3 }

[tables.items.columns]
sku = { type = "text" }
order_id = { type = "integer" }

[tables.orders]
source = "duckdb:shop.db#orders"
unit = "person_id"
rows_per_unit = 5
budget = { epsilon = 3 }

[tables.orders.columns]
order_id = { type = "integer", unique = true }

[tables.regions]
public = true
source = "regions.csv"

[tables.regions.columns]
region = { type = "text", unique = true }
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Deployment]:
    (tmp_path / "lapcat.toml").write_text(SHOP)
    (tmp_path / "items.csv").write_text("order_id,sku\n1,a\n1,b\n2,c\n3,d\n9,e\n,f\n")
    (tmp_path / "regions.csv").write_text("region\nnorth\nsouth\n")
    with duckdb.connect(str(tmp_path / "shop.db")) as connection:
        connection.execute(
            "CREATE TABLE orders AS SELECT * FROM (VALUES (1, 10), (2, 10), (3, NULL)) t(order_id, person_id)"
        )
    yield open_deployment(tmp_path / "lapcat.toml")


def snapshot(shop: Deployment, name: str) -> Path:
    table = everything(shop.catalogue)[name]
    identity = shop.identity(table)
    return shop.tables.snapshot(identity, table, shop.ledger.version(identity))  # type: ignore[attr-defined]


def test_a_table_is_refreshed_after_the_one_that_its_units_are_reached_through(shop: Deployment) -> None:
    with pytest.raises(lapcat.BadQuery, match="never-refreshed") as problem:
        refresh(shop, "items")
    assert problem.value.fix == "lapcat refresh orders"
    assert list(everything(shop.catalogue)) == ["orders", "items", "regions"]
    assert [refresh(shop, name) for name in everything(shop.catalogue)] == [
        1,
        2,
        1,
    ]  # a refused refresh uses up its number
    assert sorted((row["sku"], row[UNIT], row["_lapcat_rows"]) for row in held(snapshot(shop, "items"))) == [
        ("a", 10, 3),
        ("b", 10, 3),
        ("c", 10, 3),
    ]


def test_a_refused_version_is_not_declared_and_the_old_one_stays(shop: Deployment, tmp_path: Path) -> None:
    refresh(shop, "regions")
    before = snapshot(shop, "regions")
    (tmp_path / "regions.csv").write_text("region\nnorth\nnorth\n")
    with pytest.raises(lapcat.Refused, match="key-not-unique"):
        refresh(shop, "regions")
    assert snapshot(shop, "regions") == before and before.exists()
    assert [path.name for path in before.parent.iterdir()] == [before.name]


def test_the_engine_of_a_deployment_opens_public_tables_too(shop: Deployment) -> None:
    for name in everything(shop.catalogue):
        refresh(shop, name)
    checked = shop.engine([shop.scan(shop.catalogue.tables["items"])])
    assert isinstance(checked, Checked)
    engine = checked._engine
    assert isinstance(engine, DuckDBEngine)
    assert engine._open("regions")[1] == {"region": Type.TEXT}
    assert engine._open("items")[1] == {"sku": Type.TEXT, "order_id": Type.INTEGER, UNIT: Type.INTEGER}


def test_a_source_is_not_private_and_public_at_once(tmp_path: Path) -> None:
    (tmp_path / "lapcat.toml").write_text(SHOP.replace("regions.csv", "items.csv"))
    with pytest.raises(lapcat.BadQuery, match="meaning-differs"):
        open_deployment(tmp_path / "lapcat.toml")
