"""The result of an audit: a verdict, a lower bound, a witness, a plot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lapcat.audit.claim import Claim
from lapcat.audit.events import OutcomeSet
from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Partition
from lapcat.core.exact import exact_text
from lapcat.drawing.curves import card, neighbours_svg, spark

VIOLATION, NO_EVIDENCE = "VIOLATION", "NO EVIDENCE"
NO_PROOF = (
    "a pass is never a proof: other events, other neighbours or more samples may still show a violation"
)
BARS = 40


@dataclass(frozen=True, slots=True, eq=False)
class EventWitness:
    """An event, its frequency in n fresh answers of each side, and the lower bound on epsilon this proves."""

    event: OutcomeSet
    likely: float
    """Its share on the side where it is likelier: d, or d′ if the event is turned."""
    unlikely: float
    n: int
    bound: float

    @property
    def words(self) -> str:
        return str(self.event)

    def sentence(self, claim: Claim) -> str:
        """The event in words, its frequencies, and what the claim allows."""
        here, there = ("d′", "d") if self.event.turned else ("d", "d′")
        return (
            f"{self.words}: {_share(self.likely)} of the answers on {here}, {_share(self.unlikely)} on {there}, "
            f"where {claim} allows {_share(claim.allowed(self.unlikely))}"
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """Histograms of the answers on d and on d′."""

    here: tuple[float, ...]
    there: tuple[float, ...]
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The outcome of `lapcat.audit`, printed in a terminal or a notebook."""

    claim: Claim
    log_evidence: float
    """The logarithm of the wealth from betting against the claim, starting from 1."""
    witness: EventWitness
    samples: int
    """Answers drawn on each side."""
    seconds: float
    picture: Picture

    @property
    def violated(self) -> bool:
        return self.log_evidence >= math.log(1 / self.claim.level)

    @property
    def verdict(self) -> str:
        return VIOLATION if self.violated else NO_EVIDENCE

    @property
    def evidence(self) -> float:
        """The wealth from betting against the claim; at 1 / level or more the claim is rejected."""
        return math.exp(min(700.0, self.log_evidence))

    @property
    def bound(self) -> float:
        """Lower bound on the mechanism's epsilon at this delta, with confidence 1 − level."""
        return self.witness.bound

    @property
    def confidence(self) -> float:
        return float(1 - self.claim.level)

    def as_json(self) -> dict[str, object]:
        """The result for scripts."""
        return {
            "verdict": self.verdict,
            "claim": {"epsilon": exact_text(self.claim.epsilon), "delta": exact_text(self.claim.delta)},
            "level": exact_text(self.claim.level),
            "evidence": self.evidence,
            "epsilon_at_least": self.bound,
            "witness": self.witness.sentence(self.claim),
            "samples_per_side": self.samples,
            "seconds": round(self.seconds, 3),
        }

    def _rows(self) -> list[tuple[str, str]]:
        sure = f"{100 * self.confidence:.4g} %"
        shown = f"ε ≥ {self.bound:.3g} from one event, with {sure} confidence (Clopper–Pearson)"
        needed = f"{float(1 / self.claim.level):.4g}"
        rows = [
            ("claimed", str(self.claim)),
            ("shown", shown if self.bound > 0 else f"no lower bound on ε at {sure} confidence"),
            ("witness" if self.violated else "strongest event", self.witness.sentence(self.claim)),
            (
                "evidence",
                f"a bet against the claim grew by a factor of {self.evidence:.3g}; {needed} or more rejects the claim",
            ),
            ("used", f"{_grouped(self.samples)} answers on each side, {self.seconds:.2f} s"),
        ]
        return rows if self.violated else [*rows, ("note", NO_PROOF)]

    def __repr__(self) -> str:
        lines = [
            f"{self.verdict} against {self.claim}" if not self.violated else f"{self.verdict} of {self.claim}"
        ]
        lines += [f"  {name}: {value}" for name, value in self._rows()]
        top = max(*self.picture.here, *self.picture.there) or 1.0
        lines += [
            f"  on d   {spark([*self.picture.here, top])[:-1]}  {self.picture.title}",
            f"  on d′  {spark([*self.picture.there, top])[:-1]}",
        ]
        return "\n".join(lines)

    def svg(self) -> str:
        """The histograms of both sides, and e^ε times the second (dashed), as an SVG."""
        picture = self.picture
        return neighbours_svg(
            picture.here, picture.there, self.claim.factor, picture.title, caption=self.claim.caption
        )

    def _repr_html_(self) -> str:
        return card(f"{self.verdict}: {self.claim}", self._rows(), self.svg())


def pictured(partition: Partition, here: Outputs, there: Outputs) -> Picture:
    """Histograms of the witness's reading: equal bins from the first to the last percentile, or the most common texts."""
    noun = partition.reading.noun
    if partition.edges is None:
        counts = [partition.counts(side)[:BARS] / len(side) for side in (here, there)]
        return Picture(tuple(counts[0].tolist()), tuple(counts[1].tolist()), f"{noun}, most common first")
    first, second = partition.reading.read(here), partition.reading.read(there)
    seen = np.concatenate([first, second])
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return Picture((0.0, 0.0), (0.0, 0.0), noun)
    low, high = np.quantile(seen, (0.01, 0.99))
    high = high if high > low else low + 1
    bars = [np.histogram(x, BARS, (low, high))[0] / len(x) for x in (first, second)]
    return Picture(tuple(bars[0].tolist()), tuple(bars[1].tolist()), f"{noun}, from {low:.4g} to {high:.4g}")


def _grouped(n: int) -> str:
    return f"{n:,}".replace(",", " ")


def _share(p: float) -> str:
    return f"{100 * p:.3g} %"
