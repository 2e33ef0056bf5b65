"""A uniform number that is drawn bit by bit, only as far as a comparison needs it."""

from __future__ import annotations

from collections.abc import Callable

from lapcat.core.coins import CoinSource

# For every number of bits b: integers low <= 2^b * a <= high around one fixed number a, with high - low bounded.
Bounds = Callable[[int], tuple[int, int]]

STEP = 64  # how many bits a comparison that is still open adds


class LazyUniform:
    """A uniform real U in [0, 1) of which the first `bits` bits are known: prefix / 2^bits <= U < (prefix + 1) / 2^bits.

    Comparisons are exact. One that the known bits leave open draws the next bits of the same U, so all answers given
    about it are about one number (docs/proofs/sampler.md, "Lazy comparison").
    """

    __slots__ = ("_coins", "bits", "prefix")

    def __init__(self, coins: CoinSource, prefix: int = 0, bits: int = 0) -> None:
        self._coins, self.prefix, self.bits = coins, prefix, bits

    def is_below(self, bounds: Bounds) -> bool:
        """Whether U < a, decided exactly for the number a that `bounds` encloses; a is irrational, or known exactly."""
        while True:
            low, high = bounds(self.bits)
            if self.prefix < low:  # U < (prefix + 1) / 2^bits <= low / 2^bits <= a
                return True
            if self.prefix >= high:  # U >= prefix / 2^bits >= high / 2^bits >= a
                return False
            self.prefix = self.prefix << STEP | self._coins.bits(STEP)
            self.bits += STEP
