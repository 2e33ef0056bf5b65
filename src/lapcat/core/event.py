"""What happened, as a value whose meaning never changes; what it costs is computed from it.

Events are stored in the ledger for ever, so that history can be re-accounted by a better theorem later. A new kind of
release gets a new name; an unknown name is refused, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact, exact_text
from lapcat.core.loss import PureDP
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
    """A number that no unit can change: it is public, and costs nothing."""

    label: str

    @property
    def loss(self) -> PureDP:
        return PureDP(Fraction(0))

    def as_json(self) -> dict[str, object]:
        return {"event": "exact", "label": self.label}


@dataclass(frozen=True, slots=True)
class JointRelease:
    """Several releases from the same rows, of which one row can move at most `most` at once.

    Theorem: the loss is the sum of the `most` largest losses of the parts. One row changes the normalised vector by
             at most the sum over the parts it moves; a unit's rows add up, and each part's l1 already counts them all.
    Source:  Dwork, McSherry, Nissim & Smith 2006 (the l1 sensitivity of a vector-valued question).
    """

    parts: tuple[LaplaceRelease | ExactRelease, ...]
    most: int

    @property
    def loss(self) -> PureDP:
        epsilons = sorted((part.loss.epsilon for part in self.parts), reverse=True)
        return PureDP(sum(epsilons[: self.most], Fraction(0)))

    def as_json(self) -> dict[str, object]:
        return {"event": "joint", "most": self.most, "parts": [part.as_json() for part in self.parts]}


Event = LaplaceRelease | ExactRelease | JointRelease


def event_from_json(value: dict[str, object]) -> Event:
    """The event that was written; an unknown name is a ledger from a newer lapcat, and is not guessed."""
    match value:
        case {"event": "laplace", "label": str(label), "l1": str(l1), "scale": str(scale)}:
            return LaplaceRelease(label, exact(l1), exact(scale))
        case {"event": "exact", "label": str(label)}:
            return ExactRelease(label)
        case {"event": "joint", "most": int(most), "parts": list(parts)}:
            read = tuple(event_from_json(part) for part in parts)
            flat = tuple(part for part in read if not isinstance(part, JointRelease))
            if len(flat) == len(read):
                return JointRelease(flat, most)
    raise IntegrityFailed(
        "event-unknown",
        f"this version of lapcat does not know the event {value.get('event')!r}",
        fix="open this ledger with the version of lapcat that wrote it, or a newer one",
    )
