"""A uniform number drawn lazily, with as many bits as a comparison needs."""

from __future__ import annotations

from collections.abc import Callable

from lapcat.core.coins import CoinSource

# For every number of bits b: integers low <= 2^b * a <= high around one fixed number a, with high - low bounded.
Bounds = Callable[[int], tuple[int, int]]

STEP = 64  # bits added when a comparison is undecided


class LazyUniform:
    """A uniform real U in [0, 1) whose first `bits` bits are known: prefix / 2^bits <= U < (prefix + 1) / 2^bits.

    Comparisons are exact. If the known bits do not decide, the next bits of the same U are drawn, so all comparisons
    are about one number (docs/proofs/sampler.md, "Lazy comparison").
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
