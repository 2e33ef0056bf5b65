"""Translates PostgreSQL errors into lapcat's errors, without passwords."""

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
"""The privileges needed to ask questions: entries can be appended, but not changed."""


def failure(error: psycopg.Error, address: Address, wait: float) -> Error:
    """The lapcat error for a PostgreSQL error; only the SQLSTATE of the original message is kept."""
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
                why="an answer needs a recorded debit; the server is a read-only replica, or the user may not "
                f"write (SQLSTATE {state})",
                fix="name the primary server; or, as the owner of the database, who opens the ledger first: "
                + _psql(place_of({**address, "user": None}), GRANT.format(_user(address))),
            )
        case "53100", _:
            return IntegrityFailed(
                "ledger-disk-full",
                f"the disk of the ledger's server is full ({place})",
                why="a question is answered only after its debit is on disk; nothing was released",
                fix="make room there, then ask the same question again",
            )
        case _, "58":
            return IntegrityFailed(
                "ledger-disk-failed",
                f"the disk of the ledger's server failed ({place}; SQLSTATE {state})",
                why="a question is answered only after its debit is on disk; nothing was released",
                fix="check the disk, then ask the same question again: a stored debit is not charged twice",
            )
        case _, "22" | "23" | "3F" | "42" | "P0" | "XX":
            return unsound(f"the schema lapcat of {place} is damaged (SQLSTATE {state})")
        case _:
            return IntegrityFailed(
                "ledger-unreachable",
                f"the server of the ledger cannot be reached, or refuses the login ({place}"
                + (f"; SQLSTATE {state})" if state else ")"),
                why="an answer needs a recorded debit; the server's message is not repeated here",
                fix=f"{_psql(place, 'SELECT 1')} shows why; then ask the same question again",
            )


def not_a_ledger(place: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-damaged",
        f"the schema lapcat of {place} is not a ledger of lapcat, or is damaged at its beginning",
        why="a new ledger in its place would forget all earlier debits",
        fix='restore it from your last backup, or name another database in lapcat.toml: store = "postgresql://…"',
    )


def replaced(place: str, id: int) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-replaced",
        f"entry {id} is no longer in the ledger ({place}), although it was written and synced",
        why="the server was restored from an older copy, or replaced by another: later debits are missing",
        fix="restore the server that has the entry, or its latest backup, and restart",
    )


def _user(address: Address) -> str:
    """The user name, as libpq determines it."""
    return str(address.get("user") or os.environ.get("PGUSER") or getpass.getuser())


def _psql(place: str, sql: str) -> str:
    return f"psql {shlex.quote(place)} -c {shlex.quote(sql)}"
