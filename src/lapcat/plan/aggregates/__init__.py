"""SQL aggregates as functions of noisy sums or as selections: one file and one line of `register` each."""

from __future__ import annotations

from lapcat.plan.aggregates.avg import Avg
from lapcat.plan.aggregates.base import Aggregate, Argument, Estimates, SelectionAggregate, StatisticReading
from lapcat.plan.aggregates.count import Count
from lapcat.plan.aggregates.count_distinct import CountDistinct
from lapcat.plan.aggregates.covariance import CORR, COVAR_POP, COVAR_SAMP
from lapcat.plan.aggregates.extreme import MAXIMUM, MINIMUM
from lapcat.plan.aggregates.mode import ApproxTopK, Mode
from lapcat.plan.aggregates.quantile import Median, QuantileOf
from lapcat.plan.aggregates.regression import REGR_INTERCEPT, REGR_SLOPE
from lapcat.plan.aggregates.sum import Sum
from lapcat.plan.aggregates.variance import STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP

COUNT, SUM, AVG = Count(), Sum(), Avg()
AGGREGATES: dict[str, Aggregate | SelectionAggregate] = {}
"""Every registered aggregate by its SQL name."""


def register(*aggregates: Aggregate | SelectionAggregate) -> None:
    """Makes aggregates known to SQL under their names: the front-end reads no other table."""
    for aggregate in aggregates:
        if aggregate.name in AGGREGATES:
            raise ValueError(f"there is an aggregate {aggregate.name} already")
        AGGREGATES[aggregate.name] = aggregate


register(COUNT, CountDistinct(), SUM, AVG)
register(VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP)
register(COVAR_POP, COVAR_SAMP, CORR, REGR_SLOPE, REGR_INTERCEPT)
register(Median(), QuantileOf(), MINIMUM, MAXIMUM, Mode(), ApproxTopK())

__all__ = [
    "AGGREGATES",
    "AVG",
    "COUNT",
    "SUM",
    "Aggregate",
    "Argument",
    "Estimates",
    "SelectionAggregate",
    "StatisticReading",
    "register",
]
