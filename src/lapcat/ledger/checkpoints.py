"""Checkpoints: entries that sign the head before them, so that no one without the key can rewrite what lies below.

One is written with whatever entry passes a hundred. A book that was begun without a key gets its first before lapcat.pub
is written. Whoever rewrites the chain must leave them out or forge them: both are found with the public half of the key.
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
    """Whether the entries between two heads pass a hundred: then a checkpoint follows them."""
    return after[0] // EVERY > before[0] // EVERY


def checkpoint_payload(head: Head, signer: Signer) -> dict[str, object]:
    return {"public_key": signer.public, "signature": signer.sign(_signed(head))}


class Watch:
    """Watches a book go by: every checkpoint of a trusted key must hold, and the last one must be near the end.

    A checkpoint vouches for all that lies below it, so gaps between two of them are no weakness, nor are those of a key
    that was used before.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self.trusted = trusted
        self.last = 0
        """The number of the last checkpoint; 0 before the first."""
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
                raise damaged(entry.id, "is a checkpoint whose signature is not of the entries before it")
            self.last, self.many = entry.id, self.many + 1

    def end(self, head: Head) -> None:
        """Raises where the last hundred entries have no checkpoint: no holder of a trusted key wrote them."""
        if self.trusted and head[0] - self.last >= EVERY:
            raise IntegrityFailed(
                "checkpoint-missing",
                f"no entry after entry {self.last} of the ledger is a checkpoint signed by the key of lapcat.pub, "
                f"and it ends with entry {head[0]}",
                why="with a key there is one for every hundred entries; whoever writes without the key leaves them out",
                fix="restore the ledger from your last backup of it; or, if you wrote it without the key yourself, "
                "begin to sign anew: mv lapcat.pub lapcat.pub.old",
            )


def _signed(head: Head) -> list[object]:
    """What is signed; a list, so that no receipt (an object) can be taken for it."""
    return ["lapcat checkpoint", head[0], head[1]]
