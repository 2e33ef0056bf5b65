"""The file of a secret key, and a record of the questions encoded with it.

    <64 hexadecimal digits>
    lapcat local key 2
    <digest of the question and its wave> <fingerprint of everybody's values and of the protocol>

A question is encoded once in each wave. The same people with the same values get the same reports, at no further cost. If
anything differs (a value, a person, the domain, epsilon), a second file next to the first would reveal who has changed, or
cost epsilon again unnoticed: it is refused, and a new wave is suggested. Files of 0.1.0 hold the key alone, without a record
of what was encoded with it. They accept named waves only, and their second line says so once the first has been written.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lapcat.core.exact import exact_text
from lapcat.errors import BadQuery, EngineFailed
from lapcat.local.base import Integers
from lapcat.local.keyed import KEY_BYTES, KeyedWords
from lapcat.local.protocol import Protocol

SECOND_LINE = "lapcat local key 2"
NAMED_ONLY = "lapcat local key 1: named waves only"


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The key read from a file that only its owner can read."""

    path: Path
    secret: bytes = field(repr=False)
    made: bool
    """Whether the file was created now."""

    def coins_for(self, protocol: Protocol, people: Sequence[str], values: Integers) -> KeyedWords:
        """The coins of a question in its wave, after recording that it was encoded for these values."""
        coins = KeyedWords(self.secret, protocol)
        asked = json.dumps([protocol.question, protocol.wave]).encode()
        name = hmac.new(self.secret, b"lapcat local wave\0" + asked, hashlib.sha256).hexdigest()[:32]
        line = f"{name} {coins.fingerprint(people, values)}"
        try:
            with open(self.path, "r+", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                lines = file.read().splitlines()
                if line in lines:
                    return coins
                if SECOND_LINE not in lines and protocol.wave is None:
                    raise _unrecorded(self.path, protocol)
                if any(other.startswith(f"{name} ") for other in lines):
                    raise _already_encoded(protocol)
                if len(lines) < 2:
                    file.write(f"{NAMED_ONLY}\n")
                file.write(f"{line}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise _unwritten(self.path, problem) from None
        return coins


def open_key(path: Path) -> KeyFile:
    """Reads the key of a file; creates the file if it does not exist."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        try:
            lines = path.read_text(encoding="ascii").splitlines()
            secret = bytes.fromhex(lines[0])
            known = len(lines) < 2 or lines[1] in (SECOND_LINE, NAMED_ONLY)
        except (OSError, ValueError, IndexError):
            secret, known = b"", False
        if len(secret) != KEY_BYTES or not known:
            raise BadQuery(
                "local-key",
                f"{path} does not hold a key (64 hexadecimal digits)",
                why="with another key everybody's report would be drawn again, at the cost of another epsilon",
                fix="name the file that the first reports were made with, or a file that does not exist yet",
            ) from None
        return KeyFile(path, secret, made=False)
    except OSError as problem:
        raise _unwritten(path, problem) from None
    secret = os.urandom(KEY_BYTES)
    with os.fdopen(handle, "w") as file:
        file.write(f"{secret.hex()}\n{SECOND_LINE}\n")
        file.flush()
        os.fsync(file.fileno())
    return KeyFile(path, secret, made=True)


def _unwritten(path: Path, problem: OSError) -> EngineFailed:
    return EngineFailed(
        "local-key-unwritten",
        f"the key {path} could not be written: {problem.strerror}",
        fix="--key FILE in a writable folder",
    )


def _already_encoded(protocol: Protocol) -> BadQuery:
    where = "" if protocol.wave is None else f" in the wave {protocol.wave}"
    return BadQuery(
        "local-told",
        f"{protocol.question} was already encoded{where} with this key, with other values or parameters",
        why="the two files together would reveal who has changed, whatever epsilon is",
        fix=f"--wave NAME, a new name each time the question is asked: each wave costs everybody another epsilon "
        f"{exact_text(protocol.epsilon)}; or --question NAME, if it is another question",
    )


def _unrecorded(path: Path, protocol: Protocol) -> BadQuery:
    return BadQuery(
        "local-told",
        f"{path} is a key of lapcat 0.1.0, which does not record what was encoded with it",
        why="two files about the same question would together reveal who has changed, whatever epsilon is",
        fix=f"--wave NAME: each wave costs everybody another epsilon {exact_text(protocol.epsilon)}; or --key with a file "
        "that does not exist yet, if nobody was asked before",
    )
