"""BadQuery: a step of the builder, an option in the question, or another tool's file cannot be understood."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

BUILDER = (
    ErrorCode(
        "column-ambiguous",
        _F,
        "Two of the joined tables have a column of this name.",
        'Say whose: orders.id in SQL, on={"orders.id": "order_id"} in Python.',
    ),
    ErrorCode(
        "expression-text",
        _F,
        "A step of the builder takes one SQL expression for each argument: closed quotes and brackets, no comment, comma or clause of its own.",
        '.group_by("region", decade="FLOOR(age / 10)")',
        "db.table('staff').where('age > 30; DROP TABLE staff')",
    ),
    ErrorCode(
        "join-how",
        _F,
        "A join is inner or left.",
        'how="left"',
        "db.table('orders').join('people', on='person_id', how='outer')",
    ),
    ErrorCode("join-on", _F, "A join needs at least one column to match by.", 'on="person_id"'),
    ErrorCode(
        "keys-list",
        _F,
        "Grouping sets are lists of keys.",
        '.grouping_sets(["region", "kind"], ["region"], [])',
        "db.table('staff').grouping_sets('region')",
    ),
    ErrorCode(
        "measure-unknown",
        _F,
        "agg takes aggregates, arithmetic of them with numbers, or a text of SQL.",
        '.agg(pay=lapcat.mean("salary"))',
        "db.table('staff').agg(n=1)",
    ),
    ErrorCode(
        "name-empty",
        _F,
        "A column needs a name, of at least one character.",
        '.with_columns(monthly="salary / 12")',
        "db.table('staff').select('salary / 12')",
    ),
    ErrorCode(
        "rows-wanted",
        _F,
        "join and union take the rows of a table.",
        '.union(db.table("archive"))',
        "db.table('staff').union('archive')",
    ),
    ErrorCode(
        "step-empty",
        _F,
        "A step was given nothing to do.",
        '.where("age >= 30")',
        "db.table('staff').where()",
    ),
    ErrorCode("step-number", _F, "A limit, an offset or a bound is a whole number.", ".limit(10)"),
    ErrorCode(
        "step-order",
        _F,
        "A step cannot stand here: rows are filtered, joined and grouped before agg; the answer is sorted, cut and asked for after it.",
        'db.table("staff").where("age >= 30").agg(n=lapcat.count()).order_by("n").limit(3)',
        "db.table('staff').run(epsilon=0.1)",
    ),
    ErrorCode(
        "union-columns",
        _F,
        "The parts of a union have columns of the same names.",
        '.select("region", "salary") on both sides first',
    ),
    ErrorCode(
        "unit-column",
        _F,
        "One row for each unit needs a column that names the unit.",
        "Join the table that has it, or keep it in select.",
    ),
)

OPTIONS = (
    ErrorCode(
        "foreign-aggregate",
        _F,
        "An aggregate is written in GoogleSQL's way, with its bounds inside or with ANON_ before its name.",
        "SUM(CLAMP(cost, 0, 100)); the message has it with your own numbers.",
        "SELECT ANON_SUM(cost CLAMPED BETWEEN 0 AND 100) FROM visits",
    ),
    ErrorCode(
        "option-twice",
        _F,
        "An option stands twice in OPTIONS(…).",
        "Leave one of them out.",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, epsilon=2) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "option-unknown",
        _F,
        "OPTIONS(…) knows epsilon, delta, privacy_unit_column, max_groups_contributed and max_rows_contributed.",
        "OPTIONS(epsilon=0.5)",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilom=1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "option-value",
        _F,
        "An option has a value that it cannot have.",
        "epsilon=0.5, delta=1e-7, max_groups_contributed=2",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=-1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "options-place",
        _F,
        "The clause WITH DIFFERENTIAL_PRIVACY is about the whole question.",
        "Write it right behind the outermost SELECT.",
        "SELECT COUNT(*) FROM (SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) age FROM staff)",
    ),
    ErrorCode(
        "options-syntax",
        _F,
        "Options are written as name=value, with commas between them.",
        "OPTIONS(epsilon=0.5, max_groups_contributed=2)",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon 1) COUNT(*) FROM staff",
    ),
    ErrorCode(
        "price-twice",
        _F,
        "The question names a price in OPTIONS(…), and it was asked at another one.",
        "Leave one of them out.",
    ),
)

SMARTNOISE = (
    ErrorCode("metadata-missing", _F, "The metadata file cannot be read.", "lapcat init --from FILE"),
    ErrorCode(
        "metadata-unknown",
        _F,
        "The file is YAML, but not the metadata of SmartNoise SQL: a collection of schemas of tables of columns.",
        "Give every column its type, and leave one collection in the file.",
    ),
    ErrorCode(
        "source-unmatched",
        _F,
        "A source is called like no table of the metadata, or two are called alike.",
        "Name the files after the tables.",
    ),
    ErrorCode(
        "yaml-syntax",
        _F,
        "A line of the metadata is not of the form key: value. Lists, anchors, tags and long texts are not read.",
        "name: value, indented with spaces",
    ),
)
