"""The two neighbouring curves: how likely each outcome is with and without one unit, and the bound between them."""

from __future__ import annotations

import html
from collections.abc import Sequence

WIDTH, HEIGHT, EDGE = 320, 120, 8
BLOCKS = " ▁▂▃▄▅▆▇█"


def neighbours_svg(
    here: Sequence[float],
    there: Sequence[float],
    factor: float,
    title: str,
    *,
    caption: str | None = None,
    shaded: Sequence[bool] | None = None,
) -> str:
    """Both curves, the bound of `factor` times the second (dashed), and the outcome with the largest ratio.

    here, there: the probabilities of the same outcomes, from left to right.
    caption: the relation between them; by default that the bound holds everywhere.
    shaded: the outcomes at which the bound fails; by default those where the first curve exceeds it.
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
    if shaded is None:
        shaded = [a > b * (1 + 1e-9) for a, b in zip(here, bound, strict=True)]
    drawn = [
        f'<rect class="delta" x="{x(max(start - 0.5, 0))}" y="{2 * EDGE}" height="{HEIGHT - 3 * EDGE}" '
        f'width="{round(x(min(end - 0.5, count - 1)) - x(max(start - 0.5, 0)), 1)}" fill="currentColor" opacity="0.18"/>'
        for start, end in _runs(shaded)
    ]
    for start, end in _runs(shaded):
        ring = [(i, here[i]) for i in range(start, end)] + [
            (i, bound[i]) for i in reversed(range(start, end))
        ]
        points = " ".join(f"{x(i)},{y(value)}" for i, value in ring)
        drawn.append(f'<polygon points="{points}" fill="currentColor" opacity="0.5"/>')
    drawn += [
        line(here, 'stroke-width="2"'),
        line(there, 'stroke-width="2" opacity="0.45"'),
        line(bound, 'stroke-dasharray="3 3" opacity="0.6"'),
    ]
    place = _widest(here, there)
    if place is not None:
        drawn.append(
            f'<line x1="{x(place)}" x2="{x(place)}" y1="{y(here[place])}" y2="{y(there[place])}" stroke="currentColor"/>'
        )
    if place is not None or caption is not None:
        text = caption if caption is not None else f"at most × e^ε = {shown_factor(factor)}"
        drawn.append(
            f'<text x="{WIDTH - EDGE}" y="12" font-size="11" fill="currentColor" text-anchor="end">'  # above the tail
            f"{html.escape(text)}</text>"
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


def but_for_delta(factor: float, delta: float) -> str:
    """The relation between two curves if a delta is allowed.

    >>> but_for_delta(2.718, 1e-6)
    'at most × e^ε = 2.72, but for δ = 1e-06 (shaded)'
    """
    return f"at most × e^ε = {shown_factor(factor)}, but for δ = {delta:.2g} (shaded)"


def shown_factor(factor: float) -> str:
    return f"{factor:.3g}" if factor < 1e6 else "more than a million"


def card(name: str, rows: Sequence[tuple[str, str]], picture: str) -> str:
    """A mechanism in a notebook: its name, its parameters and its picture. No script, no style sheet."""
    body = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in rows)
    return f"<table><caption>{html.escape(name)}</caption><tbody>{body}</tbody></table>{picture}"


def _runs(marked: Sequence[bool]) -> list[tuple[int, int]]:
    """Start and end of each run of True.

    >>> _runs([True, False, True, True])
    [(0, 1), (2, 4)]
    """
    edges = [i for i, (a, b) in enumerate(zip((False, *marked), (*marked, False), strict=True)) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _widest(here: Sequence[float], there: Sequence[float]) -> int | None:
    """The outcome with the largest ratio; among ties the likeliest."""
    ratios = [(a / b, a) for a, b in zip(here, there, strict=True) if a > 0 and b > 0]
    if not ratios:
        return None
    largest = max(ratio for ratio, _ in ratios)
    reached = [
        i for i, (a, b) in enumerate(zip(here, there, strict=True)) if b > 0 and a / b >= largest * (1 - 1e-6)
    ]
    return max(reached, key=lambda i: here[i])
