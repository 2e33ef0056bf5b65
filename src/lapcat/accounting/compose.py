"""`lapcat.compose`: the total cost of several releases by the theorem with the smallest figure, and which theorem that is."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.accounting.advanced import advanced
from lapcat.accounting.base import Accountant, Quote, RepeatedRelease, checked_delta, parts_of
from lapcat.accounting.basic import basic
from lapcat.accounting.renyi import renyi
from lapcat.accounting.zcdp import zcdp
from lapcat.core.exact import exact_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument

WORTH = Fraction(999, 1000)
"""Basic composition is quoted unless another theorem, with its delta and its condition, is lower by a thousandth."""
ACCOUNTANTS: tuple[Accountant, ...] = (basic, advanced, zcdp, renyi)
"""The accountants that are always consulted."""


@dataclass(frozen=True, slots=True)
class Composed:
    """The smallest known (epsilon, delta), the theorem it comes from, and the quotes of all theorems that were consulted."""

    best: Quote
    quotes: tuple[Quote, ...]

    @property
    def epsilon(self) -> Fraction:
        return self.best.epsilon

    @property
    def delta(self) -> Fraction:
        return self.best.delta

    @property
    def theorem(self) -> str:
        return self.best.theorem

    @property
    def source(self) -> str:
        return self.best.source

    @property
    def caveat(self) -> str:
        """The condition under which the figure holds; empty if it holds unconditionally."""
        return self.best.caveat

    @property
    def fixed_beforehand(self) -> bool:
        """Whether the figure is valid only for questions fixed beforehand."""
        return bool(self.best.caveat)

    @property
    def loss(self) -> PureDP | ApproxDP:
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)

    def __str__(self) -> str:
        others = [f"  {quote.accountant}: epsilon {float(quote.epsilon):.6g}" for quote in self.quotes]
        return "\n".join([str(self.best), *(others if len(others) > 1 else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(quote.accountant)}</th><td>{float(quote.epsilon):.6g}</td>"
            f"<td>{float(quote.delta):.3g}</td><td>{html.escape(quote.theorem)}</td></tr>"
            for quote in self.quotes
        )
        head = "<tr><th></th><th>ε</th><th>δ</th><th>theorem</th></tr>"
        return f"<p>{html.escape(str(self.best))}</p><table>{head}{rows}</table>"


def compose(
    releases: Iterable[object],
    *,
    delta: object = 0,
    parallel: str | None = None,
    loss_distributions: bool = False,
) -> Composed:
    """The total cost of the releases: losses, events, mechanisms, or numbers that are pure epsilons.

    delta: the total delta allowed. At 0 only pure losses can be composed, by their sum.
    parallel: "add-remove" or "replace-one" if each unit is in one part only (see `in_parallel`).
    loss_distributions: also consult dp-accounting (the extra `lapcat[accounting]`).

    >>> compose(["0.1", "0.2", "0.3"])
    epsilon 0.6, delta 0: basic composition: Σε
    >>> many = compose(["0.01"] * 1000, delta="1e-6")
    >>> float(many.epsilon), many.theorem, many.caveat  # doctest: +ELLIPSIS
    (1.46..., 'Rényi divergences, turned into (ε, δ)', 'valid only if these questions had been fixed beforehand')
    """
    allowed = checked_delta(delta)
    parts = parts_of(releases)
    if parallel is not None:
        parts = parts_of([in_parallel(parts, parallel)]) if parts else parts
    accountants = ACCOUNTANTS
    if loss_distributions:
        from lapcat.accounting.loss_distribution import loss_distribution

        accountants = (*ACCOUNTANTS, loss_distribution)
    quotes = tuple(q for accountant in accountants if (q := accountant(parts, allowed)) is not None)
    if not quotes:
        raise _too_little_delta(parts, allowed)
    best = min(quotes, key=lambda quote: quote.epsilon)
    plain = next((quote for quote in quotes if quote.accountant == "basic"), best)
    return Composed(best if best.epsilon < plain.epsilon * WORTH else plain, quotes)


def in_parallel(parts: Sequence[RepeatedRelease], relation: str) -> Loss:
    """The loss of releases on disjoint sets of units (parallel composition).

    Theorem: under add-remove one unit changes one part, so the largest loss is the loss of all. Under replace-one it
             may leave one part and enter another: the sum of the two largest.
    Source:  Dwork & Roth 2014.
    """
    if relation not in ("add-remove", "replace-one"):
        raise BadArgument(
            "relation-unknown",
            f"there is no relation {relation!r}",
            why="parallel releases cost the largest under add-remove, the sum of the two largest under replace-one",
            fix='parallel="add-remove" or parallel="replace-one"',
        )
    many = 1 if relation == "add-remove" else 2
    losses = [part.loss for part in parts for _ in range(min(part.times, many))]
    if any(isinstance(loss, ZCDP) for loss in losses):
        if any(isinstance(loss, ApproxDP) for loss in losses):
            raise BadArgument(
                "losses-mixed",
                "parts measured by rho and parts measured by (epsilon, delta) have no common measure",
                why="(epsilon, delta) never becomes a rho",
                fix="compose them one after the other, without parallel=",
            )
        rhos = [
            loss.as_zcdp().rho if isinstance(loss, PureDP) else loss.rho
            for loss in losses
            if not isinstance(loss, ApproxDP)
        ]
        return ZCDP(_largest(rhos, many))
    pairs = [
        (loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0))
        for loss in losses
        if not isinstance(loss, ZCDP)
    ]
    epsilon = _largest([epsilon for epsilon, _ in pairs], many)
    delta = _largest([delta for _, delta in pairs], many)
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _largest(numbers: list[Fraction], many: int) -> Fraction:
    return sum(sorted(numbers, reverse=True)[:many], Fraction(0))


def _too_little_delta(parts: Sequence[RepeatedRelease], delta: Fraction) -> BadArgument:
    needed = sum(
        (part.loss.delta * part.times for part in parts if isinstance(part.loss, ApproxDP)), Fraction(0)
    )
    if any(isinstance(part.loss, ZCDP) for part in parts):
        what = f"rho cannot be converted into an epsilon at delta {exact_text(delta)}"
        why = (
            f"the other releases use {exact_text(needed)} of it"
            if needed
            else "rho-zCDP has no epsilon at delta 0"
        )
    else:
        what = f"a delta of {exact_text(delta)} is below the total delta of these releases"
        why = f"their deltas add up to {exact_text(needed)}"
    return BadArgument(
        "delta-too-small", what, why=why, fix=f"delta={exact_text(max(2 * needed, Fraction(1, 10**6)))}"
    )
