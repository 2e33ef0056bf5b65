"""How cost scales with rows, people and groups: CPU time of one execution and of `refresh`, on each engine.

    python benchmarks/sizing.py [duckdb|postgresql|spark] [--most 10000000] [--repeats 5]

CPU time rather than wall-clock time: it does not depend on other load, and divides by the number of cores of a cluster. It
includes PostgreSQL's processes and Spark's Java. In a round every shape runs once; each figure is the minimum of several
rounds. Below the table is, for each column, the line a + b·rows (a ≥ 0 is the fixed cost) with the smallest maximum relative
error, and that error; then the peak memory of the client process.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

sys.path.insert(0, str(Path(__file__).parents[1]))

CATALOGUE = """
[engine]
memory = "8GB"
[tables.by_row]
source = "{row}"
unit = "row"
budget = {{ epsilon = 10 }}
[tables.by_row.columns]
bucket = {{ type = "integer", keys = {{ from = 0, to = {last} }} }}
salary = {{ type = "float", low = 20000, high = 200000 }}
[tables.by_person]
source = "{person}"
unit = "person"
rows_per_unit = 10
budget = {{ epsilon = 10 }}
[tables.by_person.columns]
person = {{ type = "integer" }}
bucket = {{ type = "integer", keys = {{ from = 0, to = {last} }} }}
salary = {{ type = "float", low = 20000, high = 200000 }}
"""
QUESTION = "SELECT bucket, COUNT(*) AS n, AVG(salary) AS pay FROM {} GROUP BY bucket"
PLAIN = "SELECT bucket, COUNT(*), AVG(salary) FROM {} GROUP BY bucket"
COLUMNS = ("plain", "by_row", "by_person", "refresh")
SIZES = (10**5, 3 * 10**5, 10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8)
ENOUGH = 0.5
"""Seconds of work per measurement: the system counts CPU time in hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Shape:
    rows: int
    people: int
    groups: int


@dataclass(slots=True)
class Measured:
    """One shape: its tasks, and the minimum time of each."""

    shape: Shape
    asked: dict[str, Callable[[], object]]
    least: dict[str, float] = field(default_factory=dict)
    memory: int = 0
    """Peak memory of the client process, in MiB."""


def processor(servers: Sequence[int] = ()) -> float:
    """CPU seconds of this process, its children (also ended ones) and these servers."""
    gone = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = time.process_time() + gone.ru_utime + gone.ru_stime
    for each in (*_children(os.getpid()), *servers, *(c for server in servers for c in _children(server))):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        spent += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return spent


def _children(parent: int) -> list[int]:
    try:
        own = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:
        return []
    return [child for each in map(int, own) for child in (each, *_children(each))]


def peak_memory(work: Callable[[], object]) -> int:
    """Peak memory of this process during `work`, in MiB."""
    Path("/proc/self/clear_refs").write_text("5")
    work()
    (line,) = (x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


# ------------------------------------------------------------------------------------------------ engines


@contextmanager
def parquet(prefix: str, folder: Path, shape: Shape) -> Iterator[tuple[str, str]]:
    """The rows in a folder with one file, twice under different names. Written by another process, so that this one's memory
    is that of the client."""
    statement = f"""COPY (SELECT (hash(i) % {shape.people})::BIGINT AS person,
            (hash(i + 1000000007) % {shape.groups})::BIGINT AS bucket,
            20000 + 180000 * ((hash(i * 3) % 1000003) / 1000003.0)::DOUBLE AS salary FROM range({shape.rows}) AS t(i))
        TO '{folder}/a/rows.parquet' (FORMAT parquet)"""
    for copy in ("a", "b"):
        (folder / copy).mkdir()
    program = "import duckdb, sys; duckdb.connect(config={'memory_limit': '4GB'}).execute(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, statement], check=True, stdout=subprocess.DEVNULL)
    os.link(folder / "a" / "rows.parquet", folder / "b" / "rows.parquet")
    tail = "/" if prefix else "/rows.parquet"
    yield f"{prefix}./a{tail}", f"{prefix}./b{tail}"


class DuckDB:
    servers: Sequence[int] = ()

    def __init__(self, stack: ExitStack) -> None:
        import duckdb

        self._connection = duckdb.connect()
        self._stack = stack

    def put(self, folder: Path, shape: Shape) -> tuple[str, str, Callable[[], object]]:
        sources = self._stack.enter_context(parquet("", folder, shape))
        sql = PLAIN.format(f"'{folder}/a/rows.parquet'")
        return *sources, lambda: self._connection.execute(sql).fetchall()


class PostgreSQL:
    def __init__(self, stack: ExitStack) -> None:
        import psycopg
        from tests.postgres_cluster import Cluster

        self._cluster = Cluster()
        stack.callback(self._cluster.remove)
        self.servers = [int((self._cluster.folder / "data" / "postmaster.pid").read_text().split()[0])]
        self._connect = lambda: psycopg.connect(self._cluster.url(), autocommit=True)
        self._put = 0
        with self._connect() as connection:
            connection.execute("CREATE SCHEMA lapcat_snapshots")

    def put(self, folder: Path, shape: Shape) -> tuple[str, str, Callable[[], object]]:
        self._put += 1
        table, view = f"t{self._put}", f"u{self._put}"
        with self._connect() as connection:
            connection.execute(
                f"""CREATE TABLE {table} AS SELECT (hashint8(i * 7 + 1)::bigint & 2147483647) % {shape.people} AS person,
                        (hashint8(i)::bigint & 2147483647) % {shape.groups} AS bucket,
                        20000 + 180000 * ((hashint8(i * 3 + 11)::bigint & 2147483647) % 1000003) / 1000003.0::float8
                            AS salary
                    FROM generate_series(1, {shape.rows}::bigint) AS i"""
            )
            connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {table}")
            connection.execute(f"VACUUM ANALYZE {table}")

        def plain() -> object:
            with self._connect() as connection:
                connection.execute("SET jit = off")
                return connection.execute(PLAIN.format(table)).fetchall()

        return f"{self._cluster.url()}#public.{table}", f"{self._cluster.url()}#public.{view}", plain


class Spark:
    servers: Sequence[int] = ()

    def __init__(self, stack: ExitStack) -> None:
        from lapcat.engines.spark.session import session

        self._session, self._stack, self._put = session(), stack, 0

    def put(self, folder: Path, shape: Shape) -> tuple[str, str, Callable[[], object]]:
        self._put += 1
        sources = self._stack.enter_context(parquet("spark:", folder, shape))
        self._session.read.parquet(f"file://{folder}/a").createOrReplaceTempView(f"rows{self._put}")
        sql = PLAIN.format(f"rows{self._put}")
        return *sources, lambda: self._session.sql(sql).collect()


ENGINES = {"duckdb": DuckDB, "postgresql": PostgreSQL, "spark": Spark}


# ------------------------------------------------------------------------------------------------ measuring


def asked_of(engine: DuckDB | PostgreSQL | Spark, folder: Path, shape: Shape) -> Measured:
    """A refreshed deployment over rows of this shape, and its tasks."""
    import lapcat
    from lapcat.plan.nodes import scans_of
    from lapcat.session.files import open_deployment, refresh

    folder.mkdir()
    row, person, plain = engine.put(folder, shape)
    path = folder / "lapcat.toml"
    path.write_text(CATALOGUE.format(row=row, person=person, last=shape.groups - 1))
    deployment = open_deployment(path)
    deployment.require_acceptance()
    measured = Measured(shape, {"plain": plain})
    for _ in range(2 if shape.rows <= 3 * 10**6 else 1):
        reading(measured, "refresh", lambda: refresh(deployment, "by_person"), engine.servers, once=True)
    refresh(deployment, "by_row")
    db = lapcat.open(path)
    for table in ("by_row", "by_person"):
        (plan,) = db.sql(QUESTION.format(table))._prepared().executed_plans
        reader = deployment.engine(scans_of(plan))
        measured.asked[table] = lambda reader=reader, plan=plan: reader.execute(plan)  # type: ignore[misc]
    return measured


def reading(
    measured: Measured, name: str, work: Callable[[], object], servers: Sequence[int], *, once: bool = False
) -> None:
    """Repeats `work` long enough to be measured, and records the minimum time."""
    times, before, spent = 0, processor(servers), 0.0
    while not times or (spent < ENOUGH and not once):
        work()
        times, spent = times + 1, processor(servers) - before
    measured.least[name] = min(measured.least.get(name, 1e9), spent / times)


def line(rows: Sequence[int], seconds: Sequence[float]) -> tuple[float, float, float]:
    """a ≥ 0, b and d such that a + b·rows has maximum relative error d, the smallest of all lines."""
    n, t = np.array(rows, float), np.array(seconds)
    above = np.stack([1 / t, n / t, -np.ones(len(t))], axis=1)  # (a + b·n) / t - d ≤ 1
    below = np.stack([-1 / t, -n / t, -np.ones(len(t))], axis=1)
    ends = np.concatenate([np.ones(len(t)), -np.ones(len(t))])
    a, b, d = linprog([0, 0, 1], A_ub=np.concatenate([above, below]), b_ub=ends).x
    return float(a), float(b), float(d)


def report(all_measured: Sequence[Measured], sizes: Sequence[Measured]) -> None:
    print(f"{'rows':>11} {'people':>10} {'groups':>8}" + "".join(f"{name:>11}" for name in COLUMNS))
    for each in all_measured:
        shape, figures = each.shape, "".join(f"{each.least[name]:>11.4f}" for name in COLUMNS)
        print(f"{shape.rows:>11,} {shape.people:>10,} {shape.groups:>8,}{figures}")
    print("\nseconds = a + b · rows, ten rows per person, 50 groups")
    for name in COLUMNS:
        a, b, worst = line([each.shape.rows for each in sizes], [each.least[name] for each in sizes])
        print(f"{name:>11}  a = {a:.4f} s  b = {b * 1e6:.4f} s per million rows  maximum error {worst:.1%}")
    print("\npeak memory of the client process during execution, MiB")
    print("  ".join(f"{each.shape.rows:,}: {each.memory}" for each in sizes))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("engine", nargs="?", choices=ENGINES, default="duckdb")
    arguments.add_argument("--most", type=int, default=10**7)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    sizes = [Shape(rows, rows // 10, 50) for rows in SIZES if rows <= given.most]
    others = [Shape(10**6, people, 50) for people in (10**3, 10**6)]
    others += [Shape(10**6, 10**5, groups) for groups in (2, 10_000, 100_000)]
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = ENGINES[given.engine](stack)
        warm = asked_of(engine, root / "warm", Shape(10**6, 10**5, 50))  # warms up Java's compiler
        for name, work in warm.asked.items():
            for _ in range(10):
                reading(warm, name, work, engine.servers)
        measured = []
        for number, shape in enumerate((*sizes, *others)):
            measured.append(asked_of(engine, root / str(number), shape))
        for _ in range(given.repeats):
            for each in measured:
                for name, work in each.asked.items():
                    reading(each, name, work, engine.servers)
        for each in measured:
            each.memory = peak_memory(each.asked["by_person"])
        print(f"{given.engine}: seconds of CPU time, minimum of {given.repeats}\n")
        report(measured, measured[: len(sizes)])


if __name__ == "__main__":
    main()
