"""BadQuery: the question, or an argument of a command or call, is wrong."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

QUESTIONS = (
    ErrorCode(
        "syntax",
        _F,
        "The text is not SQL that lapcat can read: a word is misspelt, something is missing, or a quote or comment is not closed.",
        "Look at the caret. A question is one SELECT; docs/sql.md has what it may say. Texts stand in single quotes, columns in double ones.",
        "SELEC COUNT(*) FROM staff",
    ),
    ErrorCode(
        "unsupported",
        _F,
        "A clause, function or operator has no privacy rule in lapcat, so it is refused, never passed on to the engine. "
        "What works: COUNT, SUM and AVG (also with FILTER, and arithmetic over them), JOIN and LEFT JOIN, WITH, sub-queries, "
        "UNION ALL in them, WHERE, GROUP BY with ROLLUP, CUBE and GROUPING SETS, HAVING, ORDER BY, LIMIT; comparison, AND, "
        "OR, NOT, IN, BETWEEN, IS NULL, LIKE with a constant pattern, + - * /, CASE, CAST, COALESCE, ABS, ROUND, FLOOR, "
        "CEIL, LEAST, GREATEST, CLAMP, WIDTH_BUCKET, DATE_TRUNC and date parts.",
        "Do what the fix says, or leave the clause out; docs/sql.md has what to write instead.",
        "SELECT COUNT(*) FROM staff CROSS JOIN staff AS other",
    ),
    ErrorCode(
        "two-statements",
        _F,
        "A question is one statement; the text holds several.",
        "Ask them one after the other.",
        "SELECT COUNT(*) FROM staff; SELECT COUNT(*) FROM staff",
    ),
    ErrorCode(
        "not-a-select",
        _F,
        "lapcat answers SELECT statements and nothing else; it never changes data.",
        "Write the question as a SELECT.",
        "DROP TABLE staff",
    ),
    ErrorCode(
        "no-table",
        _F,
        "The question names no table.",
        "Add FROM and one of the tables that `lapcat tables` lists.",
        "SELECT COUNT(*)",
    ),
    ErrorCode(
        "unknown-table",
        _F,
        "The catalogue declares no table of that name.",
        "`lapcat tables` lists what may be asked about.",
        "SELECT COUNT(*) FROM staf",
    ),
    ErrorCode(
        "unknown-column",
        _F,
        "The catalogue does not declare the column, and what it does not declare is private; or an answer has no such column.",
        "`lapcat schema TABLE` lists the columns. The steward may declare it: `age = {}` under `[tables.staff.columns]`.",
        "SELECT AVG(salry) FROM staff",
    ),
    ErrorCode(
        "unknown-aggregate",
        _F,
        "lapcat has no aggregate of that name.",
        "`docs/statistics.md` lists all that it has: counts, sums, averages, variances, quantiles, extremes and modes.",
        "SELECT STRING_AGG(region) FROM staff",
    ),
    ErrorCode(
        "quantile-range",
        _F,
        "A quantile is one constant between 0 and 1; the ends are MIN and MAX, and several quantiles are several columns, paid once.",
        "`QUANTILE_CONT(salary, 0.9)`",
        "SELECT QUANTILE_CONT(salary, 1.5) FROM staff",
    ),
    ErrorCode(
        "top-k-range",
        _F,
        "APPROX_TOP_K lists a whole number of values, and no more than are public.",
        "`APPROX_TOP_K(region, 3)`",
        "SELECT APPROX_TOP_K(region, 900) FROM staff",
    ),
    ErrorCode(
        "public-table",
        _F,
        "The table is declared public: a question about it alone needs no lapcat.",
        "Open it directly.",
        "SELECT COUNT(*) FROM regions",
    ),
    ErrorCode(
        "group-position",
        _F,
        "GROUP BY names a position that the SELECT list does not have.",
        "Count the columns from 1, or name the column.",
        "SELECT region, COUNT(*) FROM staff GROUP BY 3",
    ),
    ErrorCode(
        "name-taken",
        _F,
        "Two columns of the answer would have the same name. Each value x comes with x_low and x_high.",
        "Give each its own name with AS.",
        "SELECT COUNT(*) AS n, COUNT(*) AS n_low FROM staff",
    ),
    ErrorCode(
        "type-mismatch",
        _F,
        "An expression needs another type than it was given. Types are declared in the catalogue; nothing is converted silently.",
        "Compare like with like, or CAST one side.",
        "SELECT COUNT(*) FROM staff WHERE age > 'old'",
    ),
    ErrorCode(
        "number-too-large",
        _F,
        "A number is beyond what lapcat computes with.",
        "Write a smaller one.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1e999",
    ),
    ErrorCode(
        "too-long",
        _F,
        "The question is longer than 64 kB. It was refused before anything read it.",
        "Ask for less at once.",
    ),
    ErrorCode(
        "too-deep",
        _F,
        "The question is nested too deep. It was refused before it was parsed.",
        "Write it flatter.",
    ),
    ErrorCode(
        "batch-empty",
        _F,
        "A batch has at least one question.",
        'db.batch(["SELECT COUNT(*) FROM staff"], epsilon=1)',
        "db.batch([], epsilon=1)",
    ),
    ErrorCode(
        "question-text",
        _F,
        "In Python, a question is a text.",
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
        "The file with the question cannot be read, or is not UTF-8 text.",
        "Name a readable text file, or give the question in quotes.",
        "lapcat ask -f no-such-file.sql --epsilon 0.1",
    ),
)

ARGUMENTS = (
    ErrorCode(
        "usage",
        _F,
        "The command line is not as the command expects it: an unknown command or option, or a missing value.",
        "`lapcat --help` lists the commands, `lapcat COMMAND --help` its options.",
        "lapcat ask --epsilonn 1",
    ),
    ErrorCode(
        "price-missing",
        _F,
        "A question is asked with exactly one of epsilon, rho and error. There is no default: how much privacy a question is worth is a decision. Only what follows from stored answers is given without a price.",
        "--epsilon 0.1, or --error 500 for the least epsilon that gives this error.",
        "lapcat ask 'SELECT COUNT(*) FROM staff'",
    ),
    ErrorCode(
        "number-unreadable",
        _F,
        "A number is not written in a form that lapcat reads exactly. NaN, infinity and a decimal comma are refused.",
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
        "A confidence lies between 0.5 and 1.",
        "--confidence 0.95",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --confidence 2",
    ),
    ErrorCode(
        "delta-missing",
        "BadQuery",
        "The question groups by private keys: a group is shown where enough units are in it, and delta bounds the chance to "
        "show one that only one person is in. It has no default.",
        "delta=1e-7, or --delta 1e-7",
    ),
    ErrorCode(
        "delta-unused",
        _F,
        "Nothing in this question can use delta: it has no private groups, and a budget that it debits has no epsilon with a "
        "delta, which would buy Gaussian noise.",
        "Leave delta out.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --delta 1e-7",
    ),
    ErrorCode(
        "forms-conflict",
        _F,
        "An answer has one form: --json, --csv or --plain.",
        "Choose one.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --json --csv",
    ),
    ErrorCode(
        "receipt-file",
        _F,
        "The receipt cannot be written there (this is seen before anything is spent), or there is none to verify.",
        "Name a file in a folder that exists.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 --receipt /no/such/folder/r.json",
    ),
    ErrorCode(
        "error-unknown",
        _F,
        "There is no error of that code.",
        "`lapcat error` lists them all.",
        "lapcat error bonds-missing",
    ),
    ErrorCode(
        "reason-missing",
        _F,
        "What the steward changes stays in the ledger with a reason, and the reason is empty.",
        '--reason "why"',
        "lapcat accept --reason ''",
    ),
    ErrorCode(
        "extra-missing",
        _F,
        "A library that is optional is needed for this form, or for a ledger or tables on a server, and is not installed.",
        "pip install 'lapcat[pandas]' (or [polars], [arrow], [postgres], [spark]); for Spark Connect: pip install 'pyspark[connect]>=4.3'",
        "answer.to_pandas()",
    ),
    ErrorCode(
        "analyst-missing",
        _F,
        "The catalogue names its analysts, so a question needs one of them.",
        "--as ana on the command line (or LAPCAT_ANALYST), analyst='ana' in Python.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1",
    ),
    ErrorCode(
        "analyst-unknown",
        _F,
        "The catalogue does not name this analyst.",
        "One of the analysts under [analysts.…] in lapcat.toml; or none where it names nobody.",
        "lapcat budget --as nobody",
    ),
    ErrorCode(
        "table-not-granted",
        _F,
        "The analyst has no limit for this table, so may not ask about it.",
        "The steward adds it: tables = { staff = { epsilon = 1 } } under [analysts.ana].",
        "lapcat ask 'SELECT COUNT(*) FROM wages' --epsilon 1 --as ana",
    ),
    ErrorCode(
        "catalogue-line",
        _F,
        "The bounds that were found cannot be written into the catalogue: the column's line is not of the form "
        "age = { … }. Nothing was written; what was found is paid for, and asking again is free.",
        "Write the line yourself, as the message shows it.",
        "lapcat bounds staff.age --epsilon 1 --write, where the column has a heading of its own",
    ),
)
