"""The tables of a PostgreSQL ledger: those of the SQLite file, in their own schema.

Text is compared byte by byte (COLLATE "C"), so an index stays valid when the server's locale is updated. Later schemas add
statements (MIGRATIONS); written entries never change.
"""

from __future__ import annotations

from lapcat.ledger.chain import GENESIS

SCHEMA_VERSION = 4

# An entry must follow the last one; one statement may append several.
_APPENDED = f"""CREATE OR REPLACE FUNCTION lapcat.appended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM lapcat.entries) OR NEW.previous <> coalesce(
            (SELECT hash FROM lapcat.entries ORDER BY id DESC LIMIT 1), '{GENESIS[1]}')
        THEN
            RAISE EXCEPTION 'entries are appended' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$"""

MIGRATIONS: dict[int, tuple[str, ...]] = {3: (_APPENDED,)}
"""The statements that migrate each schema version to the next; PostgreSQL started with 3."""

_TEXT = 'text COLLATE "C"'


def _never(table: str, act: str, rows: str, says: str) -> str:
    """A trigger that forbids an act, named after its message."""
    return (
        f"CREATE TRIGGER {says.replace(' ', '_')} BEFORE {act} ON lapcat.{table} {rows} "
        f"EXECUTE FUNCTION lapcat.never('{says}')"
    )


def _amount(column: str, null: str) -> str:
    """A column of quanta; PostgreSQL itself raises on overflow."""
    return f"{column} bigint {null} CHECK ({column} >= 0)"


SCHEMA = (
    "CREATE SCHEMA lapcat",
    "CREATE TABLE lapcat.about (schema_version integer NOT NULL)",
    """CREATE FUNCTION lapcat.never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    # The entries.
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
    # Derived: the state of each debit.
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
    # Derived: the amounts spent from each scope, in every kind.
    f"""CREATE TABLE lapcat.spent (
        scope {_TEXT} PRIMARY KEY,
        {_amount("epsilon", "")},
        {_amount("delta", "NOT NULL")},
        {_amount("rho", "")}
    )""",
    # Derived: the analysts charged for an answer; failures since the last resume; the declared version of each source.
    f"CREATE TABLE lapcat.receivers (debit bigint, analyst {_TEXT}, PRIMARY KEY (debit, analyst))",
    f"CREATE TABLE lapcat.failures (scope {_TEXT} PRIMARY KEY, count bigint NOT NULL)",
    f"CREATE TABLE lapcat.versions (source {_TEXT} PRIMARY KEY, version bigint NOT NULL)",
    # Derived: the debits whose answers hold a statistic.
    f"CREATE TABLE lapcat.holdings (statistic {_TEXT}, debit bigint, PRIMARY KEY (statistic, debit))",
    # Derived: the clients' idempotency keys; the tables paused by the steward.
    f"""CREATE TABLE lapcat.keys (
        analyst {_TEXT}, key {_TEXT}, asks {_TEXT} NOT NULL, debit bigint NOT NULL, PRIMARY KEY (analyst, key)
    )""",
    f"CREATE TABLE lapcat.pauses (scope {_TEXT} PRIMARY KEY, reason {_TEXT} NOT NULL)",
    # The key of the contribution index: created once, in no entry and no export.
    "CREATE TABLE lapcat.secret (value bytea NOT NULL)",
)
