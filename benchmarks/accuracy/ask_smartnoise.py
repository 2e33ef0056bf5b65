"""SmartNoise SQL's answers: SQL over a pandas DataFrame, person as the privacy unit, uncensored public groups."""

from __future__ import annotations

from importlib.metadata import version

import pandas as pd
import snsql
from asking import Answers, Ask, answer, by_group, task

asked = task()
data = pd.read_parquet(asked.parquet)
metadata = {
    "": {
        "S": {
            "T": {
                "row_privacy": False,
                "max_ids": asked.rows_each,
                "censor_dims": False,
                "clamp_counts": False,
                asked.unit: {"type": "int", "private_id": True},
                asked.group: {"type": "string"},
                asked.value: {"type": "float", "lower": float(asked.low), "upper": float(asked.high)},
            }
        }
    }
}


def reader(epsilon: float) -> snsql.sql.PrivateReader:
    return snsql.from_df(data, privacy=snsql.Privacy(epsilon=epsilon, delta=asked.delta), metadata=metadata)


def question(**outputs: str) -> Ask:
    """A reader spends its epsilon on each noisy column, so it is divided to keep the cost of the whole query at epsilon."""
    columns = ", ".join(f"{sql} AS o_{name}" for name, sql in outputs.items())
    sql = f"SELECT {asked.group}, {columns} FROM S.T GROUP BY {asked.group}"
    noisy = round(reader(asked.epsilon).get_privacy_cost(sql)[0] / asked.epsilon)
    private = reader(asked.epsilon / noisy)
    cost, _ = private.get_privacy_cost(sql)
    assert abs(cost / asked.epsilon - 1) < 1e-3, cost
    noisy_columns[", ".join(outputs)] = noisy

    def ask() -> list[Answers]:
        rows = private.execute(sql)
        frame = pd.DataFrame(rows[1:], columns=rows[0])
        return [{name: by_group(asked.keys, frame[asked.group], frame[f"o_{name}"]) for name in outputs}]

    return ask


x = asked.value
noisy_columns: dict[str, int] = {}
questions = {
    "count": question(count="COUNT(*)"),
    "sum": question(sum=f"SUM({x})"),
    "avg": question(avg=f"AVG({x})"),
    "stddev": question(stddev=f"STDDEV({x})"),
    "together": question(count=f"COUNT({x})", sum=f"SUM({x})", avg=f"AVG({x})"),
}
answer(
    asked,
    version("smartnoise-sql"),
    {
        "all": f"from_df, max_ids = {asked.rows_each}, censor_dims = False, clamp_counts = False, defaults otherwise; "
        f"noisy columns that share epsilon: {noisy_columns}",
        "median": "not in its SQL",
        "together": "one query: COUNT(x), SUM(x), AVG(x)",
    },
    questions,
)
