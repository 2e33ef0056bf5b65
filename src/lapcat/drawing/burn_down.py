"""A budget that burns down, entry by entry: one line of characters, or a picture. From plain numbers between 0 and 1."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TypeVar

WIDTH, HEIGHT, EDGE = 320, 90, 8
STEPS = "▁▂▃▄▅▆▇█"
EMPTY = "·"


Number = TypeVar("Number")


def sampled(shares: Sequence[Number], most: int) -> list[Number]:
    """At most so many of the numbers, the last of each stretch of equal length: what is left only falls in between.

    >>> sampled([0.9, 0.8, 0.7, 0.6, 0.5], 2)
    [0.8, 0.5]
    """
    if len(shares) <= most:
        return list(shares)
    return [shares[(index + 1) * len(shares) // most - 1] for index in range(most)]


def burn_line(shares: Sequence[float], width: int) -> str:
    """What was left after each entry, never drawn fuller than it was, and empty only when nothing was left.

    >>> burn_line([1.0, 0.75, 0.5, 0.01, 0.0], 20)
    '█▆▄▁·'
    """
    return "".join(
        EMPTY if share <= 0 else STEPS[max(0, min(8, int(share * 8)) - 1)] for share in sampled(shares, width)
    )


def burn_svg(shares: Sequence[float], title: str) -> str:
    """The same as steps down from the full budget at the left. In the colour of the text around it, so that it can be read
    on any ground."""
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
