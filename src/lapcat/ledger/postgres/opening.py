"""Opening a session: durable, patient, ours; and creating the tables in a database that has none."""

from __future__ import annotations

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import GENESIS
from lapcat.ledger.entries import check_head
from lapcat.ledger.postgres.failures import not_a_ledger
from lapcat.ledger.postgres.schema import MIGRATIONS, SCHEMA, SCHEMA_VERSION
from lapcat.ledger.store import Absent, Connection, may_be_made

TURN = 0x1A9CA7
"""The advisory lock that writers queue at. PostgreSQL serves it first come, first served, which a row's lock is not."""
ALONE = TURN + 1
"""The advisory lock of the one refresh that may run."""
WRITE = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock({TURN})"
HOLD = f"{WRITE}; SET LOCAL idle_in_transaction_session_timeout = '60s'; SELECT id FROM head FOR UPDATE"
"""A transaction in which nobody else can move the head. A client that hangs in it, or whose machine has vanished, loses it."""
READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
SECRET = (
    "INSERT INTO secret (value) SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) "
    "|| uuid_send(gen_random_uuid()))"
)
"""Made by the server, from 366 bits of its cryptographic source: it is in no statement and no parameter, so no log of
statements (log_statement, auto_explain, pg_stat_statements) holds it, whatever the server is told to log."""
DURABLE = {"synchronous_commit": "on", "fsync": "on"}


def prepare(connection: Connection, wait: float, place: str, absent: Absent = may_be_made) -> None:
    """Makes a session durable and patient, creates the tables where there are none, and checks the head."""
    for setting, value in (
        ("search_path", "lapcat, pg_temp"),
        ("synchronous_commit", "on"),
        ("lock_timeout", str(int(wait * 1000))),
        # It would end a COMMIT that waits for a standby, and the server would call that a success.
        ("statement_timeout", "0"),
        # A policy that hides rows would hide what was spent: rather an error.
        ("row_security", "off"),
    ):
        connection.execute(f"SET {setting} = {value}")
    _check_settings(connection, place)
    version = _version(connection, place)
    if version is None:
        problem = absent(f"in the database ({place})")
        if (
            problem is not None and _version(connection, place) is None
        ):  # nor has another client made it meanwhile
            raise problem
        _create(connection, place)
    elif version < SCHEMA_VERSION:
        _migrate(connection, place)
    connection.execute(READ)
    check_head(connection)
    connection.execute("ROLLBACK")


def _check_settings(connection: Connection, place: str) -> None:
    for setting, value in DURABLE.items():
        found = connection.execute(f"SHOW {setting}").fetchone()[0]
        if found != value:
            raise IntegrityFailed(
                "ledger-not-durable",
                f"the server of the ledger ({place}) has {setting} = {found}",
                why="a debit that was acknowledged would not survive a power cut",
                fix=f"in its postgresql.conf: {setting} = {value}",
            )
    encoding = connection.execute("SHOW server_encoding").fetchone()[0]
    if encoding != "UTF8":
        raise IntegrityFailed(
            "ledger-encoding",
            f"the database of the ledger ({place}) is in {encoding}, not in UTF8",
            why="names of files and analysts could not be told apart in it",
            fix="createdb --encoding UTF8 --template template0 lapcat",
        )


def _version(connection: Connection, place: str) -> int | None:
    """The schema's version; None where there is no ledger yet; raises where there is something else."""
    # Read from the catalogue's tables: what to_regclass says may be a while old.
    found = connection.execute(
        "SELECT pg_class.oid FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid "
        "AND relname = 'about' WHERE nspname = 'lapcat'"
    ).fetchone()
    if found is None:
        return None
    row = found[0] and connection.execute("SELECT schema_version FROM lapcat.about").fetchone()
    if row is None:
        raise not_a_ledger(place)
    if row[0] > SCHEMA_VERSION:
        raise IntegrityFailed(
            "ledger-newer",
            f"the ledger ({place}) was written by a newer lapcat (schema {row[0]}; this one reads up to "
            f"{SCHEMA_VERSION})",
            fix="pip install --upgrade lapcat",
        )
    return int(row[0])


def _create(connection: Connection, place: str) -> None:
    connection.execute(WRITE)
    if _version(connection, place) is None:  # another client may have been faster
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO about (schema_version) VALUES (?)", (SCHEMA_VERSION,))
        connection.execute("INSERT INTO head (id, hash) VALUES (?, ?)", GENESIS)
        connection.execute(SECRET)
    connection.execute("COMMIT")


def _migrate(connection: Connection, place: str) -> None:
    """Adds what later schemas added, in one transaction; entries stay as they are."""
    connection.execute(WRITE)
    version = _version(connection, place)
    assert version is not None
    for step in range(version, SCHEMA_VERSION):  # another client may have been faster
        for statement in MIGRATIONS[step]:
            connection.execute(statement)
    connection.execute("UPDATE about SET schema_version = ?", (SCHEMA_VERSION,))
    connection.execute("COMMIT")
