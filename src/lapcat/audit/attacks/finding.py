"""What an attack tried, what it got from exact answers, and what it got from lapcat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """One attack, told. `held` is whether lapcat kept what docs/promises.md promises; None where nothing is promised."""

    name: str
    tried: str
    exact: str
    lapcat: str
    held: bool | None
    figures: Mapping[str, float] = field(default_factory=dict)
    """The numbers behind the words, for tests."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVGs by the name of their file."""

    def as_json(self) -> dict[str, object]:
        return {
            "attack": self.name,
            "tried": self.tried,
            "exact": self.exact,
            "lapcat": self.lapcat,
            "held": self.held,
            "figures": dict(self.figures),
        }
