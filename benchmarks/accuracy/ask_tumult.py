"""Tumult Analytics' answers: a session on local Spark, person as the privacy unit, pure epsilon.

Each evaluation takes seconds, so repeats run together: the table is copied with different people in each copy, and every copy
is a group. A person is in one copy, so each copy's noise is that of a single table.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

from asking import Answers, Ask, answer, by_group, task
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from tmlt.analytics import (
    AddOneRow,
    AddRowsWithID,
    KeySet,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)

asked = task()
os.environ["PYSPARK_PYTHON"] = sys.executable  # so that Spark's workers use this environment
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
one_row = asked.rows_each == 1
COPY = "copy"
COPIES = min(40, asked.repeats)
copies = spark.range(COPIES).withColumnRenamed("id", COPY)
unit = (col(asked.unit) * COPIES + col(COPY)).alias(asked.unit)
columns = [asked.group, asked.value, COPY, *([] if one_row else [unit])]
data = spark.read.parquet(asked.parquet).crossJoin(copies).select(*columns).cache()
protected = AddOneRow() if one_row else AddRowsWithID(asked.unit)
keys = KeySet.from_dict({asked.group: asked.keys, COPY: list(range(COPIES))})
session = Session.from_dataframe(PureDPBudget(float("inf")), "t", data, protected_change=protected)
builder = QueryBuilder("t") if one_row else QueryBuilder("t").enforce(MaxRowsPerID(asked.rows_each))
grouped = builder.groupby(keys)
low, high = asked.low, asked.high


def question(share: float = 1, **outputs: object) -> Ask:
    """Each output is a separate query with the same share of epsilon."""

    def ask() -> list[Answers]:
        answers: list[Answers] = [{} for _ in range(COPIES)]
        for name, query in outputs.items():
            rows = session.evaluate(query, PureDPBudget(asked.epsilon * share)).toPandas()
            for copy, part in rows.groupby(COPY):
                answers[copy][name] = by_group(asked.keys, part[asked.group], part[name])
        return answers

    return ask


x = asked.value
count = grouped.count(name="count")
total = grouped.sum(x, low=low, high=high, name="sum")
average = grouped.average(x, low=low, high=high, name="avg")


two = question(1 / 2, count=count, sum=total)


def by_hand() -> list[Answers]:
    """The average as the quotient of noisy sum and noisy count: post-processing, at no further cost."""
    answers = two()
    for released in answers:
        released["avg"] = {key: released["sum"][key] / max(1.0, released["count"][key]) for key in asked.keys}
    return answers


enforced = "AddOneRow" if one_row else f"AddRowsWithID, MaxRowsPerID({asked.rows_each})"
answer(
    asked,
    version("tmlt.analytics"),
    {
        "all": f"PureDPBudget, {enforced}, KeySet.from_dict",
        "together": "three queries at a third of epsilon each: count, sum, average",
        "by hand": "two queries at half of epsilon each: count, sum; divided afterwards",
    },
    {
        "count": question(count=count),
        "sum": question(sum=total),
        "avg": question(avg=average),
        "median": question(median=grouped.median(x, low=low, high=high, name="median")),
        "stddev": question(stddev=grouped.stdev(x, low=low, high=high, name="stddev")),
        "together": question(1 / 3, count=count, sum=total, avg=average),
        "by hand": by_hand,
    },
)
