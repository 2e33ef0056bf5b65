"""The cost of 100 000 groups with private keys, relative to a plain GROUP BY.

    python benchmarks/private_keys.py [ROWS]        1 million rows by default

A question counts the units of each key, adds noise, drops keys below the threshold, and stores the answer.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path

import duckdb

import lapcat
from lapcat.session.files import open_deployment, refresh

KEYS = 100_000
UNITS = {
    "unit = row": 'unit = "row"',
    "people, 5 rows each": 'unit = "user_id"\nrows_per_unit = 5',
    "people, 3 groups each": 'unit = "user_id"\nrows_per_unit = 20\ngroups_per_unit = 3',
}
QUESTIONS = {
    "COUNT": "SELECT city, COUNT(*) AS n FROM people GROUP BY city",
    "COUNT and SUM": "SELECT city, COUNT(*) AS n, SUM(salary) AS s FROM people GROUP BY city",
}


def generate(path: Path, rows: int) -> None:
    duckdb.execute(
        f"""COPY (SELECT (hash(i) % {rows // 10})::BIGINT AS user_id,
                         'city ' || (hash(i * 3 + 1) % {KEYS})::VARCHAR AS city,
                         (hash(i * 5) % 1000) / 10.0 AS salary FROM range({rows}) AS r(i)) TO '{path}'"""
    )


def opened(folder: Path, unit: str) -> lapcat.Session:
    path = folder / "lapcat.toml"
    path.write_text(
        f"""
[tables.people]
source = "people.parquet"
{unit}
budget = {{ epsilon = 100000, delta = 1e-3, i_understand = "a benchmark on synthetic rows" }}
[tables.people.columns]
city   = {{ type = "text", keys = "private" }}
salary = {{ type = "float", low = 0, high = 100 }}
"""
    )
    deployment = open_deployment(path)
    deployment.require_acceptance()
    refresh(deployment, "people")
    return lapcat.open(path)


def best(work: Callable[[], object], repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    prices = count(1)  # a repeat would come from the cache
    for name, unit in UNITS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            generate(folder / "people.parquet", rows)
            session = opened(folder, unit)
            for what, text in QUESTIONS.items():
                aggregates = "COUNT(*)" if what == "COUNT" else "COUNT(*), SUM(salary)"
                plain = f"SELECT city, {aggregates} FROM '{folder}/people.parquet' GROUP BY city"

                def ask(text: str = text, session: lapcat.Session = session) -> object:
                    return session.sql(text).run(epsilon=10 + Fraction(next(prices), 1000), delta="1e-6")

                shown = len(ask())  # type: ignore[arg-type]
                ours, theirs = best(ask), best(lambda plain=plain: duckdb.execute(plain).fetchall())
                print(
                    f"{name}: {what:<14} {ours * 1000:6.0f} ms {ours / theirs:5.2f} × plain ({theirs * 1000:.0f} ms),"
                    f" {shown:,} of {KEYS:,} shown   ≤ 5"
                )
            shutil.rmtree(folder / "lapcat.cache", ignore_errors=True)


if __name__ == "__main__":
    main()
