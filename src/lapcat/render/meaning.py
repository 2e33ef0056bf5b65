"""What a privacy loss means, in words and pictures, for readers who do not know epsilon."""

from __future__ import annotations

import html
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from lapcat.core.exact import exact, exact_text, exp_up
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.errors import BadArgument
from lapcat.mechanisms.odds import FALSE_ALARMS, epsilon_for_posterior, power, worst_posterior
from lapcat.render.deployments import UNITS, of_unit

if TYPE_CHECKING:
    from lapcat.plan.schema import SpendingLimit
    from lapcat.session.results import Amount

PRIORS = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**6))
RELATIONS = ("add-remove", "replace-one")
NOBODY = Fraction(10)
"""From this epsilon on the verdict is that nobody is protected."""
GAMBLE = Fraction(1, 1000)
"""The same for delta: publishing one row in a thousand would satisfy such a guarantee."""
RARELY = Fraction(1, 10**6)
"""The delta for converting a rho into odds if none is given."""
NOT_PROTECTED = (
    "facts about people in general: if the data show that smokers fall ill, that applies to you whether you are in them or not",
    "what others reveal about you, and what is already public",
    "the answers themselves, including averages: they are released on purpose",
)
CAP, SPENT, GIVEN = "the cap", "what was spent", "as given"
_WHAT = {
    CAP: "the cap over all questions of all analysts: nothing beyond it is answered",
    SPENT: "the total that all questions have spent so far; more may follow, up to the cap",
    GIVEN: "the loss as given; what matters to you is the total over everything released about you",
}


@dataclass(frozen=True, slots=True)
class SecretAtRisk:
    """A secret about you, and how much somebody can learn about it."""

    about: str
    epsilon: float
    delta: float

    def posterior(self, prior: float) -> float:
        return worst_posterior(self.epsilon, prior)

    @property
    def power(self) -> float:
        return power(self.epsilon, FALSE_ALARMS, self.delta)

    def as_json(self) -> dict[str, object]:
        return {
            "about": self.about,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "posteriors": [{"prior": float(p), "posterior": self.posterior(float(p))} for p in PRIORS],
            "test": {"false_alarms": FALSE_ALARMS, "power": self.power},
        }


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a loss means to one unit, or to a household of several: as text, and in a notebook with pictures."""

    name: str
    """The loss as given."""
    unit: str
    relation: str
    household: int
    releases: int
    figure: str
    epsilon: Fraction
    """For the household, over all releases."""
    delta: Fraction

    @property
    def sides(self) -> tuple[SecretAtRisk, ...]:
        """Under add-remove, changing a value is removing one unit and adding another: twice the epsilon."""
        epsilon, delta = float(self.epsilon), float(self.delta)
        who = "you are" if self.household == 1 else f"a household of {self.household} is"
        if self.relation == "replace-one":
            return (
                SecretAtRisk("which values you have, or whether the record is yours at all", epsilon, delta),
            )
        twice = min(1.0, delta * (1 + float(exp_up(self.epsilon)))) if self.delta else 0.0
        return (
            SecretAtRisk(f"whether {who} in the data", epsilon, delta),
            SecretAtRisk(
                "which values you have, for somebody who knows that you are in the data", 2 * epsilon, twice
            ),
        )

    @property
    def protects_nobody(self) -> bool:
        return self.epsilon >= NOBODY or self.delta >= GAMBLE

    @property
    def verdict(self) -> str:
        """One sentence; it says plainly if nobody is protected."""
        sure = in_percent(worst_posterior(float(self.epsilon), 0.5))
        if self.delta >= GAMBLE:
            return f"This protects nobody: with a chance of about {float(self.delta):.2g} there is no guarantee at all."
        if self.epsilon >= NOBODY:
            return f"This protects nobody: somebody with a 50 % suspicion about you can become {sure} sure."
        if self.epsilon > 5:
            return (
                f"Next to nothing is hidden from a determined attacker: a 50 % suspicion can become {sure}."
            )
        if self.epsilon > 2:
            return f"Weak: a good attacker learns most of it; a 50 % suspicion becomes at most {sure}."
        if self.epsilon > 1:
            return f"Moderate: an attacker can learn something, never all; a 50 % suspicion becomes at most {sure}."
        return f"Strong: whatever an attacker knows, the answers add little about you; a 50 % suspicion becomes at most {sure}."

    @property
    def deployments(self) -> tuple[str, ...]:
        return tuple(map(str, of_unit(self.unit)))

    def as_json(self) -> dict[str, object]:
        return {
            "loss": self.name,
            "unit": self.unit,
            "relation": self.relation,
            "household": self.household,
            "releases": self.releases,
            "figure": self.figure,
            "epsilon": exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "verdict": self.verdict,
            "sides": [side.as_json() for side in self.sides],
            "not_protected": list(NOT_PROTECTED),
            "deployments": list(self.deployments),
        }

    def paragraphs(self) -> list[tuple[str, list[str]]]:
        """Headings, each with its sentences."""
        first = [_WHAT[self.figure]]
        if self.releases > 1:
            first.append(
                f"{self.releases} such releases add up to ε = {_short(self.epsilon / self.household)}"
            )
        if self.household > 1:
            first.append(f"for {self.household} people who share a secret it is ε = {_short(self.epsilon)}")
        paragraphs = [(f"{self.name} for each {self.unit}, {_relation(self.relation)}", first)]
        for side in self.sides:
            sentences = [
                f"somebody who thinks it 50 % likely can become {in_percent(side.posterior(0.5))} sure; "
                + ", ".join(f"from {_prior(p)}: {in_percent(side.posterior(float(p)))}" for p in PRIORS[1:]),
                f"the best test that wrongly accuses 5 of 100 correctly detects {_of_hundred(side.power)} of 100 for whom it is true",
            ]
            if side.delta:
                sentences.append(f"with a chance of about {side.delta:.2g} none of this holds")
            paragraphs.append((f"{side.about} (ε = {_short(side.epsilon)})", sentences))
        paragraphs.append(("what it does not protect", list(NOT_PROTECTED)))
        known = self.deployments
        if known:
            paragraphs.append((f"published deployments with the same unit ({self.unit})", list(known)))
        return paragraphs

    def __str__(self) -> str:
        lines = [self.verdict]
        for heading, sentences in self.paragraphs():
            lines += ["", heading, *(f"  {sentence}" for sentence in sentences)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.drawing.icons import icons_svg
        from lapcat.drawing.odds import odds_svg

        parts = [f"<p><b>{html.escape(self.verdict)}</b></p>"]
        for heading, sentences in self.paragraphs():
            items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences)
            parts.append(f"<p>{html.escape(heading)}</p><ul>{items}</ul>")
        side = self.sides[0]
        after = side.posterior(0.5)
        parts.append(
            f"<div>{icons_svg(0.5, 'how sure before')} → {icons_svg(after, 'how sure after, at worst')}</div>"
        )
        delta = side.delta
        parts.append(
            odds_svg(
                lambda e: worst_posterior(e, 0.5),
                lambda e: power(e, FALSE_ALARMS, delta),
                side.epsilon,
                f"how sure somebody can become from 50 %: {in_percent(after)}, and the power of the best test: "
                f"{in_percent(side.power)}, at epsilon {_short(side.epsilon)}",
            )
        )
        return "".join(parts)


def explain(
    epsilon: object = None,
    *,
    delta: object = None,
    rho: object = None,
    relation: str = "add-remove",
    unit: str = "person",
    releases: int = 1,
    household: int = 1,
    figure: str = GIVEN,
) -> Meaning:
    """What a loss means. `releases` is the number of releases with this loss each. With rho, delta is the probability that the
    explanation fails.

    >>> print(explain(4).verdict)
    Weak: a good attacker learns most of it; a 50 % suspicion becomes at most 98.2 %.
    """
    if (epsilon is None) == (rho is None):
        raise BadArgument("explain-loss", "explain() takes either epsilon or rho", fix="lapcat.explain(1)")
    if relation not in RELATIONS:
        raise BadArgument(
            "relation-unknown", f"no relation {relation!r}", fix=f"one of: {', '.join(RELATIONS)}"
        )
    for name, count in (("releases", releases), ("household", household)):
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 10**6:
            raise BadArgument(
                "explain-count",
                f"{name} must be a whole number from 1 to a million, not {count!r}",
                fix=f"{name}=4",
            )
    named, total_epsilon, total_delta = _total(epsilon, delta, rho, releases, household)
    return Meaning(named, unit, relation, household, releases, figure, total_epsilon, total_delta)


def meaning_of(
    amount: SpendingLimit | Amount, unit: str, relation: str, figure: str, *, household: int = 1
) -> Meaning:
    """What a cap, or the spending against it, means. A rho is converted into odds that fail with probability one in a million."""
    delta = amount.delta or Fraction(0)
    if amount.rho is None:
        return explain(
            amount.epsilon,
            delta=delta or None,
            unit=unit,
            relation=relation,
            figure=figure,
            household=household,
        )
    from lapcat.core.zcdp import epsilon_of_zcdp

    if delta:  # approximate zCDP: convert to (epsilon, delta) first; group privacy then applies to the pair
        pair = ApproxDP(epsilon_of_zcdp(amount.rho, RARELY), RARELY + delta).group(household)
        epsilon, chance = pair.epsilon, pair.delta
    else:
        epsilon, chance = epsilon_of_zcdp(ZCDP(amount.rho).group(household).rho, RARELY), RARELY
    name = f"ρ = {exact_text(amount.rho)}" + (f", δ = {exact_text(delta)}" if delta else "")
    return Meaning(name, unit, relation, household, 1, figure, epsilon, chance)


def _total(
    epsilon: object, delta: object, rho: object, releases: int, household: int
) -> tuple[str, Fraction, Fraction]:
    """The loss as given, and its epsilon and delta for the household over all releases."""
    chance = Fraction(0) if delta is None else _chance(delta)
    if rho is not None:
        if not chance:
            raise BadArgument(
                "explain-delta",
                "a rho can be explained only together with a delta",
                fix="lapcat.explain(rho=0.1, delta=1e-6)",
            )
        from lapcat.core.zcdp import epsilon_of_zcdp

        given = ZCDP(_above_zero("rho", rho))
        total = ZCDP(given.rho * releases).group(household)
        return f"ρ = {exact_text(given.rho)}", epsilon_of_zcdp(total.rho, chance), chance
    each = _above_zero("epsilon", epsilon)
    name = f"ε = {exact_text(each)}"
    if not chance:
        return name, PureDP(each * releases).group(household).epsilon, Fraction(0)
    both = ApproxDP(each * releases, min(chance * releases, 1 - Fraction(1, 10**9))).group(household)
    return f"{name}, δ = {exact_text(chance)}", both.epsilon, both.delta


def epsilon_for(
    *,
    posterior: object = None,
    prior: object = "0.5",
    error: object = None,
    sensitivity: object = 1,
    confidence: object = "0.95",
) -> Fraction:
    """The largest epsilon that keeps a suspicion from growing beyond `posterior`; or the smallest whose Laplace noise, at the
    given sensitivity, stays within `error`.

    >>> float(epsilon_for(posterior="0.75"))
    1.098612288
    """
    if (posterior is None) == (error is None):
        raise BadArgument(
            "explain-loss", "epsilon_for() takes either posterior or error", fix="epsilon_for(posterior=0.75)"
        )
    if posterior is not None:
        epsilon = epsilon_for_posterior(exact(posterior), exact(prior))
        return Fraction(int(epsilon * (1 - 1e-12) * 10**9), 10**9)
    from lapcat.mechanisms import Laplace

    return Laplace.for_error(sensitivity, error, confidence).epsilon


def _above_zero(name: str, value: object) -> Fraction:
    number = exact(value)
    if number <= 0:
        raise BadArgument(f"{name}-range", f"{name} must be above zero, not {value}", fix=f"{name}=1")
    return number


def _chance(value: object) -> Fraction:
    number = exact(value)
    if not 0 <= number < 1:
        raise BadArgument("delta-range", f"delta must lie between 0 and 1, not {value}", fix="delta=1e-6")
    return number


def _relation(relation: str) -> str:
    return (
        "comparing the data with and without one of them"
        if relation == "add-remove"
        else "comparing data in which one of them is replaced"
    )


def in_percent(share: float) -> str:
    """Enough digits to distinguish it from 0 and from 100.

    >>> [in_percent(share) for share in (0.5, 0.525, 0.99966, 0.000001, 1 - 1e-9)]
    ['50 %', '52.5 %', '99.97 %', '0.0001 %', 'more than 99.99 %']
    """
    if share > 0.9999:
        return "more than 99.99 %"
    if share > 0.995:
        return f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %"
    return (
        f"{100 * share:.1f} %".replace(".0 %", " %")
        if share >= 0.001
        else f"{100 * share:.1g} %".replace("1e-04", "0.0001")
    )


def _prior(share: Fraction) -> str:
    """`10 %`, or `one in a million`."""
    return "one in a million" if share == Fraction(1, 10**6) else in_percent(float(share))


def _of_hundred(share: float) -> str:
    return "all but a few" if share > 0.995 else f"{100 * share:.1f}".removesuffix(".0")


def _short(epsilon: Fraction | float) -> str:
    return f"{float(epsilon):.4g}"


__all__ = ["CAP", "SPENT", "UNITS", "Meaning", "epsilon_for", "explain", "in_percent", "meaning_of"]
