"""BadQuery: questions that cannot form one workload."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

TOGETHER = (
    ErrorCode(
        "union-rows",
        _F,
        "The answers of a UNION ALL must be about the same rows: the same tables and joins. WHERE, groups and aggregates may differ.",
        "Ask the parts one after the other.",
        "SELECT COUNT(*) AS n FROM staff UNION ALL SELECT COUNT(*) FROM visits",
    ),
    ErrorCode(
        "workload-mixed",
        _F,
        "Questions in one workload must read the same rows, and have the same groups or few groups. The message names the one "
        "that does not fit.",
        "Ask them side by side under one limit: db.batch([...], epsilon=1)",
        "db.workload(['SELECT COUNT(*) AS n FROM staff', 'SELECT COUNT(*) AS n FROM visits'])",
    ),
    ErrorCode(
        "workload-price",
        _F,
        "A question in the workload sets its own price in OPTIONS, but the workload is charged once for all.",
        "Remove epsilon and delta from OPTIONS, and set the price on the workload: .run(epsilon=1)",
    ),
    ErrorCode(
        "workload-table",
        _F,
        "A lapcat.Workload needs a table name if the session has several tables; SQL questions name their own.",
        'db.workload(lapcat.Workload.prefixes("age"), table="staff")',
        'db.workload(lapcat.Workload.prefixes("age"))',
    ),
)
