"""The cost of person-level privacy, relative to the same SQL without privacy.

    python benchmarks/people.py [--rows 10000000] [--repeats 7] [--memory]

There are ten rows per person on average, but skewed: of a million people the busiest has 40 000 rows, and half have six or fewer.
Plain SQL reads the original Parquet. Questions are complete: parsed, priced, debited, executed on the snapshot that `refresh`
wrote, noised, stored. The textbook form, `row_number()` twice, is plain SQL on the original.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path

import duckdb

import lapcat
from lapcat.session.files import open_deployment, refresh

ROWS_EACH, GROUPS_EACH = 5, 3

KEYS = [f"region {number:02d}" for number in range(50)]
CLAMP = "CASE WHEN salary < 20000 THEN 20000 WHEN salary > 200000 THEN 200000 ELSE salary END"
STEPS = f"(CAST(floor(({CLAMP}) * 16384.0::DOUBLE) AS BIGINT) - 1802240000)"
"""The salary as lapcat sums it: clamped, an integer in steps of 2^-14, centred at 110 000."""
QUESTIONS = {
    "COUNT, SUM and AVG by region": (
        "SELECT region, COUNT(*) AS n, SUM(salary) AS s, AVG(salary) AS a FROM people GROUP BY region",
        "≤ 2.5",
    ),
    "COUNT and COUNT(DISTINCT day) by region": (
        "SELECT region, COUNT(*) AS n, COUNT(DISTINCT day) AS d FROM people GROUP BY region",
        "",
    ),
    "COUNT(DISTINCT person)": ("SELECT COUNT(DISTINCT user_id) AS n FROM people WHERE smoker", ""),
    "COUNT(DISTINCT person) by region": (
        "SELECT region, COUNT(DISTINCT user_id) AS n FROM people GROUP BY region",
        "",
    ),
    "the average of each person's total": (
        "SELECT AVG(CLAMP(total, 0, 1000000)) AS a FROM"
        " (SELECT user_id, SUM(salary) AS total FROM people GROUP BY user_id)",
        "",
    ),
    "COUNT, SUM and AVG, three groups per person": (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 3)"
        " region, COUNT(*) AS n, SUM(salary) AS s, AVG(salary) AS a FROM people GROUP BY region",
        "≤ 40",
    ),
}


def generate(path: Path, rows: int) -> None:
    """Deterministic rows. The person is a uniform number to the power 2.5, scaled."""
    people, prime = max(1, rows // 10), 1_000_000_007
    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (SELECT floor({people} * power((hash(i * 7 + 1) % {prime}) / {prime}.0::DOUBLE, 2.5))::BIGINT AS user_id,
                             'region ' || lpad((hash(i) % 50)::VARCHAR, 2, '0') AS region,
                             DATE '2020-01-01' + (hash(i + 3) % 1000)::INTEGER AS day,
                             20000 + 180000 * ((hash(i * 3 + 11) % 1000003) / 1000003.0::DOUBLE) AS salary,
                             hash(i * 5) % 3 = 0 AS smoker
                      FROM range({rows}) AS r(i)) TO '{path}'"""
        )


def plain_sql(original: Path) -> dict[str, str]:
    """The query without privacy, and with contributions bounded as in textbooks."""
    return {
        "plain": f"SELECT region, COUNT(*), SUM(salary), AVG(salary) FROM '{original}' GROUP BY region",
        "textbook": f"""WITH
            few AS (SELECT user_id, region, salary FROM '{original}'
                    QUALIFY row_number() OVER (PARTITION BY user_id, region ORDER BY hash(day, salary)) <= {ROWS_EACH}),
            each AS (SELECT user_id, region, COUNT(*) AS n, SUM({STEPS}) AS v FROM few GROUP BY user_id, region
                     QUALIFY row_number() OVER (PARTITION BY user_id ORDER BY hash(region)) <= {GROUPS_EACH})
            SELECT region, SUM(n), SUM(v) FROM each GROUP BY region""",
    }


def catalogue(folder: Path) -> Path:
    keys = ", ".join(f'"{key}"' for key in KEYS)
    path = folder / "lapcat.toml"
    path.write_text(
        f"""
[tables.people]
source = "people.parquet"
unit = "user_id"
rows_per_unit = {ROWS_EACH}
budget = {{ epsilon = 100000, i_understand = "a benchmark on synthetic rows" }}
[tables.people.columns]
region = {{ type = "text", keys = [{keys}] }}
day    = {{ type = "date" }}
salary = {{ type = "float", low = 20000, high = 200000 }}
smoker = {{ type = "boolean" }}
"""
    )
    return path


def refresh_people(path: Path) -> None:
    deployment = open_deployment(path)
    deployment.require_acceptance()
    refresh(deployment, "people")


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


def memory(program: str, *arguments: str) -> int:
    """Peak memory of a new process, in bytes."""
    # Not ru_maxrss, which a new process inherits from its parent.
    shown = "; import re; print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    done = subprocess.run(
        [sys.executable, "-c", program + shown, *arguments], capture_output=True, check=True, text=True
    )
    return int(done.stdout) * 1024


ASKS_PLAIN = "import sys, duckdb; duckdb.execute(sys.argv[1]).fetchall()"
ASKS_LAPCAT = "import sys, lapcat; lapcat.open(sys.argv[1]).sql(sys.argv[2]).run(epsilon=sys.argv[3])"


def report(folder: Path, rows: int, repeats: int, with_memory: bool) -> None:
    original = folder / "people.parquet"
    generate(original, rows)
    sql, path = plain_sql(original), catalogue(folder)
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    times: dict[str, Took] = {}

    def measure(name: str, work: Callable[[], object]) -> None:
        run = took(work)
        times[name] = run.best(times[name]) if name in times else run

    for _ in range(repeats):
        measure("plain", lambda: connection.execute(sql["plain"]).fetchall())
    measure("refresh", lambda: refresh_people(path))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    session = lapcat.open(path)
    prices = count(1)  # a repeat would come from the cache

    def ask(text: str) -> object:
        return session.sql(text).run(epsilon=1 + Fraction(next(prices), 1000))

    for name, (text, _) in QUESTIONS.items():
        for _ in range(repeats):  # interleaved, so that other load slows both alike
            measure("plain", lambda: connection.execute(sql["plain"]).fetchall())
            measure(name, lambda text=text: ask(text))
    measure("textbook", lambda: connection.execute(sql["textbook"]).fetchall())

    def line(what: str, ours: Took, target: str = "") -> None:
        waited, worked = ours.waited / times["plain"].waited, ours.worked / times["plain"].worked
        print(f"{what:<50} {ours.waited:8.3f} s {waited:7.2f} ×  ({worked:7.2f} × of CPU)  {target}")

    print(f"{rows:,} rows, {rows // 10:,} people, best of {repeats}; plain: COUNT, SUM and AVG by region")
    line("plain SQL on the original", times["plain"])
    for name, (_, target) in QUESTIONS.items():
        line(name, times[name], target)
    line("row_number() twice", times["textbook"])
    line("refresh, once", times["refresh"], "≤ 60")
    snapshot = next((folder / "lapcat.cache").glob("*.parquet"))
    sizes = f"original {original.stat().st_size >> 20} MiB, snapshot {snapshot.stat().st_size >> 20} MiB"
    print(f"{sizes}, peak memory of refresh {held >> 20} MiB")
    if with_memory:
        name, (text, _) = next(iter(QUESTIONS.items()))
        plain = memory(ASKS_PLAIN, sql["plain"]) - memory(ASKS_PLAIN, "SELECT 1")
        tiny = text + " HAVING n < 0"
        ours = memory(ASKS_LAPCAT, str(path), text, "7")
        again = memory(ASKS_LAPCAT, str(path), tiny, "7")  # from the cache: lapcat's memory without execution
        print(
            f"memory: plain SQL {plain >> 20} MiB beyond the engine, {name} {(ours - again) >> 20} MiB beyond lapcat"
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--repeats", type=int, default=7)
    arguments.add_argument(
        "--memory", action="store_true", help="also measure the memory of each statement, in its own process"
    )
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(Path(folder), given.rows, given.repeats, given.memory)


if __name__ == "__main__":
    main()
