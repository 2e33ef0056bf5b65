"""What guards a book beside its own hashes: who signs it, whose signatures are believed, and who else watches."""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.errors import Error
from lapcat.ledger.signing import Signer
from lapcat.ledger.witness import Testimony, Witness


@dataclass(frozen=True, slots=True)
class Guards:
    """None of them: hashes alone, which show edits by whoever does not compute them again."""

    signer: Signer | None = None
    """Signs receipts and checkpoints."""
    trusted: tuple[str, ...] = ()
    """The public keys whose checkpoints the book must have."""
    witness: Witness | None = None

    def absent(self, place: str) -> Error | None:
        """Why no ledger may be made where there is none; None where one may."""
        return None if self.witness is None else self.witness.missing(place)


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found whole."""

    entries: int
    checkpoints: int
    last_checkpoint: int
    """Its number; 0 where there is none."""
    witness: Testimony | None
