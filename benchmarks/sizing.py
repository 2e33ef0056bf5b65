"""How cost grows with rows, people and groups: processor time of one look and of `refresh`, on DuckDB or Spark.

    python benchmarks/sizing.py [duckdb|spark] [--most 10000000] [--repeats 3]

Processor time, not time on the clock: it is the same on a busy machine, and divides by the cores that a cluster has. What
Spark's Java uses is counted with it. Each figure is the least of several looks.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

CATALOGUE = """
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
PLAIN = "SELECT bucket, COUNT(*), AVG(salary) FROM rows GROUP BY bucket"


def processor() -> float:
    """Seconds that this process and its children have computed."""
    spent = time.process_time()
    for child in _children(os.getpid()):
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def _children(parent: int) -> list[int]:
    own = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [child for each in map(int, own) for child in (each, *_children(each))]


def least(work: Callable[[], object], repeats: int) -> float:
    found = []
    for _ in range(repeats):
        before = processor()
        work()
        found.append(processor() - before)
    return min(found)


def measured(engine: str, rows: int, people: int, groups: int, repeats: int) -> tuple[float, ...]:
    """Seconds of plain SQL, of a look at rows, of a look at people, and of `refresh`."""
    import lapcat
    from lapcat.plan.nodes import scans_of
    from lapcat.session.files import open_deployment, refresh

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for copy in ("a", "b"):
            (folder / copy).mkdir()
        with duckdb.connect() as made:
            made.execute(
                f"""COPY (SELECT (hash(i) % {people})::BIGINT AS person, (hash(i + 1000000007) % {groups})::BIGINT AS bucket,
                        20000 + 180000 * ((hash(i * 3) % 1000003) / 1000003.0)::DOUBLE AS salary FROM range({rows}) AS t(i))
                    TO '{folder}/a/rows.parquet' (FORMAT parquet)"""
            )
        os.link(folder / "a" / "rows.parquet", folder / "b" / "rows.parquet")
        prefix, tail = ("spark:", "/") if engine == "spark" else ("", "/rows.parquet")
        sources = {"row": f"{prefix}./a{tail}", "person": f"{prefix}./b{tail}"}
        path = folder / "lapcat.toml"
        path.write_text(CATALOGUE.format(**sources, last=groups - 1))
        deployment = open_deployment(path)
        deployment.require_acceptance()
        plain = _plain(engine, folder)
        times = [least(plain, repeats)]
        refreshed = least(lambda: refresh(deployment, "by_person"), 1)
        db = lapcat.open(path)
        for table in ("by_row", "by_person"):
            (plan,) = db.sql(QUESTION.format(table))._prepared().looks
            looking = deployment.engine(scans_of(plan))
            times.append(least(lambda: looking.look(plan), repeats))  # noqa: B023
        return *times, refreshed


def _plain(engine: str, folder: Path) -> Callable[[], object]:
    if engine == "duckdb":
        connection = duckdb.connect()
        connection.execute(f"CREATE VIEW rows AS SELECT * FROM '{folder}/a/rows.parquet'")
        return lambda: connection.execute(PLAIN).fetchall()
    from lapcat.engines.spark_session import session

    own = session()
    own.read.parquet(f"file://{folder}/a").createOrReplaceTempView("rows")
    return lambda: own.sql(PLAIN).collect()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("engine", nargs="?", choices=("duckdb", "spark"), default="duckdb")
    arguments.add_argument("--most", type=int, default=10_000_000)
    arguments.add_argument("--repeats", type=int, default=3)
    given = arguments.parse_args()
    if given.engine == "spark":
        measured("spark", 100_000, 10_000, 10, 3)  # Java compiles what runs often
    print(f"{given.engine}: seconds of processor time")
    print(
        f"{'rows':>11} {'people':>10} {'groups':>8} {'plain':>8} {'by row':>8} {'by person':>9} {'refresh':>8}"
    )
    sizes = [size for size in (10**5, 10**6, 10**7, 10**8) if size <= given.most]
    shapes = [(rows, rows // 10, 50) for rows in sizes]
    shapes += [(10**6, people, 50) for people in (10**3, 10**6)]
    shapes += [(10**6, 10**5, groups) for groups in (2, 10_000, 100_000)]
    for rows, people, groups in shapes:
        plain, by_row, by_person, refreshed = measured(given.engine, rows, people, groups, given.repeats)
        print(
            f"{rows:>11,} {people:>10,} {groups:>8,} {plain:>8.3f} {by_row:>8.3f} {by_person:>9.3f} {refreshed:>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
