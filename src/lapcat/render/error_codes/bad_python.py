"""BadQuery: an argument of a Python call is wrong."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

FRAMES = (
    ErrorCode(
        "request-key",
        _F,
        "A key is a text of 1 to 200 printable characters.",
        'key="monday-report-1"',
    ),
    ErrorCode(
        "timeout-range",
        _F,
        "A timeout is a whole number of seconds, at least as many as every question has. With fewer, whether a question fails "
        "would tell how long its rows take.",
        "timeout=1200, or leave it out",
    ),
    ErrorCode(
        "no-debit",
        _F,
        "The entry of the ledger that was named is no debit.",
        "`lapcat ledger list` shows the debits.",
    ),
    ErrorCode(
        "budget-range",
        _F,
        "A budget has an epsilon above 0, and a delta between 0 and 1 if any.",
        "epsilon=1",
    ),
    ErrorCode(
        "column-twice",
        _F,
        "Two columns have one name, or differ only in upper case, which SQL does not tell apart.",
        "Rename one of them.",
    ),
    ErrorCode(
        "whole-number",
        _F,
        "rows_per_unit, units and version are whole numbers from 1; with unit='row' each unit has one row.",
        "rows_per_unit=10",
        "lapcat.table(df, unit='person', rows_per_unit=1.5, epsilon=1)",
    ),
    ErrorCode(
        "frame-unknown",
        _F,
        "lapcat.table takes a pandas, Polars or Arrow table, or a dict of arrays or lists, of at least one column; a LazyFrame is collected first.",
        "lapcat.table(pandas.DataFrame(data), …)",
        "lapcat.table([1, 2, 3], unit='row', epsilon=1)",
    ),
    ErrorCode(
        "frame-unreadable",
        _F,
        "The data frame cannot be read.",
        "Make its columns plain numbers, texts or dates.",
    ),
    ErrorCode(
        "type-unknown",
        _F,
        "There is no type of that name.",
        "integer, float, text, boolean, date or timestamp",
    ),
    ErrorCode(
        "rows-per-unit-missing",
        _F,
        "With a unit column the most rows that one unit may count for must be named.",
        "rows_per_unit=10",
        "lapcat.table(df, unit='person_id', epsilon=1)",
    ),
    ErrorCode(
        "units",
        _F,
        "units=… goes with relation='replace-one', and only then.",
        "Give both, or neither.",
        "lapcat.table(df, unit='row', epsilon=1, units=100)",
    ),
    ErrorCode(
        "bounds-type", _F, "Bounds are for columns of numbers and dates.", "keys={'region': […]} for texts"
    ),
    ErrorCode(
        "bounds-range",
        _F,
        "The lower bound is below the upper one, and bounds of integers are integers.",
        "bounds={'age': (0, 110)}",
        "lapcat.table(df, unit='row', epsilon=1, bounds={'age': (9, 3)})",
    ),
    ErrorCode(
        "keys-type", _F, "A key is a text, an integer, a boolean or a date.", "types={'zip': 'integer'}"
    ),
    ErrorCode(
        "keys-range", _F, "Keys are a list of different values.", "keys={'region': ['north', 'south']}"
    ),
    ErrorCode("null-range", _F, "The value for NULL lies within the column's bounds.", "null={'age': 0}"),
)

MECHANISMS = (
    ErrorCode("chart-column", _F, "A chart shows a column of numbers with intervals.", "a.plot('n')"),
    ErrorCode(
        "magic-usage",
        _F,
        "The first line of a %%lapcat cell says the price and where to ask.",
        "%%lapcat --epsilon 0.1",
    ),
    ErrorCode(
        "explain-loss",
        _F,
        "A meaning is asked for one loss: an epsilon, a rho, a table's, or the one for a wish.",
        "lapcat.explain(1), lapcat epsilon 1",
        "lapcat.explain()",
    ),
    ErrorCode(
        "explain-delta",
        _F,
        "A rho has words only beside a delta, the chance that they fail.",
        "lapcat.explain(rho=0.1, delta=1e-6)",
        "lapcat.explain(rho=0.1)",
    ),
    ErrorCode(
        "explain-count",
        _F,
        "Releases and the people of a household are whole numbers from 1 to a million.",
        "household=4",
        "lapcat.explain(1, household=0)",
    ),
    ErrorCode(
        "posterior-range",
        _F,
        "A suspicion grows: from a prior above 0 to a larger posterior below 1.",
        "epsilon_for(posterior=0.75, prior=0.5)",
        "lapcat.epsilon_for(posterior=0.4)",
    ),
    ErrorCode(
        "delta-range",
        _F,
        "delta is a probability: at least 0 and below 1; a large group may leave no promise at all.",
        "delta=1e-7, or a smaller group",
        "lapcat.group(epsilon=1, delta=0.5, size=4)",
    ),
    ErrorCode(
        "epsilon-sign", _F, "An epsilon is never negative.", "epsilon=0.1", "lapcat.group(epsilon=-1, size=2)"
    ),
    ErrorCode("rho-sign", _F, "A rho is never negative.", "rho=0.005", "lapcat.group(rho=-1, size=2)"),
    ErrorCode(
        "epsilon-zero",
        _F,
        "An epsilon of 0 leaves no answer: its noise would be infinite.",
        "epsilon=0.1",
    ),
    ErrorCode(
        "group-size", _F, "A group has at least one unit.", "size=4", "lapcat.group(epsilon=1, size=0)"
    ),
    ErrorCode(
        "group-loss",
        _F,
        "A group's loss is stated either by epsilon (with or without delta) or by rho.",
        "Give one of them.",
        "lapcat.group(epsilon=1, rho=1, size=2)",
    ),
    ErrorCode("probability-range", _F, "A probability lies strictly between 0 and 1.", "0.95"),
    ErrorCode("scale-not-positive", _F, "A noise scale is above 0.", "A positive scale."),
    ErrorCode(
        "scale-too-large",
        _F,
        "The noise would be wider than what lapcat draws exactly.",
        "A larger epsilon, or narrower bounds.",
    ),
    ErrorCode(
        "sensitivity-zero",
        _F,
        "A statistic that nobody can move needs no noise, so Laplace noise has nothing to hide.",
        "Publish it as it is.",
    ),
)
