"""The privacy-accuracy trade-off: the error of a question at several prices. Free; no row is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument
from lapcat.session.results import ForeseenColumn

PRICES = tuple(Fraction(price) for price in ("0.05", "0.1", "0.2", "0.5", "1", "2", "5"))
ROWS = 1000
"""The number of rows assumed for an error that depends on a private number of rows."""
MAX_PRICES = 100
"""Maximum number of prices per call: each plans the question again."""


@dataclass(frozen=True, slots=True)
class TradeoffLine:
    """A column's margin at every price; None if it depends on the answer itself. For a selected value: in rows."""

    name: str
    margins: tuple[float | None, ...]
    rows: int | None = None
    """The number of rows assumed for the margins, if they depend on it."""
    in_rows: bool = False
    """Whether the margins are row counts: the guarantee of a selected value (MEDIAN, MAX, MODE)."""

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "margins": list(self.margins),
            "assuming_rows": self.rows,
            **({"in_rows": True} if self.in_rows else {}),
        }


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """Prices, and the error at each."""

    epsilons: tuple[Fraction, ...]
    lines: tuple[TradeoffLine, ...]
    confidence: Fraction

    def column(self, name: str) -> TradeoffLine:
        for line in self.lines:
            if line.name == name:
                return line
        raise BadArgument(
            "unknown-column",
            f"the question has no column {name!r} with an error",
            fix=f"one of: {', '.join(line.name for line in self.lines)}",
        )

    def as_json(self) -> dict[str, object]:
        return {
            "epsilons": [exact_text(epsilon) for epsilon in self.epsilons],
            "confidence": float(self.confidence),
            "columns": [line.as_json() for line in self.lines],
        }

    def __str__(self) -> str:
        from lapcat.render.notebook import tradeoff_text

        return tradeoff_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import tradeoff_html

        return tradeoff_html(self)


def prices_of(epsilons: Sequence[object] | None) -> tuple[Fraction, ...]:
    """The distinct prices to try, in order."""
    if epsilons is None:
        return PRICES
    prices = sorted({exact(epsilon) for epsilon in epsilons})
    if not 1 <= len(prices) <= MAX_PRICES or prices[0] <= 0:
        raise BadArgument(
            "epsilon-range",
            f"a tradeoff takes from 1 to {MAX_PRICES} prices above zero",
            fix='question.tradeoff(["0.1", "0.5", "1"])',
        )
    return tuple(prices)


def tradeoff_line_of(name: str, columns: Sequence[ForeseenColumn]) -> TradeoffLine:
    """The line of one column from its foreseen errors at every price."""
    guaranteed = [column.guarantee.rows for column in columns if column.guarantee is not None]
    if guaranteed:
        return TradeoffLine(name, tuple(guaranteed), in_rows=True)
    rows = ROWS if any(column.margin is None and ROWS in column.assuming for column in columns) else None
    margins = tuple(
        column.margin if column.margin is not None else column.assuming.get(ROWS) for column in columns
    )
    return TradeoffLine(name, margins, rows)
