"""BadQuery: the catalogue or a source that it names is wrong."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

CATALOGUE = (
    ErrorCode(
        "meaning-differs",
        _F,
        "Two tables share a source or a population, and protect different units or by different relations, so that what "
        "they spend could not be added up.",
        "Give both the same unit and relation, or remove one.",
    ),
    ErrorCode(
        "catalogue",
        _F,
        "A key of lapcat.toml is missing, misspelt or has a value that cannot be; the message names the key and the line.",
        "Correct the line as the fix says, then `lapcat check`.",
        "[tables.staff] without unit",
    ),
    ErrorCode(
        "spark-elsewhere",
        _F,
        "This process has a Spark session already, and its master is another than [engine.spark] names; Spark has one context in a "
        "process. Or it asks through Spark Connect, and [engine.spark] names a master of another kind.",
        "spark.stop() before lapcat.open(), or leave master out of [engine.spark]; through Connect, ask in a process without SPARK_REMOTE.",
    ),
    ErrorCode(
        "spark-setting",
        _F,
        "conf of [engine.spark] sets something that lapcat sets itself: what its statements mean, or what is logged of them, depends on it. "
        "Or something that a server of Spark Connect does not let others set.",
        'Remove it from conf. The master has a key of its own: master = "spark://head.example:7077"',
    ),
    ErrorCode(
        "spark-connect",
        _F,
        "Spark is to be asked through Spark Connect, and nothing says where its server is: the process has no session any more, and "
        "SPARK_REMOTE names none.",
        'master = "sc://HOST:15002" under [engine.spark].',
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
        "[ledger] store is no address that PostgreSQL can read. It is not shown, because a password may be in it.",
        'store = "postgresql://user@host:5432/database"',
    ),
    ErrorCode(
        "ledger-text",
        _F,
        "A name of a file, analyst or key holds a NUL or bytes that are not UTF-8, which PostgreSQL cannot store; nothing was spent.",
        'Rename it, or keep the ledger in a file: store = "sqlite:lapcat.ledger".',
    ),
    ErrorCode(
        "catalogue-missing",
        _F,
        "There is no catalogue where lapcat looked: -c, else LAPCAT_CATALOGUE, else ./lapcat.toml.",
        "`lapcat init FILE` drafts one; or name it with -c.",
        "lapcat budget -c nowhere.toml",
    ),
    ErrorCode(
        "catalogue-exists",
        _F,
        "`lapcat init` and `lapcat demo` never overwrite a catalogue: it holds decisions.",
        "Move the old file away, or draft elsewhere with -c.",
        "lapcat init staff.csv, twice",
    ),
    ErrorCode(
        "never-refreshed",
        _F,
        "Questions read only the snapshot that the steward's `refresh` writes, and this table has none yet.",
        "lapcat refresh TABLE",
    ),
    ErrorCode(
        "same-version",
        _F,
        "`lapcat refresh --same-version` writes the missing snapshot of one table, and the ledger keeps the reason; one of the "
        "two is not given.",
        'lapcat refresh TABLE --same-version --reason "why"',
        "lapcat refresh --same-version",
    ),
    ErrorCode(
        "unit-type",
        _F,
        "Tables about the same people name them by columns of different types, so that nobody could be found again.",
        'Declare one type in all of them, such as person_id = { type = "integer" }, then lapcat refresh.',
    ),
    ErrorCode(
        "version-changed",
        _F,
        "A new version of the table was declared while the question was being asked; nothing was spent.",
        "Ask it again.",
    ),
)

SOURCES = (
    ErrorCode(
        "source-unknown",
        _F,
        "The source is of a kind that lapcat does not read.",
        'source = "staff.csv", or "staff.xlsx#Sheet1", or "duckdb:company.db#staff"',
        "lapcat init staff.doc",
    ),
    ErrorCode(
        "read-option",
        _F,
        "`read` says something that does not go with this kind of file: an encoding of a workbook, or anything of Parquet.",
        "Leave it out; docs/catalogue.md lists what goes with which file.",
    ),
    ErrorCode(
        "table-twice",
        _F,
        "Two of the files that `init` was given, or one of them and a table of the catalogue, would have one name.",
        "Write the second one into the catalogue yourself, under another name.",
        "lapcat init staff.csv staff.parquet",
    ),
    ErrorCode(
        "source-names",
        _F,
        "`read.names` lists another number of names than the file has columns.",
        "One name for each column, in their order.",
    ),
    ErrorCode(
        "header-doubled",
        _F,
        "Several columns of the file have one name, perhaps but for upper case.",
        "Rename them in the file, or let lapcat append _1, _2, …: `lapcat init --rename-duplicates`, or read.rename_duplicates = true.",
    ),
    ErrorCode(
        "source-password",
        _F,
        "The address of a table on a server holds a password, and the catalogue is read by many, and kept.",
        "Leave it out, and put it into ~/.pgpass (mode 600) or PGPASSWORD.",
        "lapcat init postgresql://ana:secret@localhost/company#staff",
    ),
    ErrorCode(
        "engines-differ",
        _F,
        "A question, or a path of keys, leads from a table of one engine or server to a table of another. Rows never leave the engine that holds them.",
        "Ask about each in a question of its own, or give them sources that lie side by side.",
    ),
    ErrorCode(
        "text-nul",
        _F,
        "The question compares with a text that holds the character NUL, which no text of PostgreSQL holds.",
        "Leave out the condition: no row fits it.",
    ),
    ErrorCode(
        "source-unreadable",
        _F,
        "The file is not there, or may not be read.",
        "Correct source = … in lapcat.toml; relative paths are from its folder.",
        "lapcat init nowhere.csv",
    ),
    ErrorCode(
        "source-table",
        _F,
        "The DuckDB file, or the database, has no table of that name that lapcat can see.",
        'source = "duckdb:company.db#TABLE" with a table that is in it',
        "lapcat init duckdb:company.db#staf",
    ),
    ErrorCode(
        "column-missing",
        _F,
        "The catalogue declares a column that the source does not have.",
        "Correct the name under [tables.….columns], or remove the line; `lapcat check` lists them all.",
    ),
    ErrorCode(
        "snapshot-unknown",
        _F,
        "There is no snapshot of this name.",
        "`lapcat snapshots` lists them.",
        "lapcat snapshots prune visits_csv-00000000.1.parquet",
    ),
    ErrorCode(
        "snapshot-needed",
        _F,
        "The snapshot is the declared version of a table, or belongs to another ledger, or is being written.",
        "`lapcat refresh` declares a new version, after which this one is old and can be pruned.",
    ),
    ErrorCode(
        "table-not-gone",
        _F,
        "--renamed or --forget names a table that is in the catalogue, or that was never accepted.",
        "The name under which the table was last accepted; `lapcat accept` without these options lists those that are gone.",
    ),
    ErrorCode(
        "header-unsure",
        _F,
        "The first line of the file may be a row: a cell of it reads like a value or stands in its column again, or every column "
        "holds text. A draft would publish it.",
        "Look at the line yourself: `lapcat init` with --header if it holds the names of the columns, with --no-header if it is a row.",
    ),
    ErrorCode(
        "column-type",
        _F,
        "The column can never hold what it is declared as, or has a type that lapcat does not know.",
        "Declare the type that the message proposes, or leave the column out.",
    ),
    ErrorCode(
        "column-reserved",
        _F,
        "Column names that begin with _lapcat_ are lapcat's own.",
        "Rename the column in the source.",
    ),
    ErrorCode(
        "snapshot-stale",
        _F,
        "The snapshot was written for another declaration of the unit or of the columns.",
        "lapcat refresh TABLE",
    ),
    ErrorCode(
        "engine-limit",
        _F,
        "DuckDB does not take this amount of memory or number of threads.",
        'memory = "4GB" and threads = 2 under [engine]',
    ),
)
