"""Error bars and gauges drawn with characters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

BAR_WIDTH = 17
NARROW_BAR = 11
GAUGE_WIDTH = 21


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps numbers from bottom to top to cells from 0 to width - 1."""

    bottom: float
    top: float
    width: int = BAR_WIDTH

    def cell(self, number: float) -> int:
        span = self.top - self.bottom
        share = (number - self.bottom) / span if span > 0 else 0.5
        return round(min(1.0, max(0.0, share)) * (self.width - 1))


def error_bar(low: float, value: float, high: float, scale: Scale) -> str:
    """An interval with its value, on the common scale of all rows.

    >>> error_bar(2, 5, 8, Scale(0, 10, 11))
    '  ├──●──┤  '
    >>> error_bar(5, 5, 5, Scale(0, 10, 11))
    '     ●     '
    """
    first, middle, last = scale.cell(low), scale.cell(value), scale.cell(high)
    cells = [" "] * scale.width
    cells[first : last + 1] = "─" * (last + 1 - first)
    cells[first], cells[last], cells[middle] = "├", "┤", "●"
    return "".join(cells)


def gauge(left: Fraction, cap: Fraction, width: int = GAUGE_WIDTH) -> str:
    """What is left of a budget, rounded down, but empty only if nothing is left.

    >>> gauge(Fraction(14, 5), Fraction(3))
    '███████████████████░░'
    """
    if cap <= 0 or left <= 0:
        return "░" * width
    full = min(width, max(1, int(left * width / cap)))
    return "█" * full + "░" * (width - full)
