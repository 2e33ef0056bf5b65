"""BadQuery: invalid arguments of Python calls."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

FRAMES = (
    ErrorCode(
        "request-key",
        _F,
        "An idempotency key must be a text of 1 to 200 printable characters.",
        'key="monday-report-1"',
    ),
    ErrorCode(
        "timeout-range",
        _F,
        "timeout must be a whole number of seconds, and no shorter than the default. With a shorter one, whether a question "
        "fails would reveal how long its rows take.",
        "timeout=1200, or leave it out",
    ),
    ErrorCode(
        "no-debit",
        _F,
        "This ledger entry is not a debit.",
        "List the debits with `lapcat ledger list`.",
    ),
    ErrorCode(
        "budget-range",
        _F,
        "A budget needs an epsilon above 0; a delta, if given, must lie between 0 and 1.",
        "epsilon=1",
    ),
    ErrorCode(
        "column-twice",
        _F,
        "Two columns have the same name, or differ only in case, which SQL ignores.",
        "Rename one of them.",
    ),
    ErrorCode(
        "whole-number",
        _F,
        "rows_per_unit, units and version must be whole numbers of at least 1; with unit='row' rows_per_unit is 1.",
        "rows_per_unit=10",
        "lapcat.table(df, unit='person', rows_per_unit=1.5, epsilon=1)",
    ),
    ErrorCode(
        "frame-unknown",
        _F,
        "lapcat.table takes a pandas, Polars or Arrow table, or a dict of arrays or lists, with at least one column. Collect a "
        "LazyFrame first.",
        "lapcat.table(pandas.DataFrame(data), …)",
        "lapcat.table([1, 2, 3], unit='row', epsilon=1)",
    ),
    ErrorCode(
        "frame-unreadable",
        _F,
        "The data frame cannot be read.",
        "Convert its columns to plain numbers, texts or dates.",
    ),
    ErrorCode(
        "type-unknown",
        _F,
        "No type has this name.",
        "integer, float, text, boolean, date or timestamp",
    ),
    ErrorCode(
        "rows-per-unit-missing",
        _F,
        "A table with a unit column needs rows_per_unit, the contribution bound of one unit.",
        "rows_per_unit=10",
        "lapcat.table(df, unit='person_id', epsilon=1)",
    ),
    ErrorCode(
        "units",
        _F,
        "units=… is required with relation='replace-one' and not allowed otherwise.",
        "Give both, or neither.",
        "lapcat.table(df, unit='row', epsilon=1, units=100)",
    ),
    ErrorCode("bounds-type", _F, "Bounds apply to numbers and dates only.", "keys={'region': […]} for texts"),
    ErrorCode(
        "bounds-range",
        _F,
        "The lower bound must be below the upper bound, and bounds of integers must be integers.",
        "bounds={'age': (0, 110)}",
        "lapcat.table(df, unit='row', epsilon=1, bounds={'age': (9, 3)})",
    ),
    ErrorCode(
        "keys-type", _F, "A key must be a text, an integer, a boolean or a date.", "types={'zip': 'integer'}"
    ),
    ErrorCode(
        "keys-range", _F, "Keys must be a list of distinct values.", "keys={'region': ['north', 'south']}"
    ),
    ErrorCode("null-range", _F, "The value for NULL must lie within the column's bounds.", "null={'age': 0}"),
)

MECHANISMS = (
    ErrorCode("chart-column", _F, "A chart needs a numeric column with intervals.", "a.plot('n')"),
    ErrorCode(
        "magic-usage",
        _F,
        "The first line of a %%lapcat cell gives the price and the catalogue or session.",
        "%%lapcat --epsilon 0.1",
    ),
    ErrorCode(
        "explain-loss",
        _F,
        "Name exactly one loss: an epsilon, a rho, a table, or a target (posterior or error).",
        "lapcat.explain(1), lapcat epsilon 1",
        "lapcat.explain()",
    ),
    ErrorCode(
        "explain-delta",
        _F,
        "A rho can be explained only together with a delta, the probability that the explanation fails.",
        "lapcat.explain(rho=0.1, delta=1e-6)",
        "lapcat.explain(rho=0.1)",
    ),
    ErrorCode(
        "explain-count",
        _F,
        "releases and household must be whole numbers from 1 to a million.",
        "household=4",
        "lapcat.explain(1, household=0)",
    ),
    ErrorCode(
        "posterior-range",
        _F,
        "The posterior must be larger than the prior; both must lie strictly between 0 and 1.",
        "epsilon_for(posterior=0.75, prior=0.5)",
        "lapcat.epsilon_for(posterior=0.4)",
    ),
    ErrorCode(
        "delta-range",
        _F,
        "delta must be at least 0 and below 1. For a large group no guarantee may remain.",
        "delta=1e-7, or a smaller group",
        "lapcat.group(epsilon=1, delta=0.5, size=4)",
    ),
    ErrorCode(
        "epsilon-sign", _F, "epsilon must not be negative.", "epsilon=0.1", "lapcat.group(epsilon=-1, size=2)"
    ),
    ErrorCode("rho-sign", _F, "rho must not be negative.", "rho=0.005", "lapcat.group(rho=-1, size=2)"),
    ErrorCode(
        "epsilon-zero",
        _F,
        "With an epsilon of 0 the noise would be infinite.",
        "epsilon=0.1",
    ),
    ErrorCode(
        "group-size", _F, "A group needs at least one unit.", "size=4", "lapcat.group(epsilon=1, size=0)"
    ),
    ErrorCode(
        "group-loss",
        _F,
        "State the loss of a group either in epsilon (with or without delta) or in rho.",
        "Pass one of them.",
        "lapcat.group(epsilon=1, rho=1, size=2)",
    ),
    ErrorCode("probability-range", _F, "A probability must lie strictly between 0 and 1.", "0.95"),
    ErrorCode("scale-not-positive", _F, "A noise scale must be above 0.", "Use a positive scale."),
    ErrorCode(
        "scale-too-large",
        _F,
        "The noise scale exceeds the largest that lapcat samples exactly.",
        "Use a larger epsilon, or narrower bounds.",
    ),
    ErrorCode(
        "sensitivity-zero",
        _F,
        "The statistic has sensitivity 0: nobody can change it, so it needs no noise.",
        "Publish it without noise.",
    ),
    ErrorCode("today-date", _F, "The date of CURRENT_DATE is a date, or its ISO text.", 'today="2024-06-30"'),
)
