"""Aggregate calls: the parser's node name of each aggregate, and where its arguments are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """One way to call an aggregate: its name in AGGREGATES, and the parser's names of the arguments after the first."""

    aggregate: str
    second: str | None = None
    """The parser's name of the second expression, if any."""
    parameter: str | None = None
    """The parser's name of the constant, if any."""


CALLS: Mapping[str, Call] = {
    "count": Call("count"),
    "sum": Call("sum"),
    "avg": Call("avg"),
    "variance": Call("var_samp"),
    "variancepop": Call("var_pop"),
    "stddev": Call("stddev_samp"),
    "stddevsamp": Call("stddev_samp"),
    "stddevpop": Call("stddev_pop"),
    "covarpop": Call("covar_pop", second="expression"),
    "covarsamp": Call("covar_samp", second="expression"),
    "corr": Call("corr", second="expression"),
    "regrslope": Call("regr_slope", second="expression"),
    "regrintercept": Call("regr_intercept", second="expression"),
    "median": Call("median"),
    "percentilecont": Call("quantile", parameter="expression"),
    "percentiledisc": Call("quantile", parameter="expression"),
    "quantile": Call("quantile", parameter="quantile"),
    "approxquantile": Call("quantile", parameter="quantile"),
    "min": Call("min"),
    "max": Call("max"),
    "mode": Call("mode"),
    "approxtopk": Call("approx_top_k", parameter="expression"),
}
