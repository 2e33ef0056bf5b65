"""The errors of the central and the local model against the number of people, on logarithmic scales."""

from __future__ import annotations

import math
from collections.abc import Sequence

WIDTH, HEIGHT, EDGE = 320, 180, 28
CELLS = 32

Row = tuple[int, float, float]
"""People, the central error, the local error."""


def models_svg(rows: Sequence[Row]) -> str:
    """Two lines over the number of people. No script, no style sheet."""
    low, high = _decades(rows)
    first, last = math.log10(rows[0][0]), math.log10(rows[-1][0])

    def x(n: int) -> float:
        return round(EDGE + (WIDTH - 2 * EDGE) * (math.log10(n) - first) / max(last - first, 1e-9), 1)

    def y(error: float) -> float:
        return round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (_log10(error) - low) / (high - low), 1)

    lines = []
    for place, name, more in ((1, "central", ""), (2, "local", ' stroke-dasharray="4 3"')):
        points = " ".join(f"{x(row[0])},{y(row[place])}" for row in rows)
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"{more}/>'
        )
        lines.append(
            f'<text x="{x(rows[0][0]) + 4}" y="{y(rows[0][place]) - 5}" font-size="11" fill="currentColor">{name}</text>'
        )
    ticks = "".join(
        f'<text x="{x(row[0])}" y="{HEIGHT - 8}" font-size="9" fill="currentColor" text-anchor="middle">{row[0]:g}</text>'
        for row in rows
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>Error of a share by number of people, central and local model, logarithmic scales</title>{''.join(lines)}{ticks}</svg>"
    )


def models_bars(rows: Sequence[Row]) -> list[str]:
    """A bar for each number of people: ● the central error, ○ the local one, further right is worse.

    >>> print(*models_bars([(100, 0.01, 0.1), (10000, 0.0001, 0.01)]), sep="\\n")
    ·····················●·········○
    ●····················○··········
    """
    low, high = _decades(rows)

    def at(error: float) -> int:
        return round((CELLS - 1) * (_log10(error) - low) / (high - low))

    bars = []
    for _, central, local in rows:
        cells = ["·"] * CELLS
        cells[at(local)] = "○"
        cells[at(central)] = "●" if at(central) != at(local) else "◉"
        bars.append("".join(cells))
    return bars


def _decades(rows: Sequence[Row]) -> tuple[float, float]:
    """Logarithms of the smallest and the largest error, at least 1e-9 apart."""
    errors = [_log10(error) for row in rows for error in row[1:]]
    low, high = min(errors), max(errors)
    return low, max(high, low + 1e-9)


def _log10(error: float) -> float:
    """log10 of the error; an error that underflows counts as very small."""
    return math.log10(max(error, 1e-300))
