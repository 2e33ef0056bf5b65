"""The result of an attack: what it tried, what exact answers reveal, and what lapcat reveals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one attack. `held`: whether lapcat kept its promise (docs/promises.md); None if it makes none."""

    name: str
    tried: str
    exact: str
    lapcat: str
    held: bool | None
    figures: Mapping[str, float] = field(default_factory=dict)
    """The numbers behind the sentences, for tests."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVGs by file name."""

    def as_json(self) -> dict[str, object]:
        return {
            "attack": self.name,
            "tried": self.tried,
            "exact": self.exact,
            "lapcat": self.lapcat,
            "held": self.held,
            "figures": dict(self.figures),
        }
