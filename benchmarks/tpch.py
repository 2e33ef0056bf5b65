"""Questions of TPC-H in the words of the specification: time against plain DuckDB, and the error at epsilon = 1.

    python benchmarks/tpch.py [SCALE]        scale 1 by default: 150 000 customers, 6 million lines

Protected is a customer with all orders and lines (tests/tpch/catalogue.toml). DuckDB reads the Parquet files that lapcat's
snapshots were written from. The error is the 95 % margin relative to the exact answer, the median over groups and columns.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.tpch.corpus import QUERIES, for_duckdb, generate, opened

import lapcat

TARGET = 10.0
"""Times plain DuckDB, in the median over the questions."""
REPEATS = 3
NUMBERS = count()


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def best(run: Callable[[], object]) -> float:
    return min(seconds(run) for _ in range(REPEATS))


def paid(session: lapcat.Session, question: str) -> object:
    """The answer at a price that was not paid before: a repeat would come from the cache."""
    return session.sql(question).run(epsilon=f"1.{next(NUMBERS):06}")


def relative_error(session: lapcat.Session, plain: duckdb.DuckDBPyConnection, question: str) -> float:
    answer = session.sql(question).run(epsilon=1)
    cursor = plain.execute(for_duckdb(question))
    names = [column[0] for column in cursor.description or ()]
    numbers = [name for name in names if f"{name}_low" in answer.columns]
    keys = [name for name in names if name not in numbers]
    shown = {tuple(row[key] for key in keys): row for row in answer.rows}
    errors = []
    for values in cursor.fetchall():
        row = shown[tuple(values[names.index(key)] for key in keys)]
        for name in numbers:
            low, high, exact = row[f"{name}_low"], row[f"{name}_high"], float(values[names.index(name)])
            errors.append(float("inf") if low is None or not exact else (high - low) / 2 / abs(exact))
    return statistics.median(errors)


def main() -> int:
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as name:
        generate(Path(name), scale)
        start = time.perf_counter()
        session, plain = opened(Path(name))
        print(f"TPC-H at scale {scale:g}; refresh of all tables: {time.perf_counter() - start:.1f} s")
        print(f"{'':6}{'DuckDB':>10}{'lapcat':>10}{'×':>8}{'error at ε = 1':>18}")
        ratios = []
        for question, text in QUERIES.items():
            exact = best(lambda text=text: plain.execute(for_duckdb(text)).fetchall())
            private = best(lambda text=text: paid(session, text))
            ratios.append(private / exact)
            error = relative_error(session, plain, text)
            print(
                f"{question:6}{exact:9.3f}s{private:9.3f}s{private / exact:8.1f}{'none' if error == float('inf') else f'{error:.2%}':>18}"
            )
        print(f"median × plain DuckDB: {statistics.median(ratios):.1f} (target {TARGET:g})")
        return int(statistics.median(ratios) > TARGET)


if __name__ == "__main__":
    sys.exit(main())
