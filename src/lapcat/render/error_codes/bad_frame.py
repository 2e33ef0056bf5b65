"""BadQuery: invalid builder steps, SQL options, or metadata of another tool."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

BUILDER = (
    ErrorCode(
        "column-ambiguous",
        _F,
        "Several joined tables have a column of this name.",
        'Qualify it: orders.id in SQL, on={"orders.id": "order_id"} in Python.',
    ),
    ErrorCode(
        "expression-text",
        _F,
        "Each argument of a builder step must be one SQL expression: quotes and brackets closed, no comment, no top-level "
        "comma, no clause.",
        '.group_by("region", decade="FLOOR(age / 10)")',
        "db.table('staff').where('age > 30; DROP TABLE staff')",
    ),
    ErrorCode(
        "join-how",
        _F,
        "A join must be inner or left.",
        'how="left"',
        "db.table('orders').join('people', on='person_id', how='outer')",
    ),
    ErrorCode("join-on", _F, "A join needs at least one column to match by.", 'on="person_id"'),
    ErrorCode(
        "keys-list",
        _F,
        "Grouping sets must be lists of keys.",
        '.grouping_sets(["region", "kind"], ["region"], [])',
        "db.table('staff').grouping_sets('region')",
    ),
    ErrorCode(
        "measure-unknown",
        _F,
        "agg takes aggregates, arithmetic on aggregates and numbers, or SQL text.",
        '.agg(pay=lapcat.mean("salary"))',
        "db.table('staff').agg(n=1)",
    ),
    ErrorCode(
        "name-empty",
        _F,
        "A column needs a name of at least one character.",
        '.with_columns(monthly="salary / 12")',
        "db.table('staff').select('salary / 12')",
    ),
    ErrorCode(
        "rows-wanted",
        _F,
        "join and union take rows: a table, or a table with filters and joins.",
        '.union(db.table("archive"))',
        "db.table('staff').union('archive')",
    ),
    ErrorCode(
        "step-empty",
        _F,
        "The step has no arguments.",
        '.where("age >= 30")',
        "db.table('staff').where()",
    ),
    ErrorCode("step-number", _F, "A limit, an offset or a bound must be a whole number.", ".limit(10)"),
    ErrorCode(
        "step-order",
        _F,
        "The steps are out of order: filter, join and group before agg; sort, limit and run after it.",
        'db.table("staff").where("age >= 30").agg(n=lapcat.count()).order_by("n").limit(3)',
        "db.table('staff').run(epsilon=0.1)",
    ),
    ErrorCode(
        "union-columns",
        _F,
        "Both sides of a union must have the same column names.",
        '.select("region", "salary") on both sides first',
    ),
    ErrorCode(
        "unit-column",
        _F,
        "One row per unit needs a column that identifies the unit.",
        "Join the table that has it, or keep it in select.",
    ),
)

OPTIONS = (
    ErrorCode(
        "foreign-aggregate",
        _F,
        "Contribution bounds per group, as GoogleSQL writes them, stand where units cannot be aggregated first: in a sub-query, "
        "beside aggregates without bounds, or with groups that are not columns.",
        "SUM(CLAMP(cost, 0, 100)), which bounds each row; the message shows it with your own numbers.",
        "SELECT MONTH(day), SUM(cost, contribution_bounds_per_group => (0, 100)) FROM visits GROUP BY 1",
    ),
    ErrorCode(
        "option-twice",
        _F,
        "An option appears twice in OPTIONS(…).",
        "Remove one of them.",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, epsilon=2) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "option-unknown",
        _F,
        "OPTIONS(…) accepts epsilon, delta, privacy_unit_column, max_groups_contributed, max_rows_contributed and group_selection_strategy.",
        "OPTIONS(epsilon=0.5)",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilom=1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "option-value",
        _F,
        "The value of an option is out of range.",
        "epsilon=0.5, delta=1e-7, max_groups_contributed=2",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=-1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "options-place",
        _F,
        "WITH DIFFERENTIAL_PRIVACY applies to the whole question and cannot appear in a sub-query.",
        "Write it right after the outermost SELECT.",
        "SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) age FROM staff)",
    ),
    ErrorCode(
        "options-syntax",
        _F,
        "Options must be written as name=value, separated by commas.",
        "OPTIONS(epsilon=0.5, max_groups_contributed=2)",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon 1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "price-twice",
        _F,
        "The question sets a price in OPTIONS(…), and the call sets a different one.",
        "Remove one of them.",
    ),
)

SMARTNOISE = (
    ErrorCode("metadata-missing", _F, "The metadata file cannot be read.", "lapcat init --from FILE"),
    ErrorCode(
        "metadata-unknown",
        _F,
        "The file is YAML but not SmartNoise SQL metadata: a collection of schemas, tables and columns.",
        "Give every column its type, and keep one collection in the file.",
    ),
    ErrorCode(
        "source-unmatched",
        _F,
        "A source has the name of no table in the metadata, or two sources have the same name.",
        "Name the files after the tables.",
    ),
    ErrorCode(
        "yaml-syntax",
        _F,
        "A line of the metadata is not of the form key: value. Lists, anchors, tags and block texts are not supported.",
        "name: value, indented with spaces",
    ),
)
