"""The tables of a ledger in PostgreSQL: those of the SQLite file, in a schema of their own.

Text is compared byte by byte (COLLATE "C"): an index over it outlives an update of the server's locale. A later schema
adds statements (MIGRATIONS); an entry that was written stays as it is.
"""

from __future__ import annotations

from lapcat.ledger.chain import GENESIS

SCHEMA_VERSION = 4

# An entry follows the last one, of whichever statement: several can be appended with one.
_APPENDED = f"""CREATE OR REPLACE FUNCTION lapcat.appended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM lapcat.entries) OR NEW.previous <> coalesce(
            (SELECT hash FROM lapcat.entries ORDER BY id DESC LIMIT 1), '{GENESIS[1]}')
        THEN
            RAISE EXCEPTION 'entries are appended' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$"""

MIGRATIONS: dict[int, tuple[str, ...]] = {3: (_APPENDED,)}
"""What turns the tables of one schema into those of the next; 3 was the first that PostgreSQL had."""

_TEXT = 'text COLLATE "C"'


def _never(table: str, act: str, rows: str, says: str) -> str:
    """A trigger that stops an act, whoever tries; its name is what it says."""
    return (
        f"CREATE TRIGGER {says.replace(' ', '_')} BEFORE {act} ON lapcat.{table} {rows} "
        f"EXECUTE FUNCTION lapcat.never('{says}')"
    )


def _amount(column: str, null: str) -> str:
    """A column of quanta; one that does not fit into 64 bits is an error by itself."""
    return f"{column} bigint {null} CHECK ({column} >= 0)"


SCHEMA = (
    "CREATE SCHEMA lapcat",
    "CREATE TABLE lapcat.about (schema_version integer NOT NULL)",
    """CREATE FUNCTION lapcat.never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    # The book.
    f"""CREATE TABLE lapcat.entries (
        id bigint PRIMARY KEY CHECK (id > 0),
        kind {_TEXT} NOT NULL,
        body {_TEXT} NOT NULL,
        previous {_TEXT} NOT NULL CHECK (length(previous) = 64),
        hash {_TEXT} NOT NULL CHECK (length(hash) = 64)
    )""",
    "CREATE INDEX accepted ON lapcat.entries (id) WHERE kind = 'accept'",
    _never("entries", "UPDATE", "FOR EACH ROW", "entries are never changed"),
    _never("entries", "DELETE", "FOR EACH ROW", "entries are never removed"),
    _never("entries", "TRUNCATE", "FOR EACH STATEMENT", "entries are never emptied"),
    f"CREATE TABLE lapcat.head (id bigint NOT NULL, hash {_TEXT} NOT NULL)",
    _APPENDED,
    "CREATE TRIGGER entries_are_appended BEFORE INSERT ON lapcat.entries FOR EACH ROW "
    "EXECUTE FUNCTION lapcat.appended()",
    # Derived: how far each debit has come.
    f"""CREATE TABLE lapcat.debits (
        id bigint PRIMARY KEY,
        question {_TEXT} NOT NULL,
        {_amount("epsilon", "NOT NULL")},
        state {_TEXT} NOT NULL CHECK (state IN ('debited', 'looked', 'answered', 'released', 'voided')),
        answer bytea,
        CHECK ((state IN ('answered', 'released')) = (answer IS NOT NULL))
    )""",
    "CREATE INDEX questions ON lapcat.debits (question, epsilon)",
    _never(
        "debits",
        "UPDATE",
        "FOR EACH ROW WHEN (OLD.answer IS NOT NULL AND NEW.answer IS DISTINCT FROM OLD.answer)",
        "the first answer stays",
    ),
    _never("debits", "DELETE", "FOR EACH ROW", "debits are never removed"),
    _never("debits", "TRUNCATE", "FOR EACH STATEMENT", "debits are never emptied"),
    # Derived: what was spent from each scope, in every kind in which it can be stated.
    f"""CREATE TABLE lapcat.spent (
        scope {_TEXT} PRIMARY KEY,
        {_amount("epsilon", "")},
        {_amount("delta", "NOT NULL")},
        {_amount("rho", "")}
    )""",
    # Derived: to whom an answer was charged; failures since the last resume; the declared version of each source.
    f"CREATE TABLE lapcat.receivers (debit bigint, analyst {_TEXT}, PRIMARY KEY (debit, analyst))",
    f"CREATE TABLE lapcat.failures (scope {_TEXT} PRIMARY KEY, count bigint NOT NULL)",
    f"CREATE TABLE lapcat.versions (source {_TEXT} PRIMARY KEY, version bigint NOT NULL)",
    # Derived: which debits' answers hold a statistic.
    f"CREATE TABLE lapcat.holdings (statistic {_TEXT}, debit bigint, PRIMARY KEY (statistic, debit))",
    # Derived: which requests were made under a client's own key; which tables the steward has paused.
    f"""CREATE TABLE lapcat.keys (
        analyst {_TEXT}, key {_TEXT}, asks {_TEXT} NOT NULL, debit bigint NOT NULL, PRIMARY KEY (analyst, key)
    )""",
    f"CREATE TABLE lapcat.pauses (scope {_TEXT} PRIMARY KEY, reason {_TEXT} NOT NULL)",
    # The key of the contribution index: made once, in no entry, in no export.
    "CREATE TABLE lapcat.secret (value bytea NOT NULL)",
)
