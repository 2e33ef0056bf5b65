"""PipelineDP's answers: its engine on the local backend, public partitions, Laplace noise."""

from __future__ import annotations

import math
from importlib.metadata import version

import pipeline_dp
import pyarrow.parquet as pq
from asking import Answers, Ask, answer, by_group, task
from pipeline_dp import Metrics

asked = task()
columns = pq.read_table(asked.parquet, columns=[asked.unit, asked.group, asked.value]).to_pydict()
rows = list(zip(*columns.values(), strict=True))
extract = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2],
)
PER_GROUP = math.ceil(asked.rows_each / asked.groups_each)


def question(in_all: bool, **outputs: pipeline_dp.Metric) -> Ask:
    """`in_all`: limit a person's total rows, if supported; else groups per person and rows per group."""
    limits = (
        {"max_contributions": asked.rows_each}
        if in_all
        else {"max_partitions_contributed": asked.groups_each, "max_contributions_per_partition": PER_GROUP}
    )

    def ask() -> list[Answers]:
        accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=asked.epsilon, total_delta=asked.delta)
        engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
        params = pipeline_dp.AggregateParams(
            metrics=list(outputs.values()),
            noise_kind=pipeline_dp.NoiseKind.LAPLACE,
            min_value=asked.low,
            max_value=asked.high,
            **limits,
        )
        result = engine.aggregate(rows, params, extract, public_partitions=asked.keys)
        accountant.compute_budgets()
        by_key = dict(result)
        answers = {
            name: by_group(
                asked.keys, by_key, [getattr(metrics, FIELDS[name]) for metrics in by_key.values()]
            )
            for name in outputs
        }
        return [answers]

    return ask


FIELDS = {"count": "count", "sum": "sum", "avg": "mean", "median": "percentile_50", "variance": "variance"}


def stddev() -> list[Answers]:
    [answers] = question(False, variance=Metrics.VARIANCE)()
    return [{"stddev": {key: math.sqrt(max(0.0, value)) for key, value in answers["variance"].items()}}]


mean = {"count": Metrics.COUNT, "sum": Metrics.SUM, "avg": Metrics.MEAN}
limited = f"max_contributions = {asked.rows_each}"
split = f"max_partitions_contributed = {asked.groups_each}, max_contributions_per_partition = {PER_GROUP}"
answer(
    asked,
    version("pipeline-dp"),
    {
        "all": f"DPEngine, NaiveBudgetAccountant, public partitions, Laplace; {limited}",
        "median": f"PERCENTILE(50); {split}",
        "stddev": f"the root of VARIANCE; {split}",
        "together": "one aggregation: COUNT, SUM, MEAN",
    },
    {
        "count": question(True, count=Metrics.COUNT),
        "sum": question(True, sum=Metrics.SUM),
        "avg": question(True, avg=Metrics.MEAN),
        "median": question(False, median=Metrics.PERCENTILE(50)),
        "stddev": stddev,
        "together": question(True, **mean),
    },
)
