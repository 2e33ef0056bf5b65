"""lapcat's answers: SQL, person as the privacy unit, pure epsilon."""

from __future__ import annotations

import pyarrow.parquet as pq
from asking import Answers, Ask, answer, by_group, task

import lapcat

asked = task()
table = pq.read_table(asked.parquet)
one_row = asked.rows_each == 1  # then the unit is the row, as for tools that support it
unit = "row" if one_row else asked.unit


def question(**outputs: str) -> Ask:
    """Each repeat has its own ledger, or it would return the stored answer."""
    columns = ", ".join(f"{sql} AS {name}" for name, sql in outputs.items())
    sql = f"SELECT {asked.group}, {columns} FROM data GROUP BY {asked.group}"

    def ask() -> list[Answers]:
        session = lapcat.table(
            table,
            unit=unit,
            rows_per_unit=None if one_row else asked.rows_each,
            bounds={asked.value: (asked.low, asked.high)},
            null={asked.value: asked.low},
            keys={asked.group: asked.keys},
            epsilon=asked.epsilon,
        )
        rows = session.sql(sql).run(epsilon=asked.epsilon)
        return [{name: by_group(asked.keys, rows[asked.group], rows[name]) for name in outputs}]

    return ask


x = asked.value
limits = "" if one_row else f", rows_per_unit = {asked.rows_each}"
answer(
    asked,
    lapcat.__version__,
    {
        "all": f"unit = {unit}{limits}, declared keys and bounds, null = {asked.low:g}, pure epsilon",
        "together": "one question: COUNT(*), SUM, AVG",
    },
    {
        "count": question(count="COUNT(*)"),
        "sum": question(sum=f"SUM({x})"),
        "avg": question(avg=f"AVG({x})"),
        "median": question(median=f"MEDIAN({x})"),
        "stddev": question(stddev=f"STDDEV({x})"),
        "together": question(count="COUNT(*)", sum=f"SUM({x})", avg=f"AVG({x})"),
    },
)
