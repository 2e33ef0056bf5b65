"""The cost of questions on each engine, relative to plain SQL on the same engine.

    python benchmarks/engines.py postgresql|spark [--rows 10000000] [--repeats 5]

The deployment is a real one: a catalogue, `refresh`, and the statement of a question. Each figure is the best of several
rounds; in a round every statement runs once, so that other load slows all alike. Refresh is timed once, so on a busy machine
only its ratio of CPU times (of all processes of the engine, as in sizing.py) is meaningful.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sizing import processor

REGIONS = [f"region {n:02}" for n in range(50)]
COLUMNS = """
region = { type = "text", keys = [KEYS] }
salary = { type = "float", low = 20000, high = 200000 }
smoker = { type = "boolean" }
"""
CATALOGUE = """
[tables.by_row]
source = "SOURCE"
unit = "row"
budget = { epsilon = 10 }
[tables.by_row.columns]COLUMNS
[tables.by_person]
source = "COPY"
unit = "person_id"
rows_per_unit = 10
budget = { epsilon = 10 }
[tables.by_person.columns]
person_id = { type = "integer" }COLUMNS"""
QUESTION = "SELECT region, COUNT(*) AS n, SUM(salary) AS total, AVG(salary) AS pay FROM {} GROUP BY region"
PLAIN = "SELECT region, COUNT(*), SUM(salary), AVG(salary) FROM {} GROUP BY region"
TARGETS = {"by_row": 2, "by_person": 3, "refresh by_row": 60, "refresh by_person": 60}


class Place(Protocol):
    """An engine with the table `t`, and a second name for the same rows."""

    source: str
    copy: str
    servers: Sequence[int]
    """Server processes, besides this process and its children."""

    def plain(self, sql: str) -> object:
        """Runs SQL without privacy; {} is replaced by the table."""


@contextmanager
def postgresql(rows: int) -> Iterator[Place]:
    import psycopg
    from tests.postgres_cluster import Cluster

    cluster = Cluster()

    class Postgres:
        source, copy = f"{cluster.url()}#public.t", f"{cluster.url()}#public.u"
        servers = (int((cluster.folder / "data" / "postmaster.pid").read_text().split()[0]),)

        def plain(self, sql: str) -> object:
            with psycopg.connect(cluster.url(), autocommit=True) as connection:
                connection.execute("SET jit = off")
                return connection.execute(sql.replace("{}", "public.t").encode()).fetchall()

    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA lapcat_snapshots")
        connection.execute(
            f"""CREATE TABLE t AS SELECT (hashint8(i * 7 + 1)::bigint & 2147483647) % {max(1, rows // 10)} AS person_id,
                    'region ' || lpad(((hashint8(i)::bigint & 2147483647) % 50)::text, 2, '0') AS region,
                    20000 + 180000 * ((hashint8(i * 3 + 11)::bigint & 2147483647) % 1000003) / 1000003.0::float8 AS salary,
                    i % 3 = 0 AS smoker FROM generate_series(1, {rows}::bigint) AS i"""
        )
        connection.execute("CREATE VIEW u AS SELECT * FROM t")
        connection.execute("VACUUM ANALYZE t")
    try:
        yield Postgres()
    finally:
        cluster.remove()


@contextmanager
def spark(rows: int) -> Iterator[Place]:
    from lapcat.engines.spark.session import session

    own = session()
    with tempfile.TemporaryDirectory() as folder:
        own.range(1, rows + 1).selectExpr(
            f"pmod(xxhash64(id, 1), {max(1, rows // 10)}) AS person_id",
            "concat('region ', lpad(pmod(xxhash64(id, 2), 50), 2, '0')) AS region",
            "20000 + 180000 * (pmod(xxhash64(id, 3), 1000003) / 1000003D) AS salary",
            "id % 3 = 0 AS smoker",
        ).write.parquet(f"file://{folder}/t")
        os.mkdir(f"{folder}/u")
        for file in Path(folder, "t").glob("*.parquet"):
            os.link(file, Path(folder, "u", file.name))
        own.read.parquet(f"file://{folder}/t").createOrReplaceTempView("t")

        class Spark:
            source, copy = f"spark:{folder}/t/", f"spark:{folder}/u/"
            servers = ()

            def plain(self, sql: str) -> object:
                return own.sql(sql.replace("{}", "t")).collect()

        yield Spark()


PLACES = {"postgresql": postgresql, "spark": spark}


def seconds(work: Callable[[], object], servers: Sequence[int]) -> tuple[float, float]:
    """Wall-clock and CPU seconds."""
    start, before = time.perf_counter(), processor(servers)
    work()
    return time.perf_counter() - start, processor(servers) - before


def report(place: Place, folder: Path, repeats: int) -> None:
    import lapcat
    from lapcat.plan.nodes import scans_of
    from lapcat.session.files import open_deployment, refresh

    columns = COLUMNS.replace("KEYS", ", ".join(f'"{region}"' for region in REGIONS))
    text = CATALOGUE.replace("COLUMNS", columns).replace("SOURCE", place.source).replace("COPY", place.copy)
    path = folder / "lapcat.toml"
    path.write_text(text, encoding="utf-8")
    deployment = open_deployment(path)
    deployment.require_acceptance()
    times: dict[str, tuple[float, float]] = {}
    for table in ("by_row", "by_person"):
        times[f"refresh {table}"] = seconds(lambda: refresh(deployment, table), place.servers)  # noqa: B023
    db = lapcat.open(path)
    asked: dict[str, Callable[[], object]] = {"plain": lambda: place.plain(PLAIN)}
    for table in ("by_row", "by_person"):
        (plan,) = db.sql(QUESTION.format(table))._prepared().executed_plans
        engine = deployment.engine(scans_of(plan))
        asked[table] = lambda engine=engine, plan=plan: engine.execute(plan)  # type: ignore[misc]
    for _ in range(repeats):
        for name, ask in asked.items():
            now, before = seconds(ask, place.servers), times.get(name, (1e9, 1e9))
            times[name] = min(now[0], before[0]), min(now[1], before[1])
    plain = times["plain"]
    print(f"plain SQL            {plain[0]:9.3f} s            {plain[1]:9.3f} s of CPU")
    for name, target in TARGETS.items():
        if name in times:
            clock, processors = times[name]
            ratios = clock / plain[0], processors / plain[1]
            print(
                f"{name:<20} {clock:9.3f} s {ratios[0]:7.2f} × {processors:11.3f} s {ratios[1]:7.2f} ×  (≤ {target})"
            )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("engine", nargs="?", choices=PLACES, help="default: all")
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    for engine in [given.engine] if given.engine else PLACES:
        with PLACES[engine](given.rows) as place, tempfile.TemporaryDirectory() as folder:
            print(f"{engine}, {given.rows:,} rows, best of {given.repeats}")
            report(place, Path(folder), given.repeats)


if __name__ == "__main__":
    main()
