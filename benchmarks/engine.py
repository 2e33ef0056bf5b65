"""The cost of executing a plan over ten million rows, relative to the same SQL without privacy.

    python benchmarks/engine.py [--rows 10000000] [--repeats 9]

Each figure is the best of several rounds; in a round every statement runs once, so that other load slows all alike. The
ratio of CPU times is shown beside the ratio of wall-clock times, since other programs disturb it less.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import duckdb

from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.base.sources import Source
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.plan.expressions import Bucket, Clamp, Column, Literal
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Group, GroupKey, Kind, LimitRows, Rows, Scan, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Relation, SpendingLimit, Table, Type, Unit

REGIONS = tuple(f"region {n:02}" for n in range(50))
BUCKETS = 1_000_000
COLUMNS = {
    "person_id": Type.INTEGER,
    "region": Type.TEXT,
    "day": Type.DATE,
    "salary": Type.FLOAT,
    "smoker": Type.BOOLEAN,
    "bucket": Type.INTEGER,
}


def generate(path: Path, rows: int) -> None:
    """Deterministic rows: ten per person, salaries without NULL, a million buckets."""
    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (SELECT (hash(i * 7 + 1) % {max(1, rows // 10)})::BIGINT AS person_id,
                             'region ' || lpad((hash(i) % 50)::VARCHAR, 2, '0') AS region,
                             DATE '2020-01-01' + (hash(i + 3) % 1000)::INTEGER AS day,
                             20000 + 180000 * ((hash(i * 3 + 11) % 1000003) / 1000003.0::DOUBLE) AS salary,
                             hash(i * 5) % 3 = 0 AS smoker,
                             (hash(i * 13) % {BUCKETS})::BIGINT AS bucket
                      FROM range({rows}) AS r(i)) TO '{path}'"""
        )


@dataclass(frozen=True)
class Took:
    """Wall-clock seconds and CPU seconds."""

    waited: float
    worked: float

    def best(self, other: Took) -> Took:
        return Took(min(self.waited, other.waited), min(self.worked, other.worked))


def took(work: Callable[[], object]) -> Took:
    waited, worked = time.perf_counter(), time.process_time()
    work()
    return Took(time.perf_counter() - waited, time.process_time() - worked)


def best_of(repeats: int, asked: dict[str, Callable[[], object]]) -> dict[str, Took]:
    times = {name: took(ask) for name, ask in asked.items()}
    for _ in range(repeats):
        for name, ask in asked.items():
            times[name] = times[name].best(took(ask))
    return times


def plans(rows: Rows) -> dict[str, Group]:
    salary = Column("salary", Type.FLOAT)
    low, high = Literal(20000.0, Type.FLOAT), Literal(200000.0, Type.FLOAT)
    clamped = Clamp(salary, low, high, Type.FLOAT)
    three = (
        Statistic(Kind.ROWS),
        Statistic(Kind.PRESENT, clamped),
        sum_statistic(clamped, None, centred=True),  # on the grid of a real question
    )
    bucket, wide = Column("bucket", Type.INTEGER), Bucket(salary, 20000.0, 200000.0, 1000)
    return {
        "COUNT, SUM, AVG by region": Group(
            rows, (GroupKey("region", Column("region", Type.TEXT), REGIONS),), three
        ),
        "1 000 000 buckets": Group(
            rows, (GroupKey("bucket", bucket, range(BUCKETS)),), (Statistic(Kind.ROWS),)
        ),
        "1 000 salary bands": Group(rows, (GroupKey("band", wide, range(1, 1001)),), (Statistic(Kind.ROWS),)),
    }


def declared(unit: Unit, *, bounds: bool = True) -> tuple[Table, Scan]:
    columns = {name: ColumnSpec(name, kind) for name, kind in COLUMNS.items()}
    if bounds:
        columns["salary"] = ColumnSpec("salary", Type.FLOAT, Bounds(Fraction(20000), Fraction(200000)))
    table = Table(
        "t", "t.parquet", unit, Relation.ADD_REMOVE, SpendingLimit(Fraction(1)), columns, rows_per_unit=5
    )
    return table, Scan("t", "t.parquet", 1, unit, table.relation, None)


def small_overhead(folder: Path) -> float:
    """Seconds to execute a plan over a thousand rows."""
    generate(folder / "small.parquet", 1000)
    table, scan = declared(Unit())
    source, path = parse_source("small.parquet", folder), folder / "cache" / "small.1.parquet"
    write_snapshot(source, table, path, bytes(32))
    engine = DuckDBEngine({"t": OpenTable(table, source, path)})
    plan = plans(scan)["COUNT, SUM, AVG by region"]
    return best_of(30, {"plan": lambda: engine.execute(plan)})["plan"].waited


def report(folder: Path, rows: int, repeats: int) -> None:
    generate(folder / "t.parquet", rows)
    source: Source = parse_source("t.parquet", folder)
    file = f"read_parquet('{folder}/t.parquet')"
    plain = duckdb.connect()
    by_row, scan = declared(Unit())
    asked = plans(scan)

    copying = took(lambda: plain.execute(f"COPY (SELECT * FROM {file}) TO '{folder}/copy.parquet'"))
    rows_held = folder / "cache" / "r.1.parquet"
    writing = took(lambda: write_snapshot(source, by_row, rows_held, bytes(32)))
    engine = DuckDBEngine({"t": OpenTable(by_row, source, rows_held)})
    clamped_rows, clamped_held = declared(Unit(), bounds=False)[0], folder / "cache" / "c.1.parquet"
    write_snapshot(source, clamped_rows, clamped_held, bytes(32))
    clamping = DuckDBEngine({"t": OpenTable(clamped_rows, source, clamped_held)})
    by_person, person_scan = declared(Unit("person_id"))
    snapshot = folder / "cache" / "t.1.parquet"
    refreshing = took(lambda: write_snapshot(source, by_person, snapshot, bytes(32)))
    bounded = DuckDBEngine({"t": OpenTable(by_person, source, snapshot)})
    bounded_plan = plans(LimitRows(person_scan, 5))["COUNT, SUM, AVG by region"]

    def sql(text: str) -> Callable[[], object]:
        return lambda: plain.execute(text).fetchnumpy()

    clamp = "CASE WHEN salary < 20000 THEN 20000 WHEN salary > 200000 THEN 200000 ELSE salary END"
    regions, buckets, bands = asked.values()
    times = best_of(
        repeats,
        {
            "plain": sql(f"SELECT region, COUNT(*), SUM(salary), AVG(salary) FROM {file} GROUP BY region"),
            "clamp": sql(
                f"SELECT region, COUNT(*), SUM(v), AVG(v) FROM (SELECT region, {clamp} AS v FROM {file}) GROUP BY region"
            ),
            "regions": lambda: engine.execute(regions),
            "clamped": lambda: clamping.execute(regions),
            "plain buckets": sql(f"SELECT bucket, COUNT(*) FROM {file} GROUP BY bucket"),
            "buckets": lambda: engine.execute(buckets),
            "plain bands": sql(
                f"SELECT floor((salary - 20000) / 180)::BIGINT AS band, COUNT(*) FROM {file} GROUP BY band"
            ),
            "bands": lambda: engine.execute(bands),
            "person": lambda: bounded.execute(bounded_plan),
        },
    )

    def line(what: str, ours: Took, theirs: Took, target: str = "") -> None:
        ratios = f"{ours.waited / theirs.waited:6.2f} ×  ({ours.worked / theirs.worked:5.2f} × of CPU)"
        print(f"{what:<58} {ours.waited:8.3f} s {ratios}  {target}")

    print(f"{rows:,} rows of Parquet, best of {repeats}; plain GROUP BY region {times['plain'].waited:.3f} s")
    line("COUNT, SUM, AVG by region, against plain SQL", times["regions"], times["plain"], "≤ 1.5")
    line("… bounds by CLAMP in the question only", times["clamped"], times["plain"], "≤ 1.5")
    line("… the same against SQL with a CASE clamp", times["clamped"], times["clamp"], "≤ 1.3")
    line(
        "a million buckets into a dense array, against GROUP BY",
        times["buckets"],
        times["plain buckets"],
        "≤ 2",
    )
    line("a thousand salary bands, against floor and GROUP BY", times["bands"], times["plain bands"])
    line("by region, at most 5 rows per person, against plain SQL", times["person"], times["plain"])
    line("refresh with unit = row, against a plain copy", writing, copying)
    line("refresh with the contribution index, against a plain copy", refreshing, copying)
    print(f"{'a warm execution over 1 000 rows':<58} {small_overhead(folder) * 1000:8.1f} ms")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--repeats", type=int, default=9)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), given.rows, given.repeats)


if __name__ == "__main__":
    main()
