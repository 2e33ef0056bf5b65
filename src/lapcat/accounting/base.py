"""Input and output of an accountant: parts, each with its loss, and a quote of (epsilon, delta) with its theorem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from lapcat.core.exact import exact, exact_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument

BEFOREHAND = "valid only if these questions had been fixed beforehand"
"""Theorem: the sum of pure epsilons also holds for questions chosen by earlier answers; the other figures re-account
what was realised, which adaptive questions could steer (Rogers, Roth, Ullman & Vadhan 2016)."""


@runtime_checkable
class Costs(Protocol):
    """An event, or any other object with a privacy loss."""

    @property
    def loss(self) -> Loss: ...


@runtime_checkable
class Concentrates(Protocol):
    """A pure release whose rho is smaller than the generic epsilon² / 2."""

    def as_zcdp(self) -> ZCDP: ...


@dataclass(frozen=True, slots=True)
class RepeatedRelease:
    """Identical releases: their loss, their rho if there is one, and how many there were."""

    loss: Loss
    rho: Fraction | None
    times: int = 1


class Accountant(Protocol):
    """A composition theorem: the (epsilon, delta) of all parts together at a given delta, or None."""

    def __call__(self, parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None: ...


@dataclass(frozen=True, slots=True)
class Quote:
    """A valid (epsilon, delta), with its theorem."""

    accountant: str
    epsilon: Fraction
    delta: Fraction
    theorem: str
    source: str
    caveat: str = ""

    def __str__(self) -> str:
        promise = (
            f"epsilon {float(self.epsilon):.6g}" if self.delta else f"epsilon {exact_text(self.epsilon)}"
        )
        return f"{promise}, delta {float(self.delta):.3g}: {self.theorem}" + (
            f"; {self.caveat}" if self.caveat else ""
        )


def parts_of(releases: Iterable[object]) -> tuple[RepeatedRelease, ...]:
    """The releases, with identical ones grouped; a number stands for a pure epsilon.

    >>> parts_of(["0.1", "0.1"])
    (RepeatedRelease(loss=PureDP(epsilon=Fraction(1, 10)), rho=Fraction(1, 200), times=2),)
    """
    if isinstance(releases, str | bytes) or not isinstance(releases, Iterable):
        raise BadArgument(
            "losses-unreadable",
            f"compose takes a list of releases, not {releases!r}",
            fix='compose(["0.1", "0.2"])',
        )
    counted = Counter(_part(release) for release in releases)
    return tuple(RepeatedRelease(part.loss, part.rho, times) for part, times in counted.items())


def checked_delta(delta: object) -> Fraction:
    read = exact(delta)
    if not 0 <= read < 1:
        raise BadArgument(
            "delta-range",
            f"a delta of {exact_text(read)} is not a probability from 0 to below 1",
            fix="delta=1e-6",
        )
    return read


def pure_sum(parts: Sequence[RepeatedRelease]) -> Fraction:
    return sum((p.loss.epsilon * p.times for p in parts if isinstance(p.loss, PureDP)), Fraction(0))


def approximate_sum(parts: Sequence[RepeatedRelease]) -> tuple[Fraction, Fraction]:
    """Σ epsilon and Σ delta of the approximate parts."""
    approx = [p for p in parts if isinstance(p.loss, ApproxDP)]
    epsilon = sum((p.loss.epsilon * p.times for p in approx if isinstance(p.loss, ApproxDP)), Fraction(0))
    delta = sum((p.loss.delta * p.times for p in approx if isinstance(p.loss, ApproxDP)), Fraction(0))
    return epsilon, delta


def _part(release: object) -> RepeatedRelease:
    if isinstance(release, RepeatedRelease):
        return RepeatedRelease(release.loss, release.rho)
    if isinstance(release, PureDP | ZCDP | ApproxDP):
        loss: Loss = release
    elif isinstance(release, Costs):
        loss = release.loss
    else:
        loss = PureDP(exact(release))
    match loss:
        case PureDP():
            rho = release.as_zcdp().rho if isinstance(release, Concentrates) else loss.as_zcdp().rho
        case ZCDP(rho=rho):
            pass
        case ApproxDP(delta=delta) if not delta:
            return _part(PureDP(loss.epsilon))
        case ApproxDP():
            return RepeatedRelease(loss, None)
    return RepeatedRelease(loss, rho)
