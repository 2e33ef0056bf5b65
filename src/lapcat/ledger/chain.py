"""The hash chain: an entry's hash covers its id, kind, text and the previous entry's hash.

The hash is the SHA-256 of the JSON text `[id,kind,text,previous]`, so a ledger can be checked with a few lines of code and
without lapcat.
"""

from __future__ import annotations

import hashlib
import json
from json.encoder import encode_basestring_ascii

from lapcat.errors import Bug, IntegrityFailed
from lapcat.ledger.base import Entry

Head = tuple[int, str]
"""Id and hash of the last entry."""
GENESIS: Head = (0, "0" * 64)
"""The head of an empty ledger."""


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical(value: object) -> str:
    """The canonical JSON of a value: keys sorted, no spaces, ASCII, no NaN.

    >>> canonical({"b": [1, "ε"], "a": None})
    '{"a":null,"b":[1,"\\\\u03b5"]}'
    """
    try:
        return _encode(value)
    except (TypeError, ValueError) as error:
        raise Bug("entry-json", f"a ledger entry must be JSON: {error}") from None


quoted = encode_basestring_ascii
"""`canonical` of a text."""


def entry_hash(id: int, kind: str, text: str, previous: str) -> str:
    """SHA-256 of the canonical JSON `[id,kind,text,previous]`, built by hand for speed: opening a ledger hashes all of it.

    >>> entry_hash(1, "kind", '"ε"', "0") == hashlib.sha256(canonical([1, "kind", '"ε"', "0"]).encode()).hexdigest()
    True
    """
    texts = ",".join(map(quoted, (kind, text, previous)))
    return hashlib.sha256(f"[{id},{texts}]".encode()).hexdigest()


def follow(head: Head, kind: str, text: str) -> Entry:
    """The entry that extends this head."""
    id, previous = head[0] + 1, head[1]
    return Entry(id, kind, text, previous, entry_hash(id, kind, text, previous))


def check_link(head: Head, entry: Entry) -> Head:
    """The head after this entry; raises, naming the entry, unless it is exactly what was appended after `head`."""
    id, previous = head[0] + 1, head[1]
    if entry.id != id:
        raise damaged(id, "is missing")
    if entry.previous != previous:
        raise damaged(id, f"does not follow from entry {id - 1}")
    check_self(entry)
    return entry.id, entry.hash


def check_self(entry: Entry) -> None:
    """Raises, naming the entry, unless its hash matches its contents."""
    if entry.hash != entry_hash(entry.id, entry.kind, entry.text, entry.previous):
        raise damaged(entry.id, "is not what was written")


def payload_of(entry: Entry) -> dict[str, object]:
    try:
        body = json.loads(entry.text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise damaged(entry.id, "is not readable")
    return body


def damaged(id: int, what: str) -> IntegrityFailed:
    return unsound(f"entry {id} of the ledger {what}")


def unsound(message: str) -> IntegrityFailed:
    return IntegrityFailed(
        "ledger-damaged",
        message,
        why="the ledger was changed by something other than lapcat, so what was spent is not known",
        fix="put your newest copy of the ledger back in its place, and keep the damaged file for the investigation; if "
        'there is no copy: lapcat ledger new --reason "why it is lost"',
    )
