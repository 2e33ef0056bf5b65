"""IntegrityFailed, EngineFailed and Bug: what is wrong is not the question."""

from lapcat.render.error_codes.entry import ErrorCode

INTEGRITY = (
    ErrorCode(
        "catalogue-unaccepted",
        "IntegrityFailed",
        "A budget, unit, relation, limit, key list or bound differs from what the ledger last accepted. They decide what is promised, so a change holds once the steward accepts it with a reason, which stays in the ledger.",
        'lapcat accept --reason "why", or undo the edit.',
        "raising budget = { epsilon = 3 } to 30 in lapcat.toml",
    ),
    ErrorCode(
        "catalogue-outdated",
        "IntegrityFailed",
        "Another catalogue was accepted since this one was opened, and its budgets, units and bounds are those that hold. Nothing was spent.",
        "Open it again: lapcat.open(…).",
    ),
    ErrorCode(
        "ledger-locked",
        "IntegrityFailed",
        "Another process holds the ledger. A budget is checked and debited by one process at a time; nothing was spent.",
        "Ask again when it is done; `fuser -v lapcat.ledger`, or on a server pg_stat_activity, shows which process it is.",
    ),
    ErrorCode(
        "ledger-read-only",
        "IntegrityFailed",
        "The ledger cannot be written. Nothing is answered that cannot be recorded.",
        "Make the file and its folder writable: the ledger writes its log beside it. On a server: grant the rights, or name the server that is no copy.",
    ),
    ErrorCode(
        "ledger-damaged",
        "IntegrityFailed",
        "The ledger is not one of lapcat's, or an entry was edited, removed or damaged: its chain of hashes is broken.",
        "Restore it from the last backup. Starting a new one would forget what was spent.",
    ),
    ErrorCode(
        "ledger-replaced",
        "IntegrityFailed",
        "The ledger's file was moved, deleted or replaced while it was in use; or its server has forgotten entries that were written.",
        "Put it back in its place and start again.",
    ),
    ErrorCode(
        "ledger-no-folder",
        "IntegrityFailed",
        "There is no folder for the ledger.",
        "Create it with mkdir -p, or correct [ledger] store.",
    ),
    ErrorCode(
        "ledger-newer",
        "IntegrityFailed",
        "The ledger was written by a newer lapcat, which may know rules that this one does not.",
        "pip install --upgrade lapcat",
    ),
    ErrorCode(
        "ledger-not-durable",
        "IntegrityFailed",
        "The place of the ledger, the SQLite at hand or the PostgreSQL server cannot promise that a debit survives a power cut.",
        "Keep the ledger on a local disk; on a server: fsync = on and synchronous_commit = on.",
    ),
    ErrorCode(
        "ledger-disk-full",
        "IntegrityFailed",
        "There is no room on the disk for the ledger. A question is answered only when its debit is on the disk.",
        "Make room, then ask the same question again.",
    ),
    ErrorCode(
        "ledger-disk-failed",
        "IntegrityFailed",
        "The disk failed while the ledger was read or written; nothing was released.",
        "See to the disk, then ask the same question again: a debit that is there is not charged twice.",
    ),
    ErrorCode(
        "ledger-unknown",
        "IntegrityFailed",
        "The disk or the server failed while the ledger was written, and it cannot be told whether the entry is there; nothing was released.",
        "See to it, then ask the same question again: an entry that is there is not charged twice.",
    ),
    ErrorCode(
        "ledger-unreachable",
        "IntegrityFailed",
        "The server of the ledger cannot be reached, does not let us in, or ended the session. What it said is not repeated, because the address may hold a password.",
        "The `psql` command of the message says why; then ask the same question again: a debit that is there is not charged twice.",
    ),
    ErrorCode(
        "ledger-encoding",
        "IntegrityFailed",
        "The database of the ledger is not in UTF8.",
        "createdb --encoding UTF8 --template template0 lapcat",
    ),
    ErrorCode(
        "ledger-closed", "IntegrityFailed", "The session was closed.", "Open it again: lapcat.open(…)."
    ),
    ErrorCode(
        "ledger-forked",
        "IntegrityFailed",
        "A ledger in memory was opened before the process forked; parent and child would each spend the whole budget.",
        'Open it after forking, or give it a file: lapcat.table(…, ledger="lapcat.ledger").',
    ),
    ErrorCode(
        "entry-unknown",
        "IntegrityFailed",
        "The ledger holds an entry of a kind that this version cannot read.",
        "pip install --upgrade lapcat",
    ),
    ErrorCode(
        "event-unknown",
        "IntegrityFailed",
        "The ledger holds an event whose meaning this version does not know; it is never guessed.",
        "pip install --upgrade lapcat",
    ),
)

ENGINE = (
    ErrorCode(
        "engine-failed",
        "EngineFailed",
        "The engine could not finish after the question was paid. The charge stands: a refund would tell that it failed.",
        "The steward looks into it, then: lapcat resume TABLE --analyst NAME. The same question then finishes under the same "
        "charge.",
    ),
    ErrorCode(
        "server-unreachable",
        "EngineFailed",
        "The server of a table cannot be reached, does not let us in, or stopped. What it said is not repeated, as it may quote rows or a password.",
        "psql with the address of lapcat.toml says why; then try again. A question that was paid for finishes under the same charge.",
    ),
    ErrorCode(
        "server-denied",
        "EngineFailed",
        "The user that lapcat connects as lacks a right on the table or on the schema lapcat_snapshots.",
        "The administrator grants it; docs/howto/postgresql.md has all the grants.",
    ),
    ErrorCode(
        "server-slow",
        "EngineFailed",
        "The server did not finish within the time that a statement may take, or waited too long for a lock.",
        "timeout = 1800 (in seconds) under [engine], or ask when the server has less to do.",
    ),
    ErrorCode(
        "server-full",
        "EngineFailed",
        "The server has no memory, disk or connection left.",
        "Make room there, then try again.",
    ),
    ErrorCode(
        "snapshot-schema",
        "EngineFailed",
        "The database has no schema lapcat_snapshots that the steward may create tables in. The snapshots of `refresh` are kept there, and lapcat writes nowhere else.",
        "CREATE SCHEMA lapcat_snapshots AUTHORIZATION the steward's user, as an administrator.",
    ),
    ErrorCode(
        "source-empty",
        "EngineFailed",
        "The file is empty.",
        "A CSV has a header line at least.",
        "lapcat init empty.csv",
    ),
    ErrorCode(
        "spark-unreachable",
        "EngineFailed",
        "Spark cannot be started, or its cluster or server does not answer, or not to this token. What it says itself may tell of rows, so "
        "it is not shown.",
        "java -version must say 17 or newer; then see whether PySpark itself starts: python -c 'from pyspark.sql import SparkSession; "
        "SparkSession.builder.getOrCreate()'; of a server of Spark Connect, whether PySpark reaches it: python -c 'from pyspark.sql import "
        'SparkSession; print(SparkSession.builder.remote("sc://HOST:15002").getOrCreate().version)\'',
    ),
    ErrorCode(
        "spark-unpinned",
        "EngineFailed",
        "Spark, most likely a server of Spark Connect, does not let lapcat set something on which the meaning of its statements depends.",
        "Have the server started with the setting that the message names: --conf NAME=VALUE.",
    ),
    ErrorCode(
        "snapshot-elsewhere",
        "EngineFailed",
        "The machines of a Spark cluster, or a server of Spark Connect, wrote a table's snapshot where the machine that asked for it does "
        "not see it, each to its own disk; or they may not write into the folder, which is open to its owner alone.",
        "Keep the catalogue's folder on storage that all machines see under the same path, and run lapcat as the user who runs Spark.",
    ),
    ErrorCode(
        "source-broken",
        "EngineFailed",
        "The file is damaged, of another encoding, or of another kind than its name says. The line and the column are named, never "
        "what stands there.",
        "What the message proposes: an encoding, or a command that leaves the line out. Otherwise export it again.",
        "lapcat init broken.parquet",
    ),
    ErrorCode(
        "source-busy",
        "EngineFailed",
        "The database file is open for writing in another program.",
        "Close it there, then try again.",
    ),
    ErrorCode(
        "snapshot-missing",
        "EngineFailed",
        "The snapshot that questions read is gone or cannot be read, or the version was declared by lapcat 0.1.0, which read "
        "some files without one; this is seen before anything is paid.",
        "lapcat refresh TABLE; or, if the data are still those of the declared version: lapcat refresh TABLE --same-version "
        '--reason "why", after which stored answers stay free.',
    ),
    ErrorCode(
        "disk-room",
        "EngineFailed",
        "The snapshot needs more disk than is free; the estimate is twice the size of the source's files.",
        "lapcat snapshots prune; or free disk elsewhere, or move the catalogue's folder to a larger one.",
    ),
    ErrorCode(
        "interrupted",
        "EngineFailed",
        "Ctrl-C (exit code 130). If the question had been charged by then, the charge stands.",
        "Ask the same question again: it finishes under the same charge, for free.",
    ),
    ErrorCode(
        "output-failed",
        "EngineFailed",
        "What was to be printed or saved could not be written (a full disk, for instance).",
        "Ask the same question again: it is free and gives the same answer.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 > /dev/full",
    ),
    ErrorCode(
        "out-of-memory",
        "EngineFailed",
        "There was not enough memory. If the question had been charged by then, the charge stands and the same question finishes under it.",
        'Close other programs, or group by fewer columns; [engine] memory = "4GB" limits the engine.',
    ),
)

BUGS = (
    ErrorCode(
        "key-private",
        "Bug",
        "The places of a private key's values were asked for, which has none.",
        "Please report the question.",
    ),
    ErrorCode(
        "public-columns",
        "Bug",
        "The ledger's entry about a version of a public table describes columns in a form that lapcat does not write.",
        "`lapcat refresh` of that table, which reads them again; and please report it.",
    ),
    ErrorCode(
        "statement-unplanned",
        "Bug",
        "The engine could not plan the statement that lapcat wrote for a question; nothing was spent.",
        "Please report the question; meanwhile, write it in another way.",
    ),
    ErrorCode(
        "unexpected",
        "Bug",
        "Something happened that lapcat does not foresee.",
        "Please report it, with the line that is shown.",
    ),
    ErrorCode(
        "blocks-unread",
        "Bug",
        "A plan reads a table in blocks outside of the blocks that its budget knows; it was stopped before anything was paid.",
        "Please report it, with the question.",
    ),
    ErrorCode(
        "demo-differs",
        "Bug",
        "The demo did not go as it must: a repeat was not free, or the budget did not bind.",
        "Please report it.",
    ),
    ErrorCode(
        "cost-differs",
        "Bug",
        "The compiled program does not cost what the plan says.",
        "Please report the question.",
    ),
    ErrorCode(
        "front-end",
        "Bug",
        "lapcat made a mistake while it read a question. Nothing was read or paid.",
        "Please report the question; another way to write it may work.",
    ),
    ErrorCode(
        "strategy-unknown",
        "Bug",
        "A stored payment is of a strategy that this version cannot build again.",
        "Open this ledger with the version of lapcat that wrote it, or a newer one.",
    ),
    ErrorCode(
        "stored-form",
        "Bug",
        "Part of a question has no stored form, so it has no identity; nothing was paid.",
        "Please report the question.",
    ),
    ErrorCode(
        "choice-missing",
        "Bug",
        "A column of the answer is chosen, and nothing was drawn for it.",
        "Please report the question.",
    ),
    ErrorCode(
        "answer-format",
        "Bug",
        "A stored answer is not in a form that this version wrote.",
        "Please report it.",
    ),
    ErrorCode(
        "constant-moves", "Bug", "Something taken for a constant can change.", "Please report the question."
    ),
    ErrorCode(
        "door-shape",
        "Bug",
        "The engine returned another number of statistics than was paid for.",
        "Please report the question.",
    ),
    ErrorCode(
        "map-shape",
        "Bug",
        "A linear map of counts would leave cells out, so that its norms would not be those that are claimed.",
        "Please report it with the question.",
    ),
    ErrorCode(
        "workload-plan",
        "Bug",
        "A workload was to be measured on something else than one count over public keys.",
        "Please report it with the question.",
    ),
    ErrorCode(
        "private-shape",
        "Bug",
        "An engine returned something else than exact integers.",
        "Please report the question.",
    ),
    ErrorCode(
        "group-value",
        "Bug",
        "An engine returned a private group whose value is none that a key can have.",
        "Please report the question.",
    ),
    ErrorCode(
        "private-opened",
        "Bug",
        "Code other than the door tried to look at exact figures.",
        "Please report it.",
    ),
    ErrorCode(
        "limit-kind", "Bug", "A limit is neither an epsilon nor a rho.", "Please report the catalogue."
    ),
    ErrorCode(
        "noise-mixed",
        "Bug",
        "A number was to be shown with noise of two kinds, whose sum has no margin.",
        "Please report the question.",
    ),
    ErrorCode(
        "ledger-order",
        "Bug",
        "An answer was stored for a debit under which nobody looked.",
        "Please report it.",
    ),
    ErrorCode(
        "debit-unknown", "Bug", "A debit was named that the ledger does not have.", "Please report it."
    ),
    ErrorCode(
        "entry-json", "Bug", "An entry of the ledger could not be written as JSON.", "Please report it."
    ),
    ErrorCode("table-not-open", "Bug", "A table was asked about that was never opened.", "Please report it."),
    ErrorCode(
        "index-missing",
        "Bug",
        "A table with a unit column has no contribution index, or the reverse.",
        "Please report it.",
    ),
    ErrorCode(
        "server-row-security",
        "EngineFailed",
        "The table has row-level security, and a policy would hide rows from the user that lapcat connects as. A snapshot of the rest would be silently too small.",
        "ALTER ROLE … BYPASSRLS for the user of `lapcat refresh`, as a superuser; or refresh as the owner of the table.",
    ),
    ErrorCode(
        "cache-open",
        "EngineFailed",
        "The folder lapcat.cache, which holds the snapshots, can be read or changed by other users. It holds private rows, and what is in it is believed.",
        "chmod 700 lapcat.cache, after finding out who opened it and who may have read it.",
    ),
    ErrorCode(
        "refresh-overtaken",
        "EngineFailed",
        "Another refresh declared a later version while this one was written: the connection that kept it waiting was cut.",
        "Run `lapcat refresh` again. Nothing was declared; what was written is removed by the next refresh.",
    ),
    ErrorCode(
        "column-type-differs",
        "Bug",
        "A plan reads a column as another type than it is declared.",
        "Please report the question.",
    ),
    ErrorCode(
        "types-differ",
        "Bug",
        "A plan compares two types that have nothing in common.",
        "Please report the question.",
    ),
    ErrorCode("cast-unknown", "Bug", "A plan holds a cast that has no SQL.", "Please report the question."),
    ErrorCode(
        "grid-range", "Bug", "The grid of a sum does not fit into 63 bits.", "Please report the question."
    ),
    ErrorCode(
        "grid-ends", "Bug", "A sum of integers is not clamped to integers.", "Please report the question."
    ),
    ErrorCode(
        "literal-type", "Bug", "A constant of a plan does not fit its type.", "Please report the question."
    ),
    ErrorCode(
        "integer-unproved",
        "Bug",
        "An integer expression was not proved to fit into 63 bits.",
        "Please report the question.",
    ),
    ErrorCode(
        "solver-contradiction",
        "Bug",
        "The solver's example is not worth what it claims.",
        "Please report the question.",
    ),
)
