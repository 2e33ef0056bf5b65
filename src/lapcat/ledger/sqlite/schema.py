"""The tables of a SQLite ledger: the append-only entries, and the tables derived from them.

Later schemas add statements (MIGRATIONS); written entries never change.
"""

from __future__ import annotations

from lapcat.ledger.chain import GENESIS

APPLICATION_ID = 0x1A9CA7  # what `file` and SQLite see in the header: "lapcat"
SCHEMA_VERSION = 4


def _amount(column: str, null: str) -> str:
    """A column of quanta. The check is needed because SQLite turns an integer overflow into a float."""
    return f"{column} INTEGER {null} CHECK ({column} IS NULL OR (typeof({column}) = 'integer' AND {column} >= 0))"


# Derived: the debits whose answers hold a statistic. Debits before schema 2 do not record it.
_HOLDINGS = (
    """CREATE TABLE holdings (statistic TEXT, debit INTEGER, PRIMARY KEY (statistic, debit)) WITHOUT ROWID"""
)

# Derived: the state of each debit.
_DEBITS = (
    """CREATE TABLE debits (
        id INTEGER PRIMARY KEY,
        question TEXT NOT NULL,
        epsilon INTEGER NOT NULL CHECK (typeof(epsilon) = 'integer' AND epsilon >= 0),
        state TEXT NOT NULL CHECK (state IN ('debited', 'looked', 'answered', 'released', 'voided')),
        answer BLOB,
        CHECK ((state IN ('answered', 'released')) = (answer IS NOT NULL))
    )""",
    "CREATE INDEX questions ON debits (question, epsilon)",
    """CREATE TRIGGER the_first_answer_stays BEFORE UPDATE ON debits
        WHEN OLD.answer IS NOT NULL AND NEW.answer IS NOT OLD.answer
        BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END""",
    """CREATE TRIGGER debits_are_never_removed BEFORE DELETE ON debits
        BEGIN SELECT RAISE(ABORT, 'debits are never removed'); END""",
)

# Derived: the clients' idempotency keys; the tables paused by the steward.
_KEYS = """CREATE TABLE keys (
        analyst TEXT, key TEXT, asks TEXT NOT NULL, debit INTEGER NOT NULL, PRIMARY KEY (analyst, key)
    ) WITHOUT ROWID"""
_PAUSES = "CREATE TABLE pauses (scope TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID"

# An entry must follow the last one; one statement may append several.
_APPENDED = f"""CREATE TRIGGER entries_are_appended BEFORE INSERT ON entries
        WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM entries)
            OR NEW.previous <> coalesce((SELECT hash FROM entries ORDER BY id DESC LIMIT 1), '{GENESIS[1]}')
        BEGIN SELECT RAISE(ABORT, 'entries are appended'); END"""

MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (_HOLDINGS,),
    2: (
        "DROP TRIGGER the_first_answer_stays",
        "DROP TRIGGER debits_are_never_removed",
        "DROP INDEX questions",
        "ALTER TABLE debits RENAME TO debits_of_before",
        *_DEBITS,
        "INSERT INTO debits (id, question, epsilon, state, answer) "
        "SELECT id, question, epsilon, state, answer FROM debits_of_before",
        "DROP TABLE debits_of_before",
        _KEYS,
        _PAUSES,
    ),
    3: ("DROP TRIGGER entries_are_appended", _APPENDED),
}
"""The statements that migrate each schema version to the next."""

SCHEMA = (
    # The entries.
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY CHECK (id > 0),
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        previous TEXT NOT NULL CHECK (length(previous) = 64),
        hash TEXT NOT NULL CHECK (length(hash) = 64)
    )""",
    "CREATE INDEX accepted ON entries (id) WHERE kind = 'accept'",
    """CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END""",
    """CREATE TRIGGER entries_are_never_removed BEFORE DELETE ON entries
        BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END""",
    _APPENDED,
    "CREATE TABLE head (id INTEGER NOT NULL, hash TEXT NOT NULL)",
    *_DEBITS,
    # Derived: the amounts spent from each scope, in every kind.
    f"""CREATE TABLE spent (
        scope TEXT PRIMARY KEY,
        {_amount("epsilon", "")},
        {_amount("delta", "NOT NULL")},
        {_amount("rho", "")}
    ) WITHOUT ROWID""",
    # Derived: the analysts charged for an answer; failures since the last resume; the declared version of each source.
    "CREATE TABLE receivers (debit INTEGER, analyst TEXT, PRIMARY KEY (debit, analyst)) WITHOUT ROWID",
    "CREATE TABLE failures (scope TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE versions (source TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID",
    # The key of the contribution index: created once, in no entry and no export.
    "CREATE TABLE secret (value BLOB NOT NULL)",
    _HOLDINGS,
    _KEYS,
    _PAUSES,
)
