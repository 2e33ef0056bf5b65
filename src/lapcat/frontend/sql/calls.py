"""Aggregate calls: which aggregate a node of the parser is, and where its arguments are.

The parser's key of an aggregate is its name without underscores, and `expression` is its second expression, if it has two. What
differs is listed here.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapcat.plan.aggregates import AGGREGATES, Aggregate, SelectionAggregate

OTHER_KEYS: Mapping[str, str] = {
    "variance": "var_samp",
    "variancepop": "var_pop",
    "stddev": "stddev_samp",
    "percentilecont": "quantile",
    "percentiledisc": "quantile",
    "approxquantile": "quantile",
}
"""Keys that are not the name of the aggregate."""
PARAMETERS: Mapping[str, str] = {
    "percentilecont": "expression",
    "percentiledisc": "expression",
    "quantile": "quantile",
    "approxquantile": "quantile",
    "approxtopk": "expression",
}
"""The parser's name of the constant after the first expression, by key."""


def aggregate_of(key: str) -> Aggregate | SelectionAggregate | None:
    """The aggregate with this key; None if there is none."""
    name = OTHER_KEYS.get(key) or next((name for name in AGGREGATES if name.replace("_", "") == key), "")
    return AGGREGATES.get(name)
