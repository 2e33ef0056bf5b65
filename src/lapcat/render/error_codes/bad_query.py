"""BadQuery: an invalid question, or an invalid argument of a command or call."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

QUESTIONS = (
    ErrorCode(
        "syntax",
        _F,
        "The text is not valid SQL: a keyword is misspelt, something is missing, or a quote or comment is not closed.",
        "The caret marks the place. A question is one SELECT; docs/sql.md describes the dialect. Use single quotes for texts, "
        "double quotes for columns.",
        "SELEC COUNT(*) FROM staff",
    ),
    ErrorCode(
        "unsupported",
        _F,
        "A clause, function or operator has no privacy rule in lapcat, so it is refused and never passed to the engine. "
        "Supported: COUNT, SUM and AVG (with FILTER and arithmetic), JOIN and LEFT JOIN, WITH, sub-queries, UNION ALL in them, "
        "WHERE, GROUP BY with ROLLUP, CUBE and GROUPING SETS, HAVING, ORDER BY, LIMIT; comparison, AND, OR, NOT, IN, BETWEEN, "
        "IS NULL, LIKE with a constant pattern, + - * /, CASE, CAST, COALESCE, ABS, ROUND, FLOOR, CEIL, LEAST, GREATEST, CLAMP, "
        "WIDTH_BUCKET, DATE_TRUNC and date parts; UPPER, LOWER, TRIM, SUBSTRING, LEFT, RIGHT, LENGTH, CONCAT, ||, POSITION, REPLACE "
        "and SPLIT_PART of texts.",
        "Follow the fix, or remove the clause; docs/sql.md lists alternatives.",
        "SELECT COUNT(*) FROM staff CROSS JOIN staff AS other",
    ),
    ErrorCode(
        "today-missing",
        _F,
        "CURRENT_DATE is the date that the steward gives with the data, and they gave none. It is never read from a clock, a file or the "
        "rows.",
        'lapcat refresh TABLE --today 2024-06-30, today="2024-06-30" in lapcat.table, or write the date.',
        "SELECT COUNT(*) FROM staff WHERE hired > CURRENT_DATE",
    ),
    ErrorCode(
        "today-differs",
        _F,
        "The question uses CURRENT_DATE and reads tables whose versions have different dates.",
        "Write the date, or refresh the tables with one date: lapcat refresh --today 2024-06-30.",
    ),
    ErrorCode(
        "two-statements",
        _F,
        "A question is one statement; the text contains several.",
        "Ask them one at a time.",
        "SELECT COUNT(*) FROM staff; SELECT COUNT(*) FROM staff",
    ),
    ErrorCode(
        "not-a-select",
        _F,
        "lapcat answers only SELECT statements; it never changes data.",
        "Write the question as a SELECT.",
        "DROP TABLE staff",
    ),
    ErrorCode(
        "no-table",
        _F,
        "The question names no table.",
        "Add FROM with a table that `lapcat tables` lists.",
        "SELECT COUNT(*)",
    ),
    ErrorCode(
        "unknown-table",
        _F,
        "The catalogue declares no table of this name.",
        "List the tables with `lapcat tables`.",
        "SELECT COUNT(*) FROM staf",
    ),
    ErrorCode(
        "unknown-column",
        _F,
        "The catalogue does not declare this column, so it is private; or the answer has no such column.",
        "List the columns with `lapcat schema TABLE`. The steward may declare it: `age = {}` under `[tables.staff.columns]`.",
        "SELECT AVG(salry) FROM staff",
    ),
    ErrorCode(
        "unknown-aggregate",
        _F,
        "lapcat has no aggregate of this name.",
        "`docs/statistics.md` lists the aggregates: counts, sums, averages, variances, quantiles, extremes and modes.",
        "SELECT STRING_AGG(region) FROM staff",
    ),
    ErrorCode(
        "quantile-range",
        _F,
        "A quantile takes one constant between 0 and 1. The ends are MIN and MAX; several quantiles are several columns, "
        "charged once.",
        "`QUANTILE_CONT(salary, 0.9)`",
        "SELECT QUANTILE_CONT(salary, 1.5) FROM staff",
    ),
    ErrorCode(
        "top-k-range",
        _F,
        "APPROX_TOP_K takes a whole number, at most the number of public values.",
        "`APPROX_TOP_K(region, 3)`",
        "SELECT APPROX_TOP_K(region, 900) FROM staff",
    ),
    ErrorCode(
        "public-table",
        _F,
        "The table is declared public, so a question about it alone needs no privacy.",
        "Query it directly.",
        "SELECT COUNT(*) FROM regions",
    ),
    ErrorCode(
        "group-position",
        _F,
        "GROUP BY names a position that the SELECT list does not have.",
        "Count the columns from 1, or use the column's name.",
        "SELECT region, COUNT(*) FROM staff GROUP BY 3",
    ),
    ErrorCode(
        "name-taken",
        _F,
        "Two columns of the answer would have the same name. Each value x also has x_low and x_high.",
        "Name each column with AS.",
        "SELECT COUNT(*) AS n, COUNT(*) AS n_low FROM staff",
    ),
    ErrorCode(
        "type-mismatch",
        _F,
        "An operand has the wrong type. Types are declared in the catalogue; there are no implicit conversions.",
        "Compare values of the same type, or CAST one side.",
        "SELECT COUNT(*) FROM staff WHERE age > 'old'",
    ),
    ErrorCode(
        "number-too-large",
        _F,
        "A number exceeds the range that lapcat computes with.",
        "Use a smaller number.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1e999",
    ),
    ErrorCode(
        "too-long",
        _F,
        "The question is longer than 64 kB. It was refused before parsing.",
        "Ask for less at once.",
    ),
    ErrorCode(
        "too-deep",
        _F,
        "The question nests too deeply. It was refused before parsing.",
        "Simplify the query: reduce its nesting.",
    ),
    ErrorCode(
        "batch-empty",
        _F,
        "A batch needs at least one question.",
        'db.batch(["SELECT COUNT(*) FROM staff"], epsilon=1)',
        "db.batch([], epsilon=1)",
    ),
    ErrorCode(
        "question-text",
        _F,
        "In Python a question must be a str.",
        'db.sql("SELECT COUNT(*) FROM staff")',
        "db.sql(42)",
    ),
    ErrorCode(
        "question-missing",
        _F,
        "The command needs exactly one question: as an argument, in a file (-f), or on standard input (-).",
        'lapcat ask "SELECT COUNT(*) AS n FROM staff" --epsilon 0.1',
        "lapcat ask --epsilon 0.1",
    ),
    ErrorCode(
        "question-file",
        _F,
        "The question file cannot be read, or is not UTF-8 text.",
        "Name a readable text file, or pass the question in quotes.",
        "lapcat ask -f no-such-file.sql --epsilon 0.1",
    ),
)

ARGUMENTS = (
    ErrorCode(
        "usage",
        _F,
        "The command line contains an unknown command or option, or a value is missing.",
        "`lapcat --help` lists the commands, `lapcat COMMAND --help` the options of one.",
        "lapcat ask --epsilonn 1",
    ),
    ErrorCode(
        "price-missing",
        _F,
        "A question needs exactly one of epsilon, rho and error. There is no default, because the price is a decision. Without "
        "a price lapcat returns only what follows from stored answers.",
        "--epsilon 0.1, or --error 500 for the smallest epsilon that gives this error.",
        "lapcat ask 'SELECT COUNT(*) FROM staff'",
    ),
    ErrorCode(
        "number-unreadable",
        _F,
        "A number is not in a form that lapcat reads exactly. NaN, infinity and decimal commas are refused.",
        "Write 3, 0.12, 1e-6 or 1/3.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon abc",
    ),
    ErrorCode(
        "epsilon-range",
        _F,
        "epsilon must be above zero; at zero the answer would ignore the data.",
        "--epsilon 0.1",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0",
    ),
    ErrorCode(
        "rho-range",
        _F,
        "rho must be above zero; at zero the answer would ignore the data.",
        "--rho 0.005",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --rho -1",
    ),
    ErrorCode(
        "error-range",
        _F,
        "A wanted error must be above zero: an exact answer protects nobody.",
        "--error 500",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --error 0",
    ),
    ErrorCode(
        "confidence-range",
        _F,
        "confidence must lie between 0.5 and 1.",
        "--confidence 0.95",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --confidence 2",
    ),
    ErrorCode(
        "delta-missing",
        "BadQuery",
        "The question groups by private keys: a group is shown if enough units are in it, and delta bounds the probability of "
        "showing a group of one person. It has no default.",
        "delta=1e-7, or --delta 1e-7",
    ),
    ErrorCode(
        "delta-unused",
        _F,
        "The question cannot use delta: it has no private groups, and no budget it charges has an epsilon with a delta, which "
        "Gaussian noise would need.",
        "Leave delta out.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --delta 1e-7",
    ),
    ErrorCode(
        "forms-conflict",
        _F,
        "An answer has one output format: --json, --csv or --plain.",
        "Choose one.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --json --csv",
    ),
    ErrorCode(
        "receipt-file",
        _F,
        "The receipt cannot be written to this path (checked before anything is spent), or the receipt to verify does not "
        "exist.",
        "Name a file in an existing folder.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --receipt /no/such/folder/r.json",
    ),
    ErrorCode(
        "error-unknown",
        _F,
        "No error has this code.",
        "List the codes with `lapcat error`.",
        "lapcat error bonds-missing",
    ),
    ErrorCode(
        "reason-missing",
        _F,
        "Changes by the steward are recorded in the ledger with a reason, and the reason is empty.",
        '--reason "why"',
        "lapcat accept --reason ''",
    ),
    ErrorCode(
        "extra-missing",
        _F,
        "An optional library is not installed; this output format, ledger or table needs it.",
        "pip install 'lapcat[pandas]' (or [polars], [arrow], [postgres], [spark]); for Spark Connect: pip install 'pyspark[connect]>=4.3'",
        "answer.to_pandas()",
    ),
    ErrorCode(
        "analyst-missing",
        _F,
        "The catalogue names its analysts, so every question needs one of them.",
        "--as ana on the command line (or LAPCAT_ANALYST), analyst='ana' in Python.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1",
    ),
    ErrorCode(
        "analyst-unknown",
        _F,
        "The catalogue does not name this analyst.",
        "Use an analyst declared under [analysts.…] in lapcat.toml; if it declares none, pass none.",
        "lapcat budget --as nobody",
    ),
    ErrorCode(
        "table-not-granted",
        _F,
        "The analyst has no budget for this table and may not query it.",
        "The steward grants it: tables = { staff = { epsilon = 1 } } under [analysts.ana].",
        "lapcat ask 'SELECT COUNT(*) FROM wages' --epsilon 1 --as ana",
    ),
    ErrorCode(
        "catalogue-line",
        _F,
        "The bounds cannot be written into the catalogue, because the column's line is not of the form age = { … }. Nothing was "
        "written. The bounds are already charged; asking again is free.",
        "Write the line yourself, as shown in the message.",
        "lapcat bounds staff.age --epsilon 1 --write, where the column has a heading of its own",
    ),
)
