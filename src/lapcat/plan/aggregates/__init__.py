"""SQL aggregates as functions of noisy sums or as selections: one file each, listed in AGGREGATES."""

from __future__ import annotations

from lapcat.plan.aggregates.avg import Avg
from lapcat.plan.aggregates.base import Aggregate, Argument, Estimates, SelectionAggregate, StatisticReading
from lapcat.plan.aggregates.count import Count
from lapcat.plan.aggregates.count_distinct import CountDistinct
from lapcat.plan.aggregates.covariance import CORR, COVAR_POP, COVAR_SAMP
from lapcat.plan.aggregates.extreme import MAXIMUM, MINIMUM
from lapcat.plan.aggregates.mode import Mode, TopK
from lapcat.plan.aggregates.quantile import Median, QuantileOf
from lapcat.plan.aggregates.regression import REGR_INTERCEPT, REGR_SLOPE
from lapcat.plan.aggregates.sum import Sum
from lapcat.plan.aggregates.variance import STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP

COUNT, SUM, AVG = Count(), Sum(), Avg()
AGGREGATES: tuple[Aggregate | SelectionAggregate, ...] = (
    *(COUNT, CountDistinct(), SUM, AVG),
    *(VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP),
    *(COVAR_POP, COVAR_SAMP, CORR, REGR_SLOPE, REGR_INTERCEPT),
    *(Median(), QuantileOf(), MINIMUM, MAXIMUM, Mode(), TopK()),
)

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
]
