"""The file of a secret key, and which questions were told with it.

    <64 hexadecimal digits>
    lapcat local key 2
    <a name of the question and its wave> <a fingerprint of everybody's values and of how they were told>

A question is told once in each wave. The same people with the same values make the same reports, and nothing is added. With
anything else (a value, a person, the domain, epsilon) a second file beside the first would tell who has changed, or cost
epsilon again without saying so: it is refused, and a wave of its own is offered. Files of 0.1.0 hold the key alone: nothing
says what was told with it, so that they take named waves only, and their second line says so from the first one on.
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
    """The key of a file, for the owner's eyes alone."""

    path: Path
    secret: bytes = field(repr=False)
    made: bool
    """Whether it was not there before."""

    def tell(self, protocol: Protocol, people: Sequence[str], values: Integers) -> KeyedWords:
        """The coins of a question in its wave, once it is written down that it was told of these values."""
        coins = KeyedWords(self.secret, protocol)
        asked = json.dumps([protocol.question, protocol.wave]).encode()
        name = hmac.new(self.secret, b"lapcat local wave\0" + asked, hashlib.sha256).hexdigest()[:32]
        line = f"{name} {coins.fingerprint(people, values)}"
        try:
            with open(self.path, "r+", encoding="ascii") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                held = file.read().splitlines()
                if line in held:
                    return coins
                if SECOND_LINE not in held and protocol.wave is None:
                    raise _unrecorded(self.path, protocol)
                if any(other.startswith(f"{name} ") for other in held):
                    raise _told(protocol)
                if len(held) < 2:
                    file.write(f"{NAMED_ONLY}\n")
                file.write(f"{line}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise _unwritten(self.path, problem) from None
        return coins


def open_key(path: Path) -> KeyFile:
    """The key of a file, which is made if it is not there."""
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
                f"{path} holds no key: 64 hexadecimal digits",
                why="with another key everybody would report anew, and pay epsilon again",
                fix="the file that the first reports were made with, or one that is not there yet",
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
        fix="--key FILE in a folder that may be written to",
    )


def _told(protocol: Protocol) -> BadQuery:
    where = "" if protocol.wave is None else f" in the wave {protocol.wave}"
    return BadQuery(
        "local-told",
        f"{protocol.question} was told before{where} with this key, and not of the same values in the same way",
        why="beside the first file a second one would tell who has changed, whatever epsilon is",
        fix=f"--wave NAME, another name each time the question is asked: each wave costs everybody epsilon "
        f"{exact_text(protocol.epsilon)} more; or --question NAME, where it is another question",
    )


def _unrecorded(path: Path, protocol: Protocol) -> BadQuery:
    return BadQuery(
        "local-told",
        f"{path} is a key of lapcat 0.1.0, which does not say what was told with it",
        why="beside a first file about the same question a second one would tell who has changed, whatever epsilon is",
        fix=f"--wave NAME: each wave costs everybody epsilon {exact_text(protocol.epsilon)} more; or --key with a file "
        "that is not there yet, where nobody was asked before",
    )
