"""BadQuery: an invalid catalogue or source."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

CATALOGUE = (
    ErrorCode(
        "meaning-differs",
        _F,
        "Two tables share a source or a population but declare different units or relations, so their losses cannot be added "
        "up.",
        "Give both the same unit and relation, or remove one.",
    ),
    ErrorCode(
        "catalogue",
        _F,
        "A key of lapcat.toml is missing, misspelt or has an invalid value; the message names the key and the line.",
        "Correct the line as the fix says, then run `lapcat check`.",
        "[tables.staff] without unit",
    ),
    ErrorCode(
        "spark-elsewhere",
        _F,
        "This process already has a Spark session with a different master than [engine.spark] names, and Spark allows one "
        "context per process. Or the process uses Spark Connect and [engine.spark] names another kind of master.",
        "Call spark.stop() before lapcat.open(), or leave master out of [engine.spark]. With Spark Connect, run in a process "
        "without SPARK_REMOTE.",
    ),
    ErrorCode(
        "spark-setting",
        _F,
        "conf of [engine.spark] contains a setting that lapcat controls, because the meaning or the logging of its statements "
        "depends on it; or one that a Spark Connect server does not let clients set.",
        'Remove it from conf. The master has its own key: master = "spark://head.example:7077"',
    ),
    ErrorCode(
        "spark-connect",
        _F,
        "No Spark Connect server is named: the process has no session left and SPARK_REMOTE is not set.",
        'Set master = "sc://HOST:15002" under [engine.spark].',
    ),
    ErrorCode(
        "catalogue-syntax",
        _F,
        "lapcat.toml is not valid TOML.",
        'A line looks like `key = "value"`, a section like `[tables.staff]`.',
        "unit person_id",
    ),
    ErrorCode(
        "ledger-address",
        _F,
        "[ledger] store is not a valid PostgreSQL address. It is not shown, because it may contain a password.",
        'store = "postgresql://user@host:5432/database"',
    ),
    ErrorCode(
        "ledger-text",
        _F,
        "A file name, analyst or key contains a NUL or bytes that are not UTF-8, which PostgreSQL cannot store. Nothing was "
        "spent.",
        'Rename it, or keep the ledger in a file: store = "sqlite:lapcat.ledger".',
    ),
    ErrorCode(
        "catalogue-missing",
        _F,
        "No catalogue was found. lapcat looks at -c, then LAPCAT_CATALOGUE, then ./lapcat.toml.",
        "Draft one with `lapcat init FILE`, or name it with -c.",
        "lapcat budget -c nowhere.toml",
    ),
    ErrorCode(
        "catalogue-exists",
        _F,
        "`lapcat init` and `lapcat demo` never overwrite a catalogue, because it records decisions.",
        "Move the old file away, or write the draft elsewhere with -c.",
        "lapcat init staff.csv, twice",
    ),
    ErrorCode(
        "never-refreshed",
        _F,
        "Questions read only snapshots written by the steward's `lapcat refresh`, and this table has none yet.",
        "lapcat refresh TABLE",
    ),
    ErrorCode(
        "same-version",
        _F,
        "`lapcat refresh --same-version` writes the missing snapshot of one table and records a reason in the ledger; the table "
        "or the reason is missing.",
        'lapcat refresh TABLE --same-version --reason "why"',
        "lapcat refresh --same-version",
    ),
    ErrorCode(
        "unit-type",
        _F,
        "Tables of one population declare the unit column with different types, so units cannot be matched across them.",
        'Declare the same type in all of them, such as person_id = { type = "integer" }, then run lapcat refresh.',
    ),
    ErrorCode(
        "version-changed",
        _F,
        "A new version of the table was declared while the question was being processed. Nothing was spent.",
        "Ask again.",
    ),
)

SOURCES = (
    ErrorCode(
        "source-unknown",
        _F,
        "lapcat does not read this kind of source.",
        'source = "staff.csv", or "staff.xlsx#Sheet1", or "duckdb:company.db#staff"',
        "lapcat init staff.doc",
    ),
    ErrorCode(
        "read-option",
        _F,
        "`read` sets an option that this kind of file does not have, such as an encoding for a workbook, or any option for "
        "Parquet.",
        "Leave it out; docs/catalogue.md lists the options of each kind of file.",
    ),
    ErrorCode(
        "table-twice",
        _F,
        "Two files given to `init`, or a file and a table of the catalogue, would get the same table name.",
        "Add the second table to the catalogue by hand, under another name.",
        "lapcat init staff.csv staff.parquet",
    ),
    ErrorCode(
        "source-names",
        _F,
        "`read.names` lists more or fewer names than the file has columns.",
        "List one name per column, in order.",
    ),
    ErrorCode(
        "header-doubled",
        _F,
        "Several columns of the file have the same name, possibly differing only in case.",
        "Rename them in the file, or let lapcat append _1, _2, …: `lapcat init --rename-duplicates`, or read.rename_duplicates = true.",
    ),
    ErrorCode(
        "source-password",
        _F,
        "The address of a table on a server contains a password. Catalogues are shared and kept, so they must not contain one.",
        "Leave it out, and put the password into ~/.pgpass (mode 600) or PGPASSWORD.",
        "lapcat init postgresql://ana:secret@localhost/company#staff",
    ),
    ErrorCode(
        "engines-differ",
        _F,
        "A question, or a path of keys, connects tables of different engines or servers. Rows never leave the engine that "
        "stores them.",
        "Ask about each table separately, or give them sources on the same engine.",
    ),
    ErrorCode(
        "text-nul",
        _F,
        "The question compares with a text that contains the character NUL, which PostgreSQL cannot store.",
        "Remove the condition: no row matches it.",
    ),
    ErrorCode(
        "source-unreadable",
        _F,
        "The file does not exist or cannot be read.",
        "Correct source = … in lapcat.toml; relative paths start at its folder.",
        "lapcat init nowhere.csv",
    ),
    ErrorCode(
        "source-table",
        _F,
        "The DuckDB file or the database has no table of this name that lapcat can see.",
        'Name an existing table: source = "duckdb:company.db#TABLE"',
        "lapcat init duckdb:company.db#staf",
    ),
    ErrorCode(
        "column-missing",
        _F,
        "The catalogue declares a column that the source does not have.",
        "Correct the name under [tables.….columns], or remove the line; `lapcat check` lists all such columns.",
    ),
    ErrorCode(
        "snapshot-unknown",
        _F,
        "No snapshot has this name.",
        "List the snapshots with `lapcat snapshots`.",
        "lapcat snapshots prune visits_csv-00000000.1.parquet",
    ),
    ErrorCode(
        "snapshot-needed",
        _F,
        "The snapshot holds the current version of a table, belongs to another ledger, or is being written.",
        "Declare a new version with `lapcat refresh`; this one is then old and can be pruned.",
    ),
    ErrorCode(
        "table-not-gone",
        _F,
        "--renamed or --forget names a table that is in the catalogue, or that was never accepted.",
        "Use the name under which the table was last accepted; `lapcat accept` without these options lists the missing tables.",
    ),
    ErrorCode(
        "header-unsure",
        _F,
        "The first line of the file may be a row: one of its cells looks like a value or occurs again in its column, or every "
        "column is text. A draft would publish that line.",
        "Check the line yourself, then run `lapcat init` with --header if it holds the column names, or with --no-header if it "
        "is a row.",
    ),
    ErrorCode(
        "column-type",
        _F,
        "The column cannot hold values of its declared type, or has a type that lapcat does not support.",
        "Declare the type that the message suggests, or leave the column out.",
    ),
    ErrorCode(
        "column-reserved",
        _F,
        "Column names that begin with _lapcat_ are reserved.",
        "Rename the column in the source.",
    ),
    ErrorCode(
        "snapshot-stale",
        _F,
        "The snapshot was written under another declaration of the unit or the columns.",
        "lapcat refresh TABLE",
    ),
    ErrorCode(
        "engine-limit",
        _F,
        "DuckDB does not accept this amount of memory or number of threads.",
        'Set memory = "4GB" and threads = 2 under [engine].',
    ),
)
