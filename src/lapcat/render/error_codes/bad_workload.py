"""BadQuery and Refused: invalid workloads of counting queries."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

WORKLOADS = (
    ErrorCode(
        "workload-value",
        _F,
        "A range starts or ends at a value that is not declared for its column.",
        "Use declared values, or the values that name buckets.",
        'Workload.ranges("age", [(0, 200)]) where ages are declared from 18 to 99',
    ),
    ErrorCode(
        "workload-range",
        _F,
        "A range ends before it starts, in the declared order of the values.",
        "Swap its ends.",
        'Workload.ranges("age", [(40, 20)])',
    ),
    ErrorCode(
        "workload-shape",
        _F,
        "Explicit queries must be rows of whole numbers, one per declared value of the column.",
        "Give one whole number per value; scale rows until all entries are whole.",
        'Workload.queries("sex", [[1, 0, 0]]) where two values are declared',
    ),
    ErrorCode(
        "workload-empty",
        _F,
        "The workload contains no queries.",
        "Name at least one range, marginal or query.",
        'Workload.ranges("age", [])',
    ),
    ErrorCode(
        "workload-columns",
        _F,
        "A product or a list of columns names a column twice, or marginals name a column that is not in their list.",
        "Name each column once; concatenate queries about the same column with +.",
        'Workload.ranges("age") * Workload.prefixes("age")',
    ),
    ErrorCode(
        "workload-ways",
        _F,
        "ways exceeds the number of columns.",
        "Use at most the number of columns.",
        'Workload.marginals(["sex", "age"], ways=3)',
    ),
    ErrorCode(
        "workload-weight",
        _F,
        "The wanted error of a workload must be above 0.",
        "Give the acceptable error in rows: Workload.prefixes(...).weighted(10).",
        'Workload.ranges("age").weighted(0)',
    ),
    ErrorCode(
        "workload-nonnegative",
        _F,
        "Non-negative answers need estimated counts of all cells, and the columns of this workload have too many cells.",
        "Keep the answers unconstrained, or use fewer columns at once.",
    ),
)
WORKLOADS_REFUSED = (
    ErrorCode(
        "workload-too-large",
        "Refused",
        "No strategy answers this workload from tables of counts of feasible size, or it has too many answers.",
        "Use fewer columns at once, lower-order marginals, or only the ranges you need.",
        "Workload.marginals(nine columns of ten values)",
    ),
)
