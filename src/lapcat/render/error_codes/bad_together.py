"""BadQuery: questions that cannot be asked together."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

TOGETHER = (
    ErrorCode(
        "workload-mixed",
        _F,
        "Questions that are asked together read the same rows, and their groups are the same or few. The message says which does not fit.",
        "Ask them side by side under one limit: db.batch([...], epsilon=1)",
        "db.workload(['SELECT COUNT(*) AS n FROM staff', 'SELECT COUNT(*) AS n FROM visits'])",
    ),
    ErrorCode(
        "workload-price",
        _F,
        "One of the questions that are asked together names its own price in OPTIONS, and all of them are paid for once.",
        "Leave epsilon and delta out of OPTIONS, and name the price with the workload: .run(epsilon=1)",
    ),
    ErrorCode(
        "workload-table",
        _F,
        "A lapcat.Workload is asked of one table, which has to be named where there are several; questions in SQL name their own.",
        'db.workload(lapcat.Workload.prefixes("age"), table="staff")',
        'db.workload(lapcat.Workload.prefixes("age"))',
    ),
)
