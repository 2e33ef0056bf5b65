"""Privacy losses: pure epsilon, zero-concentrated rho, or approximate (epsilon, delta)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exp_up
from lapcat.errors import BadArgument


@dataclass(frozen=True, slots=True)
class PureDP:
    """epsilon-DP: no outcome becomes more than e^epsilon times as likely through one unit."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise BadArgument("epsilon-sign", f"PureDP({self.epsilon}): epsilon is never negative")

    def group(self, size: int) -> PureDP:
        """The guarantee for a group of `size` units.

        Theorem: epsilon-DP for one unit is (k * epsilon)-DP for k units.
        Source:  Dwork, McSherry, Nissim & Smith 2006.

        >>> PureDP(Fraction(6, 10)).group(4).epsilon
        Fraction(12, 5)
        """
        return PureDP(self.epsilon * _size(size))

    def as_zcdp(self) -> ZCDP:
        """Theorem: epsilon-DP is (epsilon² / 2)-zCDP. Source: Bun & Steinke 2016 (arXiv:1605.02065)."""
        return ZCDP(self.epsilon * self.epsilon / 2)


@dataclass(frozen=True, slots=True)
class ZCDP:
    """rho-zCDP: the Rényi divergence of every order a > 1 between neighbours is at most rho * a."""

    rho: Fraction

    def __post_init__(self) -> None:
        if self.rho < 0:
            raise BadArgument("rho-sign", f"ZCDP({self.rho}): rho is never negative")

    def group(self, size: int) -> ZCDP:
        """Theorem: rho for one unit is k² * rho for k units. Source: Bun & Steinke 2016 (arXiv:1605.02065)."""
        return ZCDP(self.rho * _size(size) ** 2)


@dataclass(frozen=True, slots=True)
class ApproxDP:
    """(epsilon, delta)-DP: Pr[S] <= e^epsilon Pr'[S] + delta for every set S of outcomes."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        if self.epsilon < 0 or not 0 <= self.delta < 1:
            raise BadArgument(
                "delta-range", f"ApproxDP({self.epsilon}, {self.delta}): epsilon >= 0 and 0 <= delta < 1"
            )

    def group(self, size: int) -> ApproxDP:
        """Theorem: (k * epsilon, k * e^((k-1) * epsilon) * delta) for k units. Source: Dwork & Roth 2014."""
        k = _size(size)
        delta = k * exp_up((k - 1) * self.epsilon) * self.delta
        if delta >= 1:
            raise BadArgument(
                "delta-range", f"there is no guarantee for a group of {k}: its delta would be 1 or more"
            )
        return ApproxDP(k * self.epsilon, delta)


Loss = PureDP | ZCDP | ApproxDP


def _size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadArgument("group-size", f"a group has at least one unit, not {size!r}")
    return size
