"""What is wrong with a workload: many counting questions asked together."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

WORKLOADS = (
    ErrorCode(
        "workload-value",
        _F,
        "A range of a workload begins or ends at a value that is not declared for its column.",
        "Take declared values, or the values that name buckets.",
        'Workload.ranges("age", [(0, 200)]) where ages are declared from 18 to 99',
    ),
    ErrorCode(
        "workload-range",
        _F,
        "A range of a workload ends before it begins, in the order in which the values are declared.",
        "Turn it around.",
        'Workload.ranges("age", [(40, 20)])',
    ),
    ErrorCode(
        "workload-shape",
        _F,
        "Questions that are written out are rows of whole numbers, one for each declared value of the column.",
        "Give as many whole numbers as the column has values; multiply rows until they are whole.",
        'Workload.queries("sex", [[1, 0, 0]]) where two values are declared',
    ),
    ErrorCode(
        "workload-empty",
        _F,
        "A workload that asks nothing.",
        "Name at least one range, marginal or question.",
        'Workload.ranges("age", [])',
    ),
    ErrorCode(
        "workload-columns",
        _F,
        "A column is mentioned twice in a product or a list of columns, or is not among those that marginals are taken of.",
        "Name each column once; join lists of questions about one column with +.",
        'Workload.ranges("age") * Workload.prefixes("age")',
    ),
    ErrorCode(
        "workload-ways",
        _F,
        "Marginals of more columns than there are.",
        "ways is at most the number of columns.",
        'Workload.marginals(["sex", "age"], ways=3)',
    ),
    ErrorCode(
        "workload-weight",
        _F,
        "A wanted error of a workload is not above 0.",
        "Give the error that would do, in rows: Workload.prefixes(...).weighted(10).",
        'Workload.ranges("age").weighted(0)',
    ),
    ErrorCode(
        "workload-nonnegative",
        _F,
        "Answers that are not negative come from estimated counts of all cells; the columns of the workload have too many.",
        "Leave the answers as they are, or ask about fewer columns at once.",
    ),
)
WORKLOADS_REFUSED = (
    ErrorCode(
        "workload-too-large",
        "Refused",
        "No strategy answers this workload from tables of counts that can be looked at, or it has too many answers.",
        "Ask about fewer columns at once, for marginals of fewer of them, or for the ranges that are wanted.",
        "Workload.marginals(nine columns of ten values)",
    ),
)
