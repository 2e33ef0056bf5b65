"""What goes wrong with a server, said to somebody who only knows lapcat, in words that hold no password."""

from __future__ import annotations

import getpass
import os
import shlex

import psycopg

from lapcat.errors import Error, IntegrityFailed
from lapcat.ledger.chain import unsound
from lapcat.ledger.postgres.connection import Address, place_of

GRANT = (
    'GRANT USAGE ON SCHEMA lapcat TO "{0}"; '
    'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lapcat TO "{0}"'
)
"""All that somebody needs who asks questions: with it entries can be appended, and not changed."""


def failure(error: psycopg.Error, address: Address, wait: float) -> Error:
    """The error of lapcat that an error of PostgreSQL amounts to; of its own words only the SQLSTATE is kept."""
    state, place = error.sqlstate or "", place_of(address)
    match state, state[:2]:
        case "55P03", _:
            return IntegrityFailed(
                "ledger-locked",
                f"another client has held the ledger ({place}) for more than {wait:g} s",
                why="a budget is checked and debited by one client at a time; nothing was spent",
                fix="ask again when it is done; to see which client it is: "
                + _psql(place, "SELECT * FROM pg_stat_activity WHERE application_name = 'lapcat'"),
            )
        case ("25006", _) | ("42501", _):
            return IntegrityFailed(
                "ledger-read-only",
                f"the ledger ({place}) cannot be written",
                why="nothing is answered that cannot be recorded; the server is a read-only copy, or the user may not "
                f"write (SQLSTATE {state})",
                fix="name the server that may be written; or, as the owner of the database, who opens the ledger first: "
                + _psql(place_of({**address, "user": None}), GRANT.format(_user(address))),
            )
        case "53100", _:
            return IntegrityFailed(
                "ledger-disk-full",
                f"the server of the ledger ({place}) has no room on its disk",
                why="a question is answered only when its debit is on the disk; nothing was released",
                fix="make room there, then ask the same question again",
            )
        case _, "58":
            return IntegrityFailed(
                "ledger-disk-failed",
                f"the disk of the ledger's server failed ({place}; SQLSTATE {state})",
                why="a question is answered only when its debit is on the disk; nothing was released",
                fix="see to the disk, then ask the same question again: a debit that is there is not charged twice",
            )
        case _, "22" | "23" | "3F" | "42" | "P0" | "XX":
            return unsound(f"the schema lapcat of {place} is damaged (SQLSTATE {state})")
        case _:
            return IntegrityFailed(
                "ledger-unreachable",
                f"the server of the ledger cannot be reached, or does not let us in ({place}"
                + (f"; SQLSTATE {state})" if state else ")"),
                why="nothing is answered that cannot be recorded; what the server said is not repeated here",
                fix=f"{_psql(place, 'SELECT 1')} says why; then ask the same question again",
            )


def not_a_ledger(place: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-damaged",
        f"the schema lapcat of {place} is not a ledger of lapcat, or is damaged at its beginning",
        why="starting a new ledger in its place would forget what was spent",
        fix='restore it from your last backup, or name another database in lapcat.toml: store = "postgresql://…"',
    )


def replaced(place: str, id: int) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-replaced",
        f"entry {id} is no longer in the ledger ({place}), although it was written and synced",
        why="the server was restored from an older copy, or another one took its place: what was spent since is forgotten",
        fix="bring the server back that has the entry, or its latest backup, and start again",
    )


def _user(address: Address) -> str:
    """Who connects, as libpq finds out."""
    return str(address.get("user") or os.environ.get("PGUSER") or getpass.getuser())


def _psql(place: str, sql: str) -> str:
    return f"psql {shlex.quote(place)} -c {shlex.quote(sql)}"
