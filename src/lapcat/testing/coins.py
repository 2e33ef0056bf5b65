"""Seeded randomness for tests: the same seed gives the same draws. Never use it for a real release."""

from __future__ import annotations

import hashlib

from numpy.typing import NDArray

from lapcat.core.coins import Keystream, Word, below


class SeededCoins:
    """A reproducible `CoinSource`.

    >>> SeededCoins(7).bits(64) == SeededCoins(7).bits(64) != SeededCoins(8).bits(64)
    True
    """

    cryptographic = False

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._stream = Keystream(hashlib.sha256(f"lapcat test seed {seed}".encode()).digest(), bytes(16))

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        """The next n words of the stream."""
        return self._stream.array(n, dtype)

    def bits(self, n: int) -> int:
        """An integer of the next n bits."""
        return self._stream.bits(n)

    def below(self, m: int) -> int:
        """The next integer in 0 .. m - 1."""
        return below(m, self._stream.bits)
