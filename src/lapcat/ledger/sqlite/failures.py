"""Translates SQLite errors into lapcat's errors."""

from __future__ import annotations

import os
import shlex
import sqlite3

from lapcat.errors import Error, IntegrityFailed
from lapcat.ledger.chain import unsound


def failure(error: sqlite3.Error, path: str, wait: float) -> Error:
    """The lapcat error for a SQLite error."""
    quoted = shlex.quote(path)
    match primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return IntegrityFailed(
                "ledger-locked",
                f"another process has held {path} for more than {wait:g} s",
                why="a budget is checked and debited by one process at a time; nothing was spent",
                fix=f"ask again when it is done; to see which process it is: fuser -v {quoted}",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_AUTH:
            return read_only(path)
        case sqlite3.SQLITE_NOTADB:
            return not_a_ledger(path)
        case sqlite3.SQLITE_IOERR if error.sqlite_errorcode == sqlite3.SQLITE_IOERR_SHMSIZE:
            return _no_room(path)  # no room for the -shm file
        case sqlite3.SQLITE_FULL:
            return _no_room(path)
        case sqlite3.SQLITE_IOERR:
            return IntegrityFailed(
                "ledger-disk-failed",
                f"the disk failed while the ledger {path} was read or written ({_name(error)})",
                why="a question is answered only after its debit is on disk; nothing was released",
                fix="check the disk, then ask the same question again: a stored debit is not charged twice",
            )
        case _:
            return unsound(f"{path} is damaged ({_name(error)})")


def primary_code(error: sqlite3.Error) -> int | None:
    """The error code without the extended bits; None if Python itself raised (a text that is not UTF-8)."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", None) or type(error).__name__)


def _no_room(path: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-disk-full",
        f"the disk of {path} is full",
        why="a question is answered only after its debit is on disk; nothing was released",
        fix=f"make room (df -h {shlex.quote(os.path.dirname(path))}), then ask the same question again",
    )


def read_only(path: str) -> IntegrityFailed:
    file, folder = shlex.quote(path), shlex.quote(os.path.dirname(path))
    return IntegrityFailed(
        "ledger-read-only",
        f"the ledger {path} cannot be written",
        why="an answer needs a recorded debit; the ledger also writes its log, in the same folder",
        fix=f"chmod u+rwx {folder} && chmod u+rw {file}",
    )


def unreadable(path: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-unreadable",
        f"the ledger {path} cannot be read by this user",
        fix=f"chmod u+r {shlex.quote(path)}, or run the command as the user who owns it",
    )


def not_a_ledger(path: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-damaged",
        f"{path} is not a ledger of lapcat, or is damaged at its beginning",
        why="a new ledger in its place would forget all earlier debits",
        fix="if it was the ledger, put your newest copy back in its place, and if there is none: "
        'lapcat ledger new --reason "why it is lost"; if it is something else, name another file in lapcat.toml: '
        '[ledger] store = "sqlite:lapcat.ledger"',
    )
