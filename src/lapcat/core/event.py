"""Events: a release as an immutable value, from which its privacy loss is computed.

Events are stored in the ledger permanently, so that history can be re-accounted by a better theorem later. A new kind of
release gets a new name; an unknown name is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact, exact_text, ln_up
from lapcat.core.gaussian_delta import delta_of
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.ranks import levels_of
from lapcat.core.tails import any_shown_up
from lapcat.core.zcdp import epsilon_at
from lapcat.errors import IntegrityFailed


@dataclass(frozen=True, slots=True)
class LaplaceRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "laplace",
            "label": self.label,
            "l1": exact_text(self.l1),
            "scale": exact_text(self.scale),
        }


@dataclass(frozen=True, slots=True)
class ExactRelease:
    """A number that no unit can change: it is public and costs nothing."""

    label: str

    @property
    def loss(self) -> PureDP:
        return PureDP(Fraction(0))

    def as_json(self) -> dict[str, object]:
        return {"event": "exact", "label": self.label}


@dataclass(frozen=True, slots=True)
class JointRelease:
    """Several releases from the same rows, where one row affects at most `max_affected` of them.

    Theorem: the loss is the sum of the `max_affected` largest losses of the parts. One row changes the normalised vector by
             at most the sum over the parts it affects; a unit's rows add up, and each part's l1 already counts them all.
    Source:  Dwork, McSherry, Nissim & Smith 2006 (the l1 sensitivity of a vector-valued question).
    """

    parts: tuple[LaplaceRelease | ExactRelease, ...]
    max_affected: int
    strategy: str | None = None
    """The strategy that these parts measure, if any, as canonical JSON (workload/specification.py)."""

    @property
    def loss(self) -> PureDP:
        epsilons = sorted((part.loss.epsilon for part in self.parts), reverse=True)
        return PureDP(sum(epsilons[: self.max_affected], Fraction(0)))

    def as_json(self) -> dict[str, object]:
        written: dict[str, object] = {"event": "joint", "most": self.max_affected}
        return written | {"parts": [part.as_json() for part in self.parts]} | _strategy_json(self.strategy)


@dataclass(frozen=True, slots=True)
class GaussianRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "gaussian",
            "label": self.label,
            "l2_squared": exact_text(self.l2_squared),
            "sigma_squared": exact_text(self.sigma_squared),
        }


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of a rho into (epsilon, delta): the Rényi order and the delta."""

    order: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class JointGaussianRelease:
    """Several Gaussian releases from the same rows, where one row affects at most `max_affected` of them; charged in rho, or
    quoted as (epsilon, delta).

    Theorem: it is rho-zCDP, where rho is the sum of the m = `max_affected` largest of the parts; and (epsilon, delta)-DP by every order.
    Proof:   independent noises add up: rho is at most Σ_j ‖v_j‖² / (2 sigma_j²) for the change v_j of part j. Let a unit have
             at most R rows; n_j of them affect part j: n_j ≤ R and Σ_j n_j ≤ R · m. Each part's l2² is linear in rows:
             ‖v_j‖² ≤ n_j · l2²_j / R (plan/facts.py). So the sum is at most Σ_j (n_j / R) · rho_j, which is largest with
             n_j = R for the m largest. A part that does not depend on rows counts as one more of them.
    Source:  Bun & Steinke 2016 (arXiv:1605.02065); Canonne, Kamath & Steinke 2020.
    """

    parts: tuple[GaussianRelease | ExactRelease, ...]
    max_affected: int
    quoted: Conversion | None = None
    strategy: str | None = None
    """The strategy that these parts measure, if any, as canonical JSON (workload/specification.py)."""

    @property
    def rho(self) -> Fraction:
        rhos = (part.loss.rho for part in self.parts if isinstance(part, GaussianRelease))
        return sum(sorted(rhos, reverse=True)[: self.max_affected], Fraction(0))

    @property
    def loss(self) -> ZCDP | ApproxDP:
        if self.quoted is None:
            return ZCDP(self.rho)
        return ApproxDP(epsilon_at(self.rho, self.quoted.order, self.quoted.delta), self.quoted.delta)

    def as_json(self) -> dict[str, object]:
        quoted = self.quoted and {
            "order": exact_text(self.quoted.order),
            "delta": exact_text(self.quoted.delta),
        }
        return {
            "event": "concentrated",
            "most": self.max_affected,
            "parts": [part.as_json() for part in self.parts],
            "quoted": quoted,
            **_strategy_json(self.strategy),
        }


@dataclass(frozen=True, slots=True)
class ApproxGaussianRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "gaussian-once",
            "label": self.label,
            "moved": self.moved,
            "sigma_squared": exact_text(self.sigma_squared),
            "epsilon": exact_text(self.epsilon),
        }


@dataclass(frozen=True, slots=True)
class ResponseRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "response",
            "label": self.label,
            "values": self.values,
            "truth": exact_text(self.truth),
        }


@dataclass(frozen=True, slots=True)
class DiscreteRelease:
    """One draw from a row-stochastic matrix whose rows of neighbouring inputs are (epsilon, delta)-close."""

    label: str
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @property
    def loss(self) -> PureDP | ApproxDP:
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)

    def as_json(self) -> dict[str, object]:
        return {
            "event": "discrete",
            "label": self.label,
            "epsilon": exact_text(self.epsilon),
            "delta": exact_text(self.delta),
        }


EXPONENTIAL, PERMUTE_AND_FLIP = "exponential", "permute-and-flip"


@dataclass(frozen=True, slots=True)
class ChoiceRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "choice",
            "label": self.label,
            "mechanism": self.mechanism,
            "epsilon": exact_text(self.epsilon),
            "picks": self.picks,
        }


ADD_REMOVE, REPLACE_ONE = "add-remove", "replace-one"


@dataclass(frozen=True, slots=True)
class ThresholdRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "threshold",
            "label": self.label,
            "scale": exact_text(self.scale),
            "tau": self.tau,
            "keys": self.keys,
            "relation": self.relation,
        }


@dataclass(frozen=True, slots=True)
class RankRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "ranks",
            "label": self.label,
            "quantiles": [exact_text(q) for q in self.quantiles],
            "parts": self.parts,
            "moved": exact_text(self.moved),
            "rates": [[exact_text(rate) for rate in level] for level in self.rates],
            "scale": exact_text(self.scale),
            "lone": self.single_cell,
        }


@dataclass(frozen=True, slots=True)
class ExtremeRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "extreme",
            "label": self.label,
            "highest": self.highest,
            "depth": self.depth,
            "moved": exact_text(self.moved),
            "rate": exact_text(self.rate),
            "lone": self.single_cell,
        }


Chosen = RankRelease | ExtremeRelease | ChoiceRelease


@dataclass(frozen=True, slots=True)
class SumsAndChoices:
    """Noisy sums (None: none) and choices from the same rows: their losses add up."""

    sums: JointRelease | None
    choices: tuple[Chosen, ...]

    @property
    def loss(self) -> PureDP:
        chosen = sum((choice.loss.epsilon for choice in self.choices), Fraction(0))
        return PureDP(chosen + (Fraction(0) if self.sums is None else self.sums.loss.epsilon))

    def as_json(self) -> dict[str, object]:
        return {
            "event": "together",
            "sums": None if self.sums is None else self.sums.as_json(),
            "choices": [choice.as_json() for choice in self.choices],
        }


@dataclass(frozen=True, slots=True)
class KeyedRelease:
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

    def zcdp_but_for_delta(self) -> ZCDP:
        """The rho charged to a budget of rho, besides its delta.

        >>> cities = ThresholdRelease("city", Fraction(4), 60, 2, ADD_REMOVE)
        >>> KeyedRelease(cities, JointRelease((LaplaceRelease("n", Fraction(2), Fraction(4)),), 1)).zcdp_but_for_delta()
        ZCDP(rho=Fraction(1, 2))
        """
        return PureDP(self.loss.epsilon).as_zcdp()

    def as_json(self) -> dict[str, object]:
        return {
            "event": "keyed",
            "threshold": self.threshold.as_json(),
            "rest": None if self.rest is None else self.rest.as_json(),
        }


@dataclass(frozen=True, slots=True)
class KNormRelease:
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

    def as_json(self) -> dict[str, object]:
        return {
            "event": "k-norm",
            "label": self.label,
            "dimension": self.dimension,
            "epsilon": exact_text(self.epsilon),
        }


Event = (
    LaplaceRelease
    | ExactRelease
    | JointRelease
    | GaussianRelease
    | JointGaussianRelease
    | ApproxGaussianRelease
    | ResponseRelease
    | DiscreteRelease
    | ChoiceRelease
    | ThresholdRelease
    | RankRelease
    | ExtremeRelease
    | SumsAndChoices
    | KeyedRelease
    | KNormRelease
)


def event_from_json(value: dict[str, object]) -> Event:
    """The event in a stored JSON value. An unknown name (a ledger of a newer lapcat) is refused."""
    match value:
        case {"event": "laplace", "label": str(label), "l1": str(l1), "scale": str(scale)}:
            return LaplaceRelease(label, exact(l1), exact(scale))
        case {"event": "exact", "label": str(label)}:
            return ExactRelease(label)
        case {"event": "k-norm", "label": str(label), "dimension": int(dimension), "epsilon": str(epsilon)}:
            return KNormRelease(label, dimension, exact(epsilon))
        case {"event": "joint", "most": int(max_affected), "parts": list(parts)}:
            read = tuple(event_from_json(part) for part in parts)
            flat = tuple(part for part in read if isinstance(part, LaplaceRelease | ExactRelease))
            if len(flat) == len(read):
                return JointRelease(flat, max_affected, _strategy(value))
        case {
            "event": "concentrated",
            "most": int(max_affected),
            "parts": list(parts),
            "quoted": dict() | None as quoted,
        }:
            read = tuple(event_from_json(part) for part in parts)
            noisy = tuple(part for part in read if isinstance(part, GaussianRelease | ExactRelease))
            if len(noisy) == len(read):
                conversion = None if quoted is None else _conversion(quoted)
                return JointGaussianRelease(noisy, max_affected, conversion, _strategy(value))
        case {"event": "gaussian", "label": str(label), "l2_squared": str(l2), "sigma_squared": str(sigma)}:
            return GaussianRelease(label, exact(l2), exact(sigma))
        case {
            "event": "gaussian-once",
            "label": str(label),
            "moved": int(moved),
            "sigma_squared": str(sigma),
            "epsilon": str(epsilon),
        }:
            return ApproxGaussianRelease(label, moved, exact(sigma), exact(epsilon))
        case {"event": "response", "label": str(label), "values": int(values), "truth": str(truth)}:
            return ResponseRelease(label, values, exact(truth))
        case {"event": "discrete", "label": str(label), "epsilon": str(epsilon), "delta": str(delta)}:
            return DiscreteRelease(label, exact(epsilon), exact(delta))
        case {
            "event": "choice",
            "label": str(label),
            "mechanism": "exponential" | "permute-and-flip" as mechanism,
            "epsilon": str(epsilon),
            "picks": int(picks),
        }:
            return ChoiceRelease(label, mechanism, exact(epsilon), picks)
        case {
            "event": "threshold",
            "label": str(label),
            "scale": str(scale),
            "tau": int(tau),
            "keys": int(keys),
            "relation": "add-remove" | "replace-one" as relation,
        }:
            return ThresholdRelease(label, exact(scale), tau, keys, relation)
        case {"event": "keyed", "threshold": dict(threshold), "rest": dict() | None as rest}:
            shown = event_from_json(threshold)
            others = None if rest is None else event_from_json(rest)
            if isinstance(shown, ThresholdRelease) and isinstance(
                others, JointRelease | SumsAndChoices | None
            ):
                return KeyedRelease(shown, others)
        case {"event": "together", "sums": dict() | None as sums, "choices": list(choices)}:
            added = None if sums is None else event_from_json(sums)
            chosen = tuple(event_from_json(choice) for choice in choices)
            known = tuple(c for c in chosen if isinstance(c, RankRelease | ExtremeRelease | ChoiceRelease))
            if isinstance(added, JointRelease | None) and len(known) == len(chosen):
                return SumsAndChoices(added, known)
        case {
            "event": "ranks",
            "label": str(label),
            "quantiles": list(quantiles),
            "parts": int(parts_),
            "moved": str(moved_),
            "rates": list(rates),
            "scale": str(scale),
            "lone": bool(single_cell),
        }:
            return RankRelease(
                label,
                tuple(exact(q) for q in quantiles),
                parts_,
                exact(moved_),
                tuple(tuple(exact(rate) for rate in level) for level in rates),
                exact(scale),
                single_cell,
            )
        case {
            "event": "extreme",
            "label": str(label),
            "highest": bool(highest),
            "depth": int(depth),
            "moved": str(moved_),
            "rate": str(rate),
            "lone": bool(single_cell),
        }:
            return ExtremeRelease(label, highest, depth, exact(moved_), exact(rate), single_cell)
    raise IntegrityFailed(
        "event-unknown",
        f"this version of lapcat does not know the event {value.get('event')!r}",
        fix="open this ledger with the version of lapcat that wrote it, or a newer one",
    )


def _strategy(value: dict[str, object]) -> str | None:
    strategy = value.get("strategy")
    return None if strategy is None else canonical_json(strategy)


def canonical_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _strategy_json(text: str | None) -> dict[str, object]:
    return {} if text is None else {"strategy": json.loads(text)}


def _conversion(value: dict[str, object]) -> Conversion:
    match value:
        case {"order": str(order), "delta": str(delta)}:
            return Conversion(exact(order), exact(delta))
    raise IntegrityFailed(
        "event-unknown",
        "this version of lapcat does not know this conversion of a rho",
        fix="open this ledger with the version of lapcat that wrote it, or a newer one",
    )
