"""Events: a release as an immutable value, from which its privacy loss is computed.

They are a small algebra. A `Leaf` is one release: noise on a vector of sums (`NoiseRelease`), a selection (`SelectionRelease`),
a number that no unit can change. `TopK` costs the sum of its largest parts, `SumsAndChoices` the sum of a sequence, `KeyedRelease`
that of its parts and the delta of its threshold. Each computes its own loss; code that charges, stores or describes an event asks it.

Events are stored in the ledger permanently, so that history can be re-accounted by a better theorem later. A new kind of
release gets a new tag; an unknown tag is refused (core/event_codec.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from lapcat.core.event_codec import (
    EXACT,
    FLAG,
    STRATEGY,
    TEXT,
    WHOLE,
    EventField,
    event_as_json,
    event_within,
    list_of,
    one_of,
    optional,
    stored_event,
)
from lapcat.core.exact import exact, exact_text, ln_up
from lapcat.core.gaussian_delta import delta_of
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.core.ranks import levels_of
from lapcat.core.tails import any_shown_up
from lapcat.core.zcdp import epsilon_at_order
from lapcat.errors import IntegrityFailed


class Event(ABC):
    """A release, as the ledger stores it."""

    __slots__ = ()
    concentrated: ClassVar[bool] = False
    """Whether its loss is a rho, though it may be quoted as (epsilon, delta)."""

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """What it costs: epsilon, rho, or epsilon and delta."""

    @property
    def rho(self) -> Fraction | None:
        """What it costs a budget of rho, beside the delta of its loss; None if no theorem gives it a rho."""
        loss = self.loss
        if isinstance(loss, ApproxDP):
            return None
        return loss.rho if isinstance(loss, ZCDP) else loss.as_zcdp().rho

    def divergence(self, order: Fraction) -> Fraction | None:
        """Upper bound on its Rényi divergence of this order between neighbours, beside the delta of its loss."""
        return None if self.rho is None else self.rho * order

    @property
    def composition(self) -> Composition:
        """The sums, selections and threshold of a whole question; empty for a leaf."""
        return Composition()

    def as_json(self) -> dict[str, object]:
        return event_as_json(self)


@dataclass(frozen=True, slots=True)
class Composition:
    """What the event of a whole question consists of."""

    sums: tuple[NoiseRelease, ...] = ()
    """The noise of each statistic, in the order of the plan."""
    choices: tuple[SelectionRelease, ...] = ()
    threshold: ThresholdRelease | None = None
    quoted: Conversion | None = None
    strategy: str | None = None
    """The strategy that the sums measure, if any, as canonical JSON (workload/specification.py)."""


class Leaf(Event):
    """One release."""

    __slots__ = ()
    label: str


class NoiseRelease(Leaf):
    """Independent noise on each coordinate of a vector of sums."""

    __slots__ = ()
    linear: ClassVar[bool] = True
    """Whether the loss is proportional to the distance of two vectors, so that half of a unit's rows cost half of it."""
    is_public: ClassVar[bool] = False
    """Whether the numbers get no noise, because no unit can change them."""

    @property
    @abstractmethod
    def variance(self) -> Fraction:
        """The variance of the noise, or of the continuous law that it rounds."""


class PureNoise(NoiseRelease):
    """Noise whose loss is an epsilon."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> PureDP: ...


class ConcentratedNoise(NoiseRelease):
    """Noise whose loss is a rho."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> ZCDP: ...

    @property
    def rho(self) -> Fraction:
        return self.loss.rho


class SelectionRelease(Leaf):
    """A choice among public candidates."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> PureDP: ...


class TopK(Event):
    """Noise on several statistics of the same rows, where one row affects at most `max_affected` of them."""

    __slots__ = ()
    parts: tuple[NoiseRelease, ...]
    max_affected: int
    quoted: Conversion | None = None
    strategy: str | None

    @property
    def composition(self) -> Composition:
        return Composition(self.parts, quoted=self.quoted, strategy=self.strategy)

    def largest(self, costs: tuple[tuple[NoiseRelease, Fraction], ...]) -> Fraction:
        """The sum of the `max_affected` largest costs of the parts.

        The theorems of the joint releases below divide a part's cost among a unit's rows. Where it is not linear in rows, a
        single row may cost all of it: such parts are all added, beside the largest of the others.
        """
        linear = sorted((cost for part, cost in costs if part.linear), reverse=True)
        others = (cost for part, cost in costs if not part.linear)
        return sum(linear[: self.max_affected], Fraction(0)) + sum(others, Fraction(0))


@stored_event("laplace", label=TEXT, l1=EXACT, scale=EXACT)
@dataclass(frozen=True, slots=True)
class LaplaceRelease(PureNoise):
    """Discrete Laplace noise of this scale on each coordinate of a vector with this l1 sensitivity.

    Theorem: it is (l1 / scale)-DP: the law's ratio at neighbouring integers is exactly e^(1/scale).
    Source:  Dwork, McSherry, Nissim & Smith 2006.
    """

    label: str
    l1: Fraction
    scale: Fraction

    @property
    def loss(self) -> PureDP:
        return PureDP(self.l1 / self.scale)

    @property
    def variance(self) -> Fraction:
        return 2 * self.scale**2


@stored_event("exact", label=TEXT)
@dataclass(frozen=True, slots=True)
class ExactRelease(PureNoise):
    """A number that no unit can change: it is public and costs nothing."""

    is_public: ClassVar[bool] = True
    label: str

    @property
    def loss(self) -> PureDP:
        return PureDP(Fraction(0))

    @property
    def rho(self) -> Fraction:
        return Fraction(0)

    @property
    def variance(self) -> Fraction:
        return Fraction(0)


@stored_event(
    "joint", most=WHOLE.of("max_affected"), parts=list_of(event_within(PureNoise)), strategy=STRATEGY
)
@dataclass(frozen=True, slots=True)
class JointRelease(TopK):
    """Several releases from the same rows, where one row affects at most `max_affected` of them.

    Theorem: the loss is the sum of the `max_affected` largest losses of the parts. One row changes the normalised vector by
             at most the sum over the parts it affects; a unit's rows add up, and each part's l1 already counts them all.
    Source:  Dwork, McSherry, Nissim & Smith 2006 (the l1 sensitivity of a vector-valued question).
    """

    parts: tuple[PureNoise, ...]
    max_affected: int
    strategy: str | None = None

    @property
    def loss(self) -> PureDP:
        return PureDP(self.largest(tuple((part, part.loss.epsilon) for part in self.parts)))


@stored_event("gaussian", label=TEXT, l2_squared=EXACT, sigma_squared=EXACT)
@dataclass(frozen=True, slots=True)
class GaussianRelease(ConcentratedNoise):
    """Discrete Gaussian noise of this sigma² on each coordinate of a vector with this l2 sensitivity, squared.

    Theorem: it is (l2² / (2 sigma²))-zCDP: the discrete law's Rényi divergences are at most those of the continuous one.
    Source:  Canonne, Kamath & Steinke 2020.
    """

    label: str
    l2_squared: Fraction
    sigma_squared: Fraction

    @property
    def loss(self) -> ZCDP:
        return ZCDP(self.l2_squared / (2 * self.sigma_squared))

    @property
    def variance(self) -> Fraction:
        return self.sigma_squared


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of a rho into (epsilon, delta): the Rényi order and the delta."""

    order: Fraction
    delta: Fraction


def _conversion(value: object) -> Conversion:
    match value:
        case {"order": str(order), "delta": str(delta)}:
            return Conversion(exact(order), exact(delta))
    raise IntegrityFailed(
        "event-unknown",
        "this version of lapcat does not know this conversion of a rho",
        fix="open this ledger with the version of lapcat that wrote it, or a newer one",
    )


def _conversion_json(quoted: Conversion) -> dict[str, object]:
    return {"order": exact_text(quoted.order), "delta": exact_text(quoted.delta)}


_CONVERSION = EventField(_conversion_json, _conversion)


@stored_event(
    "concentrated",
    most=WHOLE.of("max_affected"),
    parts=list_of(event_within(ConcentratedNoise, ExactRelease)),
    quoted=optional(_CONVERSION),
    strategy=STRATEGY,
)
@dataclass(frozen=True, slots=True)
class JointGaussianRelease(TopK):
    """Several Gaussian releases from the same rows, where one row affects at most `max_affected` of them; charged in rho, or
    quoted as (epsilon, delta).

    Theorem: it is rho-zCDP, where rho is the sum of the m = `max_affected` largest of the parts; and (epsilon, delta)-DP by every order.
    Proof:   independent noises add up: rho is at most Σ_j ‖v_j‖² / (2 sigma_j²) for the change v_j of part j. Let a unit have
             at most R rows; n_j of them affect part j: n_j ≤ R and Σ_j n_j ≤ R · m. Each part's l2² is linear in rows:
             ‖v_j‖² ≤ n_j · l2²_j / R (plan/facts.py). So the sum is at most Σ_j (n_j / R) · rho_j, which is largest with
             n_j = R for the m largest. A part that does not depend on rows counts as one more of them.
    Source:  Bun & Steinke 2016 (arXiv:1605.02065); Canonne, Kamath & Steinke 2020.
    """

    concentrated: ClassVar[bool] = True
    parts: tuple[ConcentratedNoise | ExactRelease, ...]
    max_affected: int
    quoted: Conversion | None = None
    strategy: str | None = None

    @property
    def rho(self) -> Fraction:
        return self.largest(tuple((part, part.rho) for part in self.parts))

    @property
    def loss(self) -> ZCDP | ApproxDP:
        if self.quoted is None:
            return ZCDP(self.rho)
        order, delta = self.quoted.order, self.quoted.delta
        return ApproxDP(epsilon_at_order(self.divergence(order) or Fraction(0), order, delta), delta)


@stored_event("gaussian-once", label=TEXT, moved=WHOLE, sigma_squared=EXACT, epsilon=EXACT)
@dataclass(frozen=True, slots=True)
class ApproxGaussianRelease(NoiseRelease):
    """Discrete Gaussian noise of this sigma² where one unit changes one integer by at most `moved`; quoted at this epsilon.

    Theorem: it is (epsilon, delta)-DP with delta = Pr[Z >= x] - e^epsilon Pr[Z >= x + moved] at its largest over x, for
             noise Z: docs/proofs/gaussian.md, "One integer".
    Source:  Canonne, Kamath & Steinke 2020.
    """

    label: str
    moved: int
    sigma_squared: Fraction
    epsilon: Fraction

    @property
    def loss(self) -> ApproxDP:
        if not self.moved:
            return ApproxDP(self.epsilon, Fraction(0))
        return ApproxDP(self.epsilon, delta_of(self.sigma_squared, self.epsilon, self.moved))

    @property
    def variance(self) -> Fraction:
        return self.sigma_squared


@stored_event("response", label=TEXT, values=WHOLE, truth=EXACT)
@dataclass(frozen=True, slots=True)
class ResponseRelease(Leaf):
    """One randomised response over `values` values: the true one with probability `truth`, else a uniform other one.

    Theorem: it is ln(truth * (values - 1) / (1 - truth))-DP, whichever two values are compared.
    Source:  Warner 1965.
    """

    label: str
    values: int
    truth: Fraction

    @property
    def loss(self) -> PureDP:
        return PureDP(ln_up(self.truth * (self.values - 1) / (1 - self.truth)))


@stored_event("discrete", label=TEXT, epsilon=EXACT, delta=EXACT)
@dataclass(frozen=True, slots=True)
class DiscreteRelease(Leaf):
    """One draw from a row-stochastic matrix whose rows of neighbouring inputs are (epsilon, delta)-close."""

    label: str
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @property
    def loss(self) -> PureDP | ApproxDP:
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)


EXPONENTIAL, PERMUTE_AND_FLIP = "exponential", "permute-and-flip"


@stored_event(
    "choice", label=TEXT, mechanism=one_of(EXPONENTIAL, PERMUTE_AND_FLIP), epsilon=EXACT, picks=WHOLE
)
@dataclass(frozen=True, slots=True)
class ChoiceRelease(SelectionRelease):
    """`picks` candidates chosen one after the other, each at this epsilon, by the mechanism of this name."""

    label: str
    mechanism: str
    epsilon: Fraction
    picks: int = 1

    @property
    def loss(self) -> PureDP:
        return PureDP(self.picks * self.epsilon)

    def as_zcdp(self) -> ZCDP:
        """The same release under zCDP.

        Theorem: an exponential mechanism at epsilon has a privacy loss whose range is at most epsilon, so each pick is
                 (epsilon² / 8)-zCDP; for permute-and-flip only the generic epsilon² / 2 is known.
        Source:  Cesar & Rogers 2021; Bun & Steinke 2016 (arXiv:1605.02065).

        >>> ChoiceRelease("day", EXPONENTIAL, Fraction(1)).as_zcdp()
        ZCDP(rho=Fraction(1, 8))
        """
        parts = 8 if self.mechanism == EXPONENTIAL else 2
        return ZCDP(self.picks * self.epsilon * self.epsilon / parts)


ADD_REMOVE, REPLACE_ONE = "add-remove", "replace-one"


@stored_event(
    "threshold", label=TEXT, scale=EXACT, tau=WHOLE, keys=WHOLE, relation=one_of(ADD_REMOVE, REPLACE_ONE)
)
@dataclass(frozen=True, slots=True)
class ThresholdRelease(Leaf):
    """The unit count of each private key with discrete Laplace noise, shown if it reaches `tau`.

    One unit is in at most `keys` keys, and counts as 1 in each of them.
    Theorem: (epsilon, delta)-DP with epsilon = keys / scale under add-remove, 2 * keys / scale under replace-one, and
             delta = 1 - (1 - p)^keys, p = Pr[1 + Z >= tau]: docs/proofs/choice.md, "Threshold".
    Source:  Korolova, Kenthapadi, Mishra & Ntoulas 2009.
    """

    label: str
    scale: Fraction
    tau: int
    keys: int
    relation: str

    @property
    def loss(self) -> ApproxDP:
        moved = self.keys if self.relation == ADD_REMOVE else 2 * self.keys
        return ApproxDP(moved / self.scale, any_shown_up(self.scale, self.tau, self.keys))


@stored_event(
    "ranks",
    label=TEXT,
    quantiles=list_of(EXACT),
    parts=WHOLE,
    moved=EXACT,
    rates=list_of(list_of(EXACT)),
    scale=EXACT,
    lone=FLAG.of("single_cell"),
)
@dataclass(frozen=True, slots=True)
class RankRelease(SelectionRelease):
    """Quantiles of a column, chosen as a tree at these rates, and noisy counts of the windows around them.

    `moved` is the l1 sensitivity of the column's counts by place, over all cells. `single_cell`: one quantile of one cell
    under replace-one, where a unit's old and new rows change #{below} by at most half of that, and n not at all.
    Theorem: docs/proofs/ranks.md.
    Source:  McSherry & Talwar 2007; Kaplan, Schnapp & Stemmer 2022.
    """

    label: str
    quantiles: tuple[Fraction, ...]
    parts: int
    moved: Fraction
    rates: tuple[tuple[Fraction, ...], ...]
    scale: Fraction
    single_cell: bool

    @property
    def loss(self) -> PureDP:
        chosen = Fraction(0)
        for level, rates in zip(levels_of(self.quantiles), self.rates, strict=True):
            spreads = [Fraction(1) if self.single_cell else 2 * branch.reach for branch in level]
            chosen += max(rate * spread for rate, spread in zip(rates, spreads, strict=True)) * self.moved
        return PureDP(chosen + self.moved / self.scale)


@stored_event(
    "extreme", label=TEXT, highest=FLAG, depth=WHOLE, moved=EXACT, rate=EXACT, lone=FLAG.of("single_cell")
)
@dataclass(frozen=True, slots=True)
class ExtremeRelease(SelectionRelease):
    """The value with about `depth` rows beyond it, chosen at this rate; `moved` and `single_cell` as in RankRelease.

    Theorem: the score changes by at most as much as the counts, in either direction: it is
             (rate · 2 · moved)-DP, and (rate · moved)-DP if single_cell.
    Source:  McSherry & Talwar 2007.
    """

    label: str
    highest: bool
    depth: int
    moved: Fraction
    rate: Fraction
    single_cell: bool

    @property
    def loss(self) -> PureDP:
        return PureDP(self.rate * self.moved * (1 if self.single_cell else 2))


@stored_event(
    "together", sums=optional(event_within(JointRelease)), choices=list_of(event_within(SelectionRelease))
)
@dataclass(frozen=True, slots=True)
class SumsAndChoices(Event):
    """Noisy sums (None: none) and choices from the same rows: their losses add up."""

    sums: JointRelease | None
    choices: tuple[SelectionRelease, ...]

    @property
    def loss(self) -> PureDP:
        chosen = sum((choice.loss.epsilon for choice in self.choices), Fraction(0))
        return PureDP(chosen + (Fraction(0) if self.sums is None else self.sums.loss.epsilon))

    @property
    def composition(self) -> Composition:
        return Composition(() if self.sums is None else self.sums.parts, self.choices)


@stored_event(
    "keyed",
    threshold=event_within(ThresholdRelease),
    rest=optional(event_within(JointRelease, SumsAndChoices)),
)
@dataclass(frozen=True, slots=True)
class KeyedRelease(Event):
    """A table of private groups: which are shown, their noisy unit counts, and their statistics.

    Every group in the data gets noise on its unit count; those that reach the threshold are shown with that count
    and with the noisy statistics of `rest` (None: none), which are drawn for shown groups only.

    Theorem: it is (epsilon, delta)-DP, and (epsilon² / 2)-zCDP but for an event of probability delta, where epsilon is the
             threshold's plus the rest's, and delta is the threshold's.
    Proof:   For neighbours D and D', let A be the release M restricted to the groups that are in both. Unit counts get
             Laplace noise, statistics the noise of `rest`, and dropping groups by their noisy counts is post-processing:
             between D and D', A is epsilon-DP and so (epsilon² / 2)-zCDP. M(D) is A(D) unless it shows a group that is in
             D and not in D'. There are at most `keys` of these, each with one unit, and their noise is independent of A(D). So
             with probability at least 1 - delta none is shown, and given that, M(D) has exactly the law of A(D); likewise
             for D'. This is delta-approximate zCDP, whose rhos and deltas add up, also adaptively.
             (An (epsilon, delta) in general has no rho: its delta need not be the probability of any event.)
             For the pair: let a and b be the probabilities to show a group that only D, or only D', has, and x = Pr[A(D) in S].
             Pr[M(D) in S] - e^epsilon Pr[M(D') in S] <= a + (1 - a) x - (1 - b) x <= max(a, b) <= delta.
    Source:  Korolova, Kenthapadi, Mishra & Ntoulas 2009; Bun & Steinke 2016 (arXiv:1605.02065).
    """

    threshold: ThresholdRelease
    rest: JointRelease | SumsAndChoices | None

    @property
    def loss(self) -> ApproxDP:
        counted = self.threshold.loss
        rest = Fraction(0) if self.rest is None else self.rest.loss.epsilon
        return ApproxDP(counted.epsilon + rest, counted.delta)

    @property
    def rho(self) -> Fraction:
        """
        >>> cities = ThresholdRelease("city", Fraction(4), 60, 2, ADD_REMOVE)
        >>> KeyedRelease(cities, JointRelease((LaplaceRelease("n", Fraction(2), Fraction(4)),), 1)).rho
        Fraction(1, 2)
        """
        return PureDP(self.loss.epsilon).as_zcdp().rho

    @property
    def composition(self) -> Composition:
        rest = Composition() if self.rest is None else self.rest.composition
        return replace(rest, threshold=self.threshold)


@stored_event("k-norm", label=TEXT, dimension=WHOLE, epsilon=EXACT)
@dataclass(frozen=True, slots=True)
class KNormRelease(Leaf):
    """K-norm noise at this epsilon on a vector of `dimension` numbers whose differences between neighbours lie in K.

    Theorem: it is epsilon-DP: the exponent -epsilon * ||z - f(D)||_K moves by at most epsilon.
    Source:  Hardt & Talwar 2010.
    """

    label: str
    dimension: int
    epsilon: Fraction

    @property
    def loss(self) -> PureDP:
        return PureDP(self.epsilon)
