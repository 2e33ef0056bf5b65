"""Checkpoints: entries that sign the head before them, so that the entries below cannot be rewritten without the key.

One is written whenever the entry count passes a multiple of 100. A ledger that was started without a key gets its first
checkpoint before lapcat.pub is written. A rewritten chain must omit or forge checkpoints; the public key detects both.
"""

from __future__ import annotations

from collections.abc import Sequence

from lapcat.errors import IntegrityFailed
from lapcat.ledger.base import Entry
from lapcat.ledger.chain import Head, damaged, payload_of
from lapcat.ledger.signing import Signer, is_signed

EVERY = 100
KIND = "checkpoint"


def is_due(before: Head, after: Head) -> bool:
    """Whether the entries between two heads pass a multiple of 100, so that a checkpoint follows."""
    return after[0] // EVERY > before[0] // EVERY


def checkpoint_payload(head: Head, signer: Signer) -> dict[str, object]:
    return {"public_key": signer.public, "signature": signer.sign(_signed(head))}


class Watch:
    """Checks the checkpoints of a ledger as it is read: each by a trusted key must verify, and the last must be near the end.

    A checkpoint covers everything below it, so gaps between checkpoints are harmless, as are checkpoints of former keys.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self.trusted = trusted
        self.last = 0
        """Id of the last checkpoint; 0 before the first."""
        self.many = 0

    def see(self, entry: Entry) -> None:
        if entry.kind != KIND:
            return
        match payload_of(entry):
            case {"public_key": str(public), "signature": str(signature)}:
                pass
            case _:
                raise damaged(entry.id, "is not a checkpoint that lapcat wrote")
        if public in self.trusted:
            if not is_signed(_signed((entry.id - 1, entry.previous)), signature, public):
                raise damaged(
                    entry.id, "is a checkpoint whose signature does not match the entries before it"
                )
            self.last, self.many = entry.id, self.many + 1

    def end(self, head: Head) -> None:
        """Raises if the last hundred entries have no checkpoint: they were not written by a holder of a trusted key."""
        if self.trusted and head[0] - self.last >= EVERY:
            raise IntegrityFailed(
                "checkpoint-missing",
                f"the ledger ends with entry {head[0]}, and no entry after {self.last} is a checkpoint signed by the key in "
                "lapcat.pub",
                why="a signed ledger has a checkpoint every hundred entries; without the key they cannot be written",
                fix="restore the ledger from your last backup; or, if you wrote it without the key yourself, "
                "start signing again: mv lapcat.pub lapcat.pub.old",
            )


def _signed(head: Head) -> list[object]:
    """The signed value; a list, so that it cannot be mistaken for a receipt (an object)."""
    return ["lapcat checkpoint", head[0], head[1]]
