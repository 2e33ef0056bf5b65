"""End-to-end time of a question, relative to the plain query in the same run.

python benchmarks/question.py [ROWS]        10 million rows by default
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import duckdb

import lapcat
from lapcat.plan.nodes import scans_of
from lapcat.session.files import open_deployment, refresh

KEYS = [f"region {i:02d}" for i in range(50)]
SUMMARY = "SELECT region, COUNT(*) AS n, SUM(salary) AS s, AVG(salary) AS a FROM {source} GROUP BY region"
NUMBERS = count(1)
"""No two questions have the same number."""
CLAMP = "CASE WHEN salary > 200000 THEN 200000 WHEN salary < 20000 THEN 20000 ELSE salary END"


def best(
    work: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The minimum time of several runs, after a warm-up run."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def deployment(folder: Path, rows: int) -> Path:
    duckdb.execute(
        f"""COPY (SELECT format('region {{:02d}}', CAST(floor(random() * 50) AS INT)) AS region,
                         20000 + 100000 * random() AS salary,
                         CAST(floor(random() * 1000000) AS BIGINT) AS zip
                  FROM range({rows})) TO '{folder}/staff.parquet' (FORMAT parquet)"""
    )
    keys = ", ".join(f'"{key}"' for key in KEYS)
    (folder / "lapcat.toml").write_text(
        f"""
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = {{ epsilon = 100, i_understand = "a benchmark on synthetic rows" }}
[tables.staff.columns]
region = {{ type = "text", keys = [{keys}] }}
salary = {{ type = "float", low = 20000, high = 200000, null = 20000 }}
zip = {{ type = "integer", keys = {{ from = 0, to = 999999 }} }}
"""
    )
    opened = open_deployment(folder / "lapcat.toml")
    opened.require_acceptance()
    refresh(opened, "staff")
    return folder / "lapcat.toml"


def fresh_questions(session: lapcat.Session, text: str, epsilon: str) -> Callable[[], object]:
    """Asks a new question on each call: a repeat would come from the cache."""
    return lambda: session.sql(
        text.format(source="staff").replace("GROUP BY", f"WHERE zip <> {-next(NUMBERS)} GROUP BY")
    ).run(epsilon=epsilon)


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = lapcat.open(deployment(folder, rows))
        source = f"read_parquet('{folder}/staff.parquet')"
        connection = duckdb.connect()
        filtered = SUMMARY.replace("GROUP BY", "WHERE zip <> -1 GROUP BY").format(source=source)
        plain = best(lambda: connection.execute(filtered).fetchall())
        clamped = best(lambda: connection.execute(filtered.replace("(salary)", f"({CLAMP})")).fetchall())
        private = best(fresh_questions(session, SUMMARY, "0.01"))
        plan = (
            session.sql(SUMMARY.format(source="staff").replace("GROUP BY", "WHERE zip <> -1 GROUP BY"))
            ._prepared()
            .plan
        )
        engine = session._deployment.engine(scans_of(plan))
        executed = best(lambda: engine.execute(plan))
        print(f"{rows:,} rows, COUNT + SUM + AVG by region, unit = row (all with the same WHERE)")
        print(f"  plain DuckDB SQL            {plain * 1000:8.1f} ms")
        print(f"  the same with a clamp       {clamped * 1000:8.1f} ms   {clamped / plain:5.2f} x plain")
        print(
            f"  lapcat, execution only      {executed * 1000:8.1f} ms   {executed / plain:5.2f} x plain   "
            f"{executed / clamped:5.2f} x clamped"
        )
        print(
            f"  lapcat, end to end          {private * 1000:8.1f} ms   {private / plain:5.2f} x plain   "
            f"{private / clamped:5.2f} x clamped"
        )
        histogram = "SELECT zip, COUNT(*) AS n FROM {source} GROUP BY zip"
        plain = best(lambda: connection.execute(histogram.format(source=source)).fetchnumpy(), 3)
        private = best(fresh_questions(session, histogram, "0.01"), 3)
        print("a histogram over 1,000,000 declared buckets")
        print(f"  plain GROUP BY              {plain * 1000:8.1f} ms")
        print(
            f"  lapcat                      {private * 1000:8.1f} ms   2 x plain + {private - 2 * plain:5.2f} s"
        )
        averages = "SELECT zip, AVG(salary) AS a FROM {source} GROUP BY zip"
        counted, averaged = (
            best(fresh_questions(session, text, "0.01"), 5, time.process_time)
            for text in (histogram, averages)
        )
        print(
            f"  AVG in place of COUNT       {averaged * 1000:8.1f} ms   {averaged / counted:5.2f} x COUNT "
            f"(processor time; aim 2)"
        )
    with tempfile.TemporaryDirectory() as name:
        session = lapcat.open(deployment(Path(name), 1000))
        warm = best(fresh_questions(session, SUMMARY, "0.0001"), 30)
        text = SUMMARY.format(source="staff")
        question = session.sql(text)
        question.run(epsilon="0.01")
        repeat = best(lambda: session.sql(text).run(epsilon="0.01"), 30)
        preview = best(lambda: session.sql(text).preview(epsilon="0.5"), 30)
        print("1,000 rows, warm")
        print(f"  a new question              {warm * 1000:8.1f} ms")
        print(f"  the same question again     {repeat * 1000:8.1f} ms")
        print(f"  a preview                   {preview * 1000:8.1f} ms")

    def importing(module: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True), 7)

    base, numpy, ours = importing("sys"), importing("numpy"), importing("lapcat")
    print(f"import lapcat {ours * 1000:.0f} ms, import numpy {numpy * 1000:.0f} ms: {ours / numpy:.2f} x")
    print(f"  without the interpreter's own start: {(ours - base) / (numpy - base):.2f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
