"""The aggregates that a question may use: one file each, and one name here."""

from __future__ import annotations

from lapcat.plan.aggregates.avg import Avg
from lapcat.plan.aggregates.base import Aggregate, Argument, Estimates, Reading
from lapcat.plan.aggregates.count import Count
from lapcat.plan.aggregates.count_distinct import CountDistinct
from lapcat.plan.aggregates.sum import Sum

AGGREGATES: tuple[Aggregate, ...] = (Count(), CountDistinct(), Sum(), Avg())

__all__ = ["AGGREGATES", "Aggregate", "Argument", "Estimates", "Reading"]
