"""OpenDP's answers: its Context API over Polars (`opendp.extras.polars`), person as the privacy unit, Laplace noise."""

from __future__ import annotations

from importlib.metadata import version

import opendp.prelude as dp
import polars as pl
from asking import Answers, Ask, answer, by_group, task

dp.enable_features("contrib")
asked = task()
data = pl.scan_parquet(asked.parquet).with_columns(pl.col(asked.group).cast(pl.String))
keys = pl.LazyFrame({asked.group: asked.keys})
bounds = (float(asked.low), float(asked.high))
CANDIDATES = 8_001
places = [asked.low + (asked.high - asked.low) * i / (CANDIDATES - 1) for i in range(CANDIDATES)]
x = pl.col(asked.value).fill_null(0.0).fill_nan(0.0)


def question(**outputs: pl.Expr) -> Ask:
    """Builds the measurement that `release` would build once, since that takes seconds, and invokes it for each repeat."""
    one_row = asked.rows_each == 1
    context = dp.Context.compositor(
        data=data,
        privacy_unit=dp.unit_of(contributions=1, identifier=None if one_row else pl.col(asked.unit)),
        privacy_loss=dp.loss_of(epsilon=asked.epsilon),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=[asked.group], max_length=100_000, max_groups=100)],
    )
    query = context.query() if one_row else context.query().truncate_per_group(asked.rows_each)
    expressions = [expression.alias(name) for name, expression in outputs.items()]
    measurement = query.group_by(asked.group).agg(*expressions).with_keys(keys).resolve()

    def ask() -> list[Answers]:
        rows = measurement(data).collect()
        return [{name: by_group(asked.keys, rows[asked.group], rows[name]) for name in outputs}]

    return ask


two = question(count=dp.len(signed=True), sum=x.dp.sum(bounds))


def by_hand() -> list[Answers]:
    """The mean as the quotient of noisy sum and noisy count: post-processing, at no further cost."""
    [released] = two()
    avg = {key: released["sum"][key] / max(1.0, released["count"][key]) for key in asked.keys}
    return [{**released, "avg": avg}]


truncated = "" if asked.rows_each == 1 else f", truncate_per_group({asked.rows_each}) of each identifier"
answer(
    asked,
    version("opendp"),
    {
        "all": f"Context.compositor, explicit keys, Laplace{truncated}",
        "median": f"dp.median over {CANDIDATES} even candidates",
        "stddev": "not in the Polars API",
        "together": "one query: dp.len, dp.sum, dp.mean",
        "by hand": "one query: dp.len, dp.sum; divided afterwards",
    },
    {
        "count": question(count=dp.len(signed=True)),
        "sum": question(sum=x.dp.sum(bounds)),
        "avg": question(avg=x.dp.mean(bounds)),
        "median": question(median=x.dp.median(places)),
        "together": question(count=dp.len(signed=True), sum=x.dp.sum(bounds), avg=x.dp.mean(bounds)),
        "by hand": by_hand,
    },
)
