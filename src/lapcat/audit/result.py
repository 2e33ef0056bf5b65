"""What an audit found, told to people: a verdict, a bound, a witness, a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lapcat.audit.claim import Claim
from lapcat.audit.events import Event
from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Partition
from lapcat.core.exact import exact_text
from lapcat.drawing.curves import card, neighbours_svg, spark

VIOLATION, NO_EVIDENCE = "VIOLATION", "NO EVIDENCE"
NO_PROOF = "a pass is never a proof: other events, other neighbours or more samples may show what this audit did not see"
BARS = 40


@dataclass(frozen=True, slots=True, eq=False)
class EventWitness:
    """An event, how often it happened in n fresh answers of each side, and the epsilon that this proves at least."""

    event: Event
    likely: float
    """Its share on the side where it is likelier: d, or d′ where the event is turned."""
    unlikely: float
    n: int
    bound: float

    @property
    def words(self) -> str:
        return str(self.event)

    def sentence(self, claim: Claim) -> str:
        """The event in plain words, and what the claim allows."""
        here, there = ("d′", "d") if self.event.turned else ("d", "d′")
        return (
            f"{self.words}: {_share(self.likely)} of the answers on {here}, {_share(self.unlikely)} on {there}, "
            f"where {claim} allows {_share(claim.allowed(self.unlikely))}"
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """How often each outcome came on d and on d′, from left to right."""

    here: tuple[float, ...]
    there: tuple[float, ...]
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The outcome of `lapcat.audit`; its text, in a terminal or a notebook, says all of it."""

    claim: Claim
    log_evidence: float
    """The logarithm of the wealth of a gambler who bet against the claim, starting with 1."""
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
        """The gambler's wealth; at 1 / level and above the claim is rejected."""
        return math.exp(min(700.0, self.log_evidence))

    @property
    def bound(self) -> float:
        """The epsilon that the mechanism has at least, at this delta, with confidence 1 − level."""
        return self.witness.bound

    @property
    def confidence(self) -> float:
        return float(1 - self.claim.level)

    def as_json(self) -> dict[str, object]:
        """For scripts; the verdict is one of two words."""
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
        shown = f"ε ≥ {self.bound:.3g} by one event, with {sure} confidence (Clopper–Pearson)"
        needed = f"{float(1 / self.claim.level):.4g}"
        rows = [
            ("claimed", str(self.claim)),
            ("shown", shown if self.bound > 0 else f"no lower bound on ε at {sure} confidence"),
            ("witness" if self.violated else "most telling", self.witness.sentence(self.claim)),
            (
                "evidence",
                f"{self.evidence:.3g} times the stake of a bet against the claim; {needed} or more rejects it",
            ),
            ("used", f"{_grouped(self.samples)} answers on each side, {self.seconds:.2f} s"),
        ]
        return rows if self.violated else [*rows, ("mind", NO_PROOF)]

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
        """How often each outcome came on either side, and e^ε times the second (dashed), as an SVG."""
        picture = self.picture
        return neighbours_svg(
            picture.here, picture.there, self.claim.factor, picture.title, caption=self.claim.caption
        )

    def _repr_html_(self) -> str:
        return card(f"{self.verdict}: {self.claim}", self._rows(), self.svg())


def pictured(partition: Partition, here: Outputs, there: Outputs) -> Picture:
    """Histograms of what the witness reads: equal steps from the first to the last percentile, or the commonest texts."""
    noun = partition.reading.noun
    if partition.edges is None:
        counts = [partition.counts(side)[:BARS] / len(side) for side in (here, there)]
        return Picture(tuple(counts[0].tolist()), tuple(counts[1].tolist()), f"{noun}, commonest first")
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
