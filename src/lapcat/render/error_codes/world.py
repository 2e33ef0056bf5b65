"""IntegrityFailed, EngineFailed and Bug: failures outside the question."""

from lapcat.render.error_codes.entry import ErrorCode

INTEGRITY = (
    ErrorCode(
        "catalogue-unaccepted",
        "IntegrityFailed",
        "A budget, unit, relation, limit, key list or bound differs from the catalogue last accepted in the ledger. These "
        "define the guarantee, so a change takes effect only when the steward accepts it with a reason, which stays in the "
        "ledger.",
        'Review the change, then run lapcat accept --reason "why"; or undo the edit.',
        "raising budget = { epsilon = 3 } to 30 in lapcat.toml",
    ),
    ErrorCode(
        "catalogue-outdated",
        "IntegrityFailed",
        "Another catalogue was accepted after this one was opened; its budgets, units and bounds now apply. Nothing was spent.",
        "Open it again: lapcat.open(…).",
    ),
    ErrorCode(
        "ledger-locked",
        "IntegrityFailed",
        "Another process has locked the ledger. Budgets are checked and debited by one process at a time. Nothing was spent.",
        "Ask again when it has finished; `fuser -v lapcat.ledger`, or on a server pg_stat_activity, shows which process it is.",
    ),
    ErrorCode(
        "ledger-read-only",
        "IntegrityFailed",
        "The ledger is not writable. lapcat answers nothing that it cannot record.",
        "Make the file and its folder writable: SQLite writes a log beside the ledger. On a server, grant the rights, or name "
        "the primary instead of a replica.",
    ),
    ErrorCode(
        "ledger-damaged",
        "IntegrityFailed",
        "The file is not a lapcat ledger, or an entry was edited, removed or damaged: its hash chain is broken.",
        "Restore it from the last backup. A new ledger would forget what was spent.",
    ),
    ErrorCode(
        "ledger-replaced",
        "IntegrityFailed",
        "The ledger file was moved, deleted or replaced while in use, or its server lost entries that were written.",
        "Restore the ledger and start again.",
    ),
    ErrorCode(
        "ledger-no-folder",
        "IntegrityFailed",
        "The folder of the ledger does not exist.",
        "Create it with mkdir -p, or correct [ledger] store.",
    ),
    ErrorCode(
        "ledger-newer",
        "IntegrityFailed",
        "The ledger was written by a newer lapcat, whose rules this version may not know.",
        "pip install --upgrade lapcat",
    ),
    ErrorCode(
        "ledger-not-durable",
        "IntegrityFailed",
        "The file system, the SQLite version or the PostgreSQL server does not guarantee that a debit survives a power cut.",
        "Keep the ledger on a local disk; on a server: fsync = on and synchronous_commit = on.",
    ),
    ErrorCode(
        "ledger-disk-full",
        "IntegrityFailed",
        "The disk of the ledger is full. A question is answered only after its debit is on disk.",
        "Free disk space, then ask the same question again.",
    ),
    ErrorCode(
        "ledger-disk-failed",
        "IntegrityFailed",
        "The disk failed while the ledger was read or written. Nothing was released.",
        "Check the disk, then ask the same question again: a stored debit is not charged twice.",
    ),
    ErrorCode(
        "ledger-unknown",
        "IntegrityFailed",
        "The disk or the server failed while the ledger was written, so it is unknown whether the entry was stored. Nothing was "
        "released.",
        "Check the disk or the server, then ask the same question again: a stored entry is not charged twice.",
    ),
    ErrorCode(
        "ledger-unreachable",
        "IntegrityFailed",
        "The ledger's server cannot be reached, refused the login, or closed the connection. Its message is not shown, because "
        "the address may contain a password.",
        "Run the `psql` command in the message to see the cause; then ask the same question again: a stored debit is not "
        "charged twice.",
    ),
    ErrorCode(
        "ledger-encoding",
        "IntegrityFailed",
        "The encoding of the ledger's database is not UTF8.",
        "createdb --encoding UTF8 --template template0 lapcat",
    ),
    ErrorCode("ledger-closed", "IntegrityFailed", "The session is closed.", "Open it again: lapcat.open(…)."),
    ErrorCode(
        "ledger-forked",
        "IntegrityFailed",
        "An in-memory ledger was opened before the process forked; parent and child could each spend the whole budget.",
        'Open it after forking, or use a file: lapcat.table(…, ledger="lapcat.ledger").',
    ),
    ErrorCode(
        "entry-unknown",
        "IntegrityFailed",
        "The ledger contains an entry of a kind that this version does not know.",
        "pip install --upgrade lapcat",
    ),
    ErrorCode(
        "event-unknown",
        "IntegrityFailed",
        "The ledger contains an event that this version does not know; its meaning is never guessed.",
        "pip install --upgrade lapcat",
    ),
)

ENGINE = (
    ErrorCode(
        "engine-failed",
        "EngineFailed",
        "The engine failed after the question was charged. The charge stands: a refund would reveal the failure.",
        "The steward finds the cause, then runs lapcat resume TABLE --analyst NAME. The same question then finishes under the "
        "same charge.",
    ),
    ErrorCode(
        "server-unreachable",
        "EngineFailed",
        "A table's server cannot be reached, refused the login, or stopped. Its message is not shown, because it may contain "
        "rows or a password.",
        "Run psql with the address in lapcat.toml to see the cause; then try again. A question already charged finishes under "
        "the same charge.",
    ),
    ErrorCode(
        "server-denied",
        "EngineFailed",
        "lapcat's database user lacks a privilege on the table or on the schema lapcat_snapshots.",
        "The administrator grants it; docs/howto/postgresql.md lists all grants.",
    ),
    ErrorCode(
        "server-slow",
        "EngineFailed",
        "The server exceeded the statement timeout, or waited too long for a lock.",
        "Set timeout = 1800 (seconds) under [engine], or ask when the server is less busy.",
    ),
    ErrorCode(
        "server-full",
        "EngineFailed",
        "The server is out of memory, disk or connections.",
        "Free resources there, then try again.",
    ),
    ErrorCode(
        "snapshot-schema",
        "EngineFailed",
        "The database has no schema lapcat_snapshots in which the steward may create tables. `lapcat refresh` stores its "
        "snapshots there, and lapcat writes nowhere else.",
        "As an administrator: CREATE SCHEMA lapcat_snapshots AUTHORIZATION the steward's user",
    ),
    ErrorCode(
        "source-empty",
        "EngineFailed",
        "The file is empty.",
        "A CSV file needs at least a header line.",
        "lapcat init empty.csv",
    ),
    ErrorCode(
        "spark-unreachable",
        "EngineFailed",
        "Spark does not start, its cluster or server does not respond, or it rejected the token. Its own message is not shown, "
        "because it may contain rows.",
        "java -version must show 17 or newer. Check that PySpark itself starts: python -c 'from pyspark.sql import "
        "SparkSession; SparkSession.builder.getOrCreate()'; for a Spark Connect server, that PySpark reaches it: python -c "
        "'from pyspark.sql import SparkSession; print(SparkSession.builder.remote(\"sc://HOST:15002\").getOrCreate().version)'",
    ),
    ErrorCode(
        "spark-unpinned",
        "EngineFailed",
        "Spark, most likely a Spark Connect server, does not let lapcat change a setting on which the meaning of its statements "
        "depends.",
        "Start the server with the setting named in the message: --conf NAME=VALUE.",
    ),
    ErrorCode(
        "snapshot-elsewhere",
        "EngineFailed",
        "The machines of a Spark cluster, or a Spark Connect server, wrote a snapshot to their own disks, where this machine "
        "cannot see it; or they may not write into the folder, which only its owner can access.",
        "Keep the catalogue's folder on storage that all machines mount at the same path, and run lapcat as the user who runs "
        "Spark.",
    ),
    ErrorCode(
        "source-broken",
        "EngineFailed",
        "The file is damaged, has another encoding, or is of another kind than its name says. The message gives the line and "
        "the column, never their content.",
        "Follow the message: set an encoding, or run the command that drops the line. Otherwise export the file again.",
        "lapcat init broken.parquet",
    ),
    ErrorCode(
        "source-busy",
        "EngineFailed",
        "Another program has the database file open for writing.",
        "Close it there, then try again.",
    ),
    ErrorCode(
        "snapshot-missing",
        "EngineFailed",
        "The snapshot is gone or unreadable, or the version was declared by lapcat 0.1.0, which read some files without one. "
        "This is checked before anything is charged.",
        "lapcat refresh TABLE; or, if the data are still those of the declared version: lapcat refresh TABLE --same-version "
        '--reason "why", which keeps stored answers free.',
    ),
    ErrorCode(
        "disk-room",
        "EngineFailed",
        "The snapshot needs more disk space than is free; the estimate is twice the size of the source files.",
        "Run lapcat snapshots prune, free disk space elsewhere, or move the catalogue's folder to a larger disk.",
    ),
    ErrorCode(
        "interrupted",
        "EngineFailed",
        "Ctrl-C (exit code 130). If the question was already charged, the charge stands.",
        "Ask the same question again: it finishes under the same charge, for free.",
    ),
    ErrorCode(
        "output-failed",
        "EngineFailed",
        "The output could not be written, for example because the disk is full.",
        "Ask the same question again: it is free and gives the same answer.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1 > /dev/full",
    ),
    ErrorCode(
        "out-of-memory",
        "EngineFailed",
        "Memory ran out. If the question was already charged, the charge stands and the same question finishes under it.",
        'Close other programs, or group by fewer columns; [engine] memory = "4GB" limits the engine.',
    ),
)

BUGS = (
    ErrorCode(
        "key-private",
        "Bug",
        "The plan asked for the positions of a private key's values, which have none.",
        "Please report the question.",
    ),
    ErrorCode(
        "public-columns",
        "Bug",
        "The ledger describes the columns of a public table's version in a form that lapcat does not write.",
        "Run `lapcat refresh` on that table, which reads them again; and please report it.",
    ),
    ErrorCode(
        "statement-unplanned",
        "Bug",
        "The engine could not plan the statement that lapcat generated for the question. Nothing was spent.",
        "Please report the question; meanwhile, rephrase it.",
    ),
    ErrorCode(
        "unexpected",
        "Bug",
        "lapcat raised an exception that it does not handle.",
        "Please report it, with the line shown.",
    ),
    ErrorCode(
        "blocks-unread",
        "Bug",
        "A plan reads a table outside its declared blocks. It was stopped before anything was charged.",
        "Please report it, with the question.",
    ),
    ErrorCode(
        "demo-differs",
        "Bug",
        "The demo did not run as expected: a repeat was not free, or the budget was not enforced.",
        "Please report it.",
    ),
    ErrorCode(
        "cost-differs",
        "Bug",
        "The compiled program costs something else than its plan.",
        "Please report the question.",
    ),
    ErrorCode(
        "front-end",
        "Bug",
        "lapcat failed while parsing a question. No row was read and nothing was charged.",
        "Please report the question; rephrasing it may work.",
    ),
    ErrorCode(
        "strategy-unknown",
        "Bug",
        "A stored debit uses a strategy that this version cannot rebuild.",
        "Open this ledger with the lapcat version that wrote it, or a newer one.",
    ),
    ErrorCode(
        "stored-form",
        "Bug",
        "Part of the question has no stored form, so it has no identity. Nothing was charged.",
        "Please report the question.",
    ),
    ErrorCode(
        "choice-missing",
        "Bug",
        "A column of the answer is a selection, but none was drawn for it.",
        "Please report the question.",
    ),
    ErrorCode(
        "answer-format",
        "Bug",
        "A stored answer has an unknown format.",
        "Please report it.",
    ),
    ErrorCode(
        "constant-moves", "Bug", "A value assumed to be constant can change.", "Please report the question."
    ),
    ErrorCode(
        "door-shape",
        "Bug",
        "The engine returned a different number of statistics than was charged.",
        "Please report the question.",
    ),
    ErrorCode(
        "map-shape",
        "Bug",
        "A linear map of counts would omit cells, so its norms would not be the claimed ones.",
        "Please report it with the question.",
    ),
    ErrorCode(
        "workload-plan",
        "Bug",
        "The plan of a workload is not one count over public keys.",
        "Please report it with the question.",
    ),
    ErrorCode(
        "private-shape",
        "Bug",
        "An engine returned something other than exact integers.",
        "Please report the question.",
    ),
    ErrorCode(
        "group-value",
        "Bug",
        "An engine returned a private group with a value that no key can have.",
        "Please report the question.",
    ),
    ErrorCode(
        "private-opened",
        "Bug",
        "Code outside the release gate tried to read exact figures.",
        "Please report it.",
    ),
    ErrorCode(
        "limit-kind", "Bug", "A limit is neither an epsilon nor a rho.", "Please report the catalogue."
    ),
    ErrorCode(
        "noise-mixed",
        "Bug",
        "A number combines two kinds of noise, for which no margin is known.",
        "Please report the question.",
    ),
    ErrorCode(
        "ledger-order",
        "Bug",
        "An answer was stored for a debit whose query was not executed.",
        "Please report it.",
    ),
    ErrorCode("debit-unknown", "Bug", "The ledger has no such debit.", "Please report it."),
    ErrorCode("entry-json", "Bug", "A ledger entry could not be written as JSON.", "Please report it."),
    ErrorCode("table-not-open", "Bug", "The plan reads a table that was never opened.", "Please report it."),
    ErrorCode(
        "index-missing",
        "Bug",
        "A table with a unit column has no contribution index, or a table without one has an index.",
        "Please report it.",
    ),
    ErrorCode(
        "server-row-security",
        "EngineFailed",
        "The table has row-level security, and a policy would hide rows from lapcat's database user. The snapshot would "
        "silently be too small.",
        "As a superuser: ALTER ROLE … BYPASSRLS for the user of `lapcat refresh`; or refresh as the owner of the table.",
    ),
    ErrorCode(
        "cache-open",
        "EngineFailed",
        "Other users can read or change the folder lapcat.cache. It holds snapshots with private rows, and lapcat trusts its "
        "content.",
        "chmod 700 lapcat.cache, after finding out who changed its mode and who may have read it.",
    ),
    ErrorCode(
        "refresh-overtaken",
        "EngineFailed",
        "Another refresh declared a later version while this one was writing, because the connection that held the lock was "
        "cut.",
        "Run `lapcat refresh` again. Nothing was declared; the next refresh removes what was written.",
    ),
    ErrorCode(
        "column-type-differs",
        "Bug",
        "A plan reads a column with a different type than declared.",
        "Please report the question.",
    ),
    ErrorCode(
        "types-differ",
        "Bug",
        "A plan compares two incompatible types.",
        "Please report the question.",
    ),
    ErrorCode(
        "cast-unknown",
        "Bug",
        "A plan contains a cast that cannot be written in SQL.",
        "Please report the question.",
    ),
    ErrorCode(
        "grid-range", "Bug", "The grid of a sum does not fit into 63 bits.", "Please report the question."
    ),
    ErrorCode(
        "grid-ends", "Bug", "A sum of integers is not clamped to integers.", "Please report the question."
    ),
    ErrorCode(
        "literal-type", "Bug", "A constant in a plan does not fit its type.", "Please report the question."
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
        "The solver's solution does not have the value it claims.",
        "Please report the question.",
    ),
)
