"""The two neighbouring curves: how likely each outcome is with and without one unit, and the bound between them."""

from __future__ import annotations

import html
from collections.abc import Sequence

WIDTH, HEIGHT, EDGE = 320, 120, 8
BLOCKS = " ▁▂▃▄▅▆▇█"


def neighbours_svg(here: Sequence[float], there: Sequence[float], factor: float, title: str) -> str:
    """Both curves, the bound `factor` times the second (dashed), and the place where the ratio is largest.

    here, there: the probabilities of the same outcomes, from left to right.
    """
    top = max((*here, *there), default=0.0) or 1.0
    count = max(2, len(here))

    def x(index: float) -> float:
        return round(EDGE + (WIDTH - 2 * EDGE) * index / (count - 1), 1)

    def y(value: float) -> float:
        return round(HEIGHT - EDGE - (HEIGHT - 4 * EDGE) * min(value / top, 1.03), 1)

    def line(values: Sequence[float], more: str) -> str:
        points = " ".join(f"{x(i)},{y(value)}" for i, value in enumerate(values))
        return f'<polyline points="{points}" fill="none" stroke="currentColor" {more}/>'

    bound = [factor * value for value in there]
    drawn = [
        line(here, 'stroke-width="2"'),
        line(there, 'stroke-width="2" opacity="0.45"'),
        line(bound, 'stroke-dasharray="3 3" opacity="0.6"'),
    ]
    place = _widest(here, there)
    if place is not None:
        drawn.append(
            f'<line x1="{x(place)}" x2="{x(place)}" y1="{y(here[place])}" y2="{y(there[place])}" stroke="currentColor"/>'
            f'<text x="{WIDTH - EDGE}" y="12" font-size="11" fill="currentColor" text-anchor="end">'  # above the tail
            f"at most × e^ε = {shown_factor(factor)}</text>"
        )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{html.escape(title)}</title>{''.join(drawn)}"
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{HEIGHT - EDGE}" y2="{HEIGHT - EDGE}" stroke="currentColor" opacity="0.4"/></svg>'
    )


def spark(values: Sequence[float]) -> str:
    """The curve in one line of block characters.

    >>> spark([0, 1, 2, 1, 0])
    ' ▄█▄ '
    """
    top = max(values, default=0.0) or 1.0
    return "".join(BLOCKS[round(value / top * (len(BLOCKS) - 1))] for value in values)


def shown_factor(factor: float) -> str:
    return f"{factor:.3g}" if factor < 1e6 else "more than a million"


def card(name: str, rows: Sequence[tuple[str, str]], picture: str) -> str:
    """A mechanism in a notebook: its name, its parameters and its picture. No script, no style sheet."""
    body = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows)
    return f"<table><caption>{html.escape(name)}</caption><tbody>{body}</tbody></table>{picture}"


def _widest(here: Sequence[float], there: Sequence[float]) -> int | None:
    """Where the ratio is largest, as near to the middle as it is reached: the outcome that tells most."""
    ratios = [(a / b, a) for a, b in zip(here, there, strict=True) if a > 0 and b > 0]
    if not ratios:
        return None
    most = max(ratio for ratio, _ in ratios)
    reached = [
        i for i, (a, b) in enumerate(zip(here, there, strict=True)) if b > 0 and a / b >= most * (1 - 1e-6)
    ]
    return max(reached, key=lambda i: here[i])
