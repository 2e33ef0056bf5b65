"""The exact audit of a known distribution: no samples, the true epsilon, and delta for each epsilon.

Theorem: P[S] <= e^ε P′[S] + δ holds for every event S if and only if the sum over outcomes of max(0, P[z] − e^ε P′[z]) is at
         most δ; the sum is the δ of the pair at ε (Dwork & Roth 2014). The smallest ε with δ = 0 is the largest log ratio.
On a grid: outcomes beyond a window are left out of the sum; with at most t of P outside, δ lies between the window's sum and
         the same plus t. The log ratio of two discrete Laplace laws of one scale is constant beyond their centres, so
         it is known everywhere: |difference of the centres| / scale.
Slack:   probabilities are rounded outwards, so the two bounds enclose the true value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from lapcat.audit.claim import Claim
from lapcat.audit.result import VIOLATION
from lapcat.core.exact import LARGEST_EXP, exact_text, exp_down, exp_up, ln_down, ln_up
from lapcat.core.exact import exact as read
from lapcat.core.mechanisms.base import Law
from lapcat.drawing.curves import card, neighbours_svg, spark
from lapcat.errors import BadArgument

HOLDS, OPEN = "HOLDS", "OPEN"
MAX_OUTCOMES = 100_000
TAIL = Fraction(1, 10**30)
"""Upper bound on the probability left out of an unbounded law."""
CURVE = tuple(Fraction(i, 8) for i in range(49))
"""The epsilons of the plotted curve: 0 to 6."""


@runtime_checkable
class OnAGrid(Protocol):
    """The law of one released integer, with bounds on each probability."""

    def pmf_bounds(self, z: int) -> tuple[Fraction, Fraction]: ...

    def quantile(self, p: Fraction) -> int: ...


Enclosed = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Exact:
    """The laws of the answers on d and d′, outcome by outcome, and the verdict on a claim."""

    claim: Claim
    here: tuple[Enclosed, ...]
    there: tuple[Enclosed, ...]
    outcomes: tuple[object, ...]
    tail: Fraction
    """Upper bound on the probability outside these outcomes, for either law; 0 for finite laws."""
    everywhere: Fraction | None = None
    """The largest log ratio over all outcomes, if a theorem gives it."""

    @property
    def verdict(self) -> str:
        """HOLDS and VIOLATION are proofs; OPEN if the claim lies between the lower and the upper bound."""
        if self.everywhere is not None and self.everywhere <= self.claim.epsilon:
            return HOLDS
        low, high = self.delta_bounds(self.claim.epsilon)
        if high <= self.claim.delta:
            return HOLDS
        return VIOLATION if low > self.claim.delta else OPEN

    @property
    def epsilon_bounds(self) -> tuple[Fraction | float, Fraction | float]:
        """The smallest epsilon with delta = 0 over these outcomes, rounded down and up; infinite if an outcome is possible on
        only one side."""
        if self.everywhere is not None:
            return self.everywhere, self.everywhere
        low: Fraction | float = Fraction(0)
        high: Fraction | float = Fraction(0)
        for first, second in self._directions():
            for (p_low, p_high), (q_low, q_high) in zip(first, second, strict=True):
                if p_high:
                    high = max(high, ln_up(p_high / q_low) if q_low else math.inf)
                if p_low:
                    low = max(low, ln_down(p_low / q_high) if q_high else math.inf)
        return low, high

    @property
    def epsilon(self) -> Fraction | float:
        """The true epsilon over these outcomes, rounded up."""
        return self.epsilon_bounds[1]

    @property
    def worst(self) -> object:
        """The outcome with the largest ratio of its two probabilities."""

        def ratio(i: int) -> float:
            p, q = float(self.here[i][1]), float(self.there[i][1])
            return abs(math.log(p / q)) if p and q else (math.inf if p or q else 0.0)

        return self.outcomes[max(range(len(self.outcomes)), key=ratio)]

    def delta(self, epsilon: object) -> Fraction:
        """The smallest delta at this epsilon, rounded up."""
        return self.delta_bounds(read(epsilon))[1]

    def delta_bounds(self, epsilon: Fraction) -> Enclosed:
        """The smallest delta at this epsilon, rounded down and up."""
        if self.everywhere is not None and self.everywhere <= epsilon:
            return Fraction(0), Fraction(0)
        size = min(epsilon, Fraction(LARGEST_EXP))
        factor_low, factor_high = exp_down(size), exp_up(size)
        low = high = Fraction(0)
        for first, second in self._directions():
            pairs = list(zip(first, second, strict=True))
            low = max(
                low, sum((max(Fraction(0), p - factor_high * q) for (p, _), (_, q) in pairs), Fraction(0))
            )
            high = max(
                high, sum((max(Fraction(0), p - factor_low * q) for (_, p), (q, _) in pairs), Fraction(0))
            )
        return low, high + self.tail

    def curve(self) -> list[tuple[float, float]]:
        """(epsilon, delta) from 0 to 6."""
        return [(float(epsilon), float(self.delta(epsilon))) for epsilon in CURVE]

    def _directions(self) -> tuple[tuple[tuple[Enclosed, ...], tuple[Enclosed, ...]], ...]:
        return (self.here, self.there), (self.there, self.here)

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.epsilon_bounds
        true = "no epsilon is large enough" if math.isinf(low) else f"ε = {float(high):.6g}"
        if self.tail and self.everywhere is None:
            true = f"ε ≥ {float(low):.6g} within the window, and larger further out"
        beyond = f"; at most {float(self.tail):.1g} of the probability lies outside them" if self.tail else ""
        return [
            ("claimed", str(self.claim)),
            ("true", f"{true} (exact, over {len(self.outcomes)} outcomes{beyond})"),
            ("delta", f"{float(self.delta(self.claim.epsilon)):.3g} at ε = {exact_text(self.claim.epsilon)}"),
            ("worst outcome", f"{self.worst!r}"),
        ]

    def __repr__(self) -> str:
        here, there = self._curves()
        top = max(*here, *there)
        lines = [f"{self.verdict}: {self.claim}", *(f"  {name}: {value}" for name, value in self._rows())]
        lines += [f"  on d   {spark([*here, top])[:-1]}", f"  on d′  {spark([*there, top])[:-1]}"]
        return "\n".join(
            [*lines, f"  δ(ε)   {spark([delta for _, delta in self.curve()])}  for ε from 0 to 6"]
        )

    def svg(self) -> str:
        title = f"{self.verdict}: {self.claim}"
        return neighbours_svg(*self._curves(), self.claim.factor, title, caption=self.claim.caption)

    def _repr_html_(self) -> str:
        return card(f"{self.verdict}: {self.claim}", self._rows(), self.svg())

    def _curves(self) -> tuple[list[float], list[float]]:
        step = max(1, len(self.here) // 40)
        return [float(p) for _, p in self.here[::step]], [float(p) for _, p in self.there[::step]]


def exact(mechanism: object, d: object, d_prime: object, epsilon: object, delta: object = 0) -> Exact:
    """Decides whether a mechanism with a known law satisfies (epsilon, delta) between d and d_prime: a proof either way.

    mechanism: one of lapcat.mechanisms; an object with `law_around` or `law`, which return the law of the answers on a value;
        a function that returns it; or a matrix of probabilities, read exactly as written, whose rows d and d_prime index.
    A law: {outcome: probability}, a list of probabilities, or a law on the integers with `pmf_bounds` and `quantile`.

    >>> print(exact([["0.75", "0.25"], ["0.25", "0.75"]], 0, 1, epsilon=1).verdict)  # its epsilon is ln 3
    VIOLATION
    """
    claim = Claim.read(epsilon, delta)
    here, there = _law(mechanism, d), _law(mechanism, d_prime)
    if isinstance(here, OnAGrid) and isinstance(there, OnAGrid):
        return _on_a_grid(claim, here, there)
    first, second = _table(here), _table(there)
    outcomes = tuple(dict.fromkeys([*first, *second]))
    none = Fraction(0), Fraction(0)
    return Exact(
        claim,
        tuple(first.get(z, none) for z in outcomes),
        tuple(second.get(z, none) for z in outcomes),
        outcomes,
        Fraction(0),
    )


def _law(mechanism: object, value: object) -> object:
    if callable(around := getattr(mechanism, "law_around", None)):
        return around(value)
    if callable(law := getattr(mechanism, "law", None)):
        return law(value)
    if callable(mechanism):
        return mechanism(value)
    if isinstance(mechanism, Sequence) and isinstance(value, int) and 0 <= value < len(mechanism):
        return mechanism[value]
    raise BadArgument(
        "audit-law",
        "the distribution of the answers is not known",
        fix="give a matrix and two of its rows, a mechanism with a law, or use lapcat.audit(...), which samples",
    )


def _table(law: object) -> dict[object, Enclosed]:
    """The outcomes of a finite law."""
    if hasattr(law, "low") and hasattr(law, "high"):  # FiniteLaw
        return dict(enumerate(zip(law.low, law.high, strict=True)))
    if isinstance(law, Mapping):
        items = [(outcome, read(p)) for outcome, p in law.items()]
    elif isinstance(law, Sequence) and not isinstance(law, str):
        items = list(enumerate(read(p) for p in law))
    else:
        raise BadArgument(
            "audit-law", f"a {type(law).__name__} is not a law", fix="{outcome: probability, …}"
        )
    if any(p < 0 for _, p in items) or sum(p for _, p in items) != 1:
        raise BadArgument("audit-law", "the probabilities do not add up to 1", fix='["0.75", "0.25"]')
    return {outcome: (p, p) for outcome, p in items}


def _on_a_grid(claim: Claim, here: OnAGrid, there: OnAGrid) -> Exact:
    """Enumerates the window outside which each law has probability at most TAIL."""
    first = min(law.quantile(TAIL / 2) for law in (here, there))
    last = max(law.quantile(1 - TAIL / 2) for law in (here, there))
    if last - first >= MAX_OUTCOMES:
        raise BadArgument(
            "audit-grid",
            f"the window has {last - first + 1} outcomes; at most {MAX_OUTCOMES} can be enumerated",
            why="the noise spans too many steps of its grid",
            fix="use a coarser grid: m.Laplace(sensitivity=1, epsilon=1, grid=1)",
        )
    window = range(first, last + 1)
    return Exact(
        claim,
        tuple(here.pmf_bounds(z) for z in window),
        tuple(there.pmf_bounds(z) for z in window),
        tuple(window),
        TAIL,
        _everywhere(here, there),
    )


def _everywhere(here: OnAGrid, there: OnAGrid) -> Fraction | None:
    return here.largest_log_ratio(there) if isinstance(here, Law) and isinstance(there, Law) else None
