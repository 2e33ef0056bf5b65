"""Burn-down of a budget, entry by entry, as a line of characters or SVG; input: remaining shares between 0 and 1."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TypeVar

WIDTH, HEIGHT, EDGE = 320, 90, 8
STEPS = "▁▂▃▄▅▆▇█"
EMPTY = "·"


Number = TypeVar("Number")


def sampled(shares: Sequence[Number], limit: int) -> list[Number]:
    """At most `limit` of the shares, the last of each stretch of equal length (shares never increase).

    >>> sampled([0.9, 0.8, 0.7, 0.6, 0.5], 2)
    [0.8, 0.5]
    """
    if len(shares) <= limit:
        return list(shares)
    return [shares[(index + 1) * len(shares) // limit - 1] for index in range(limit)]


def burn_line(shares: Sequence[float], width: int) -> str:
    """The remaining share after each entry, rounded down, and empty only if nothing was left.

    >>> burn_line([1.0, 0.75, 0.5, 0.01, 0.0], 20)
    '█▆▄▁·'
    """
    return "".join(
        EMPTY if share <= 0 else STEPS[max(0, min(8, int(share * 8)) - 1)] for share in sampled(shares, width)
    )


def burn_svg(shares: Sequence[float], title: str) -> str:
    """The same as a step chart, starting from the full budget. Drawn in the surrounding text colour, so that it is legible on
    any background."""
    points = [1.0, *sampled(shares, WIDTH // 2)]
    across = (WIDTH - 2 * EDGE) / len(points)

    def y(share: float) -> float:
        return round(HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * min(1.0, max(0.0, share)), 1)

    path = f"M{EDGE},{y(1.0)}"
    for number, share in enumerate(points):
        path += f"V{y(share)}H{round(EDGE + across * (number + 1), 1)}"
    floor = y(0.0)
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{html.escape(title)}</title>"
        f'<path d="{path}V{floor}H{EDGE}Z" fill="currentColor" opacity="0.15"/>'
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{floor}" y2="{floor}" stroke="currentColor" opacity="0.4"/>'
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{y(1.0)}" y2="{y(1.0)}" stroke="currentColor" opacity="0.4" '
        'stroke-dasharray="3 3"/></svg>'
    )
