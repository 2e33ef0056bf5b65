"""Evidence of a ledger's integrity beyond its hash chain: the signer, the trusted keys and the witness."""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.errors import Error
from lapcat.ledger.signing import Signer
from lapcat.ledger.witness import Testimony, Witness


@dataclass(frozen=True, slots=True)
class Guards:
    """Without any of them the hash chain is the only evidence: it detects edits unless all later hashes are recomputed."""

    signer: Signer | None = None
    """Signs receipts and checkpoints."""
    trusted: tuple[str, ...] = ()
    """The public keys whose checkpoints the ledger must have."""
    witness: Witness | None = None

    def absent(self, place: str) -> Error | None:
        """Why no ledger may be created at an empty place; None if it may."""
        return None if self.witness is None else self.witness.missing(place)


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a verification."""

    entries: int
    checkpoints: int
    last_checkpoint: int
    """Its entry id; 0 if there is none."""
    witness: Testimony | None
