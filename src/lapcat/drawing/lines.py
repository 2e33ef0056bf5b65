"""Line chart: the error of each column against epsilon, on logarithmic scales."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from lapcat.drawing.signal import short

WIDTH, HEIGHT, LEFT, RIGHT, BELOW, ABOVE = 420, 220, 58, 110, 34, 12
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colour-blind safe, on white and on black; lines also differ by their dashes, and are labelled at their ends."""
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4")


def lines_svg(prices: Sequence[float], lines: Mapping[str, Sequence[float]], words: str) -> str:
    """One line per name; the axes are logarithmic, so halving the price looks the same everywhere."""
    values = [value for line in lines.values() for value in line if value > 0]
    if not values or len(prices) < 2:
        return ""
    low, high = math.log(min(values)), math.log(max(values))
    first, last = math.log(prices[0]), math.log(prices[-1])
    tall, wide = HEIGHT - BELOW - ABOVE, WIDTH - LEFT - RIGHT

    def x(price: float) -> float:
        return round(LEFT + wide * (math.log(price) - first) / (last - first), 1)

    def y(value: float) -> float:
        return round(ABOVE + tall * (high - math.log(value)) / ((high - low) or 1), 1)

    drawn = []
    ends: list[float] = []
    for index, (name, line) in enumerate(lines.items()):
        colour, dash = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
        points = " ".join(
            f"{x(price)},{y(value)}" for price, value in zip(prices, line, strict=True) if value > 0
        )
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"'
            + (f' stroke-dasharray="{dash}"' if dash else "")
            + "/>"
        )
        end = y(line[-1]) if line[-1] > 0 else float(HEIGHT - BELOW)
        while any(abs(end - other) < 11 for other in ends):  # labels must not overlap
            end -= 11
        ends.append(end)
        drawn.append(_text(WIDTH - RIGHT + 6, end + 3, name, "start"))
    for price in prices:
        drawn.append(_text(x(price), HEIGHT - BELOW + 14, short(price), "middle"))
    for value in (max(values), min(values)):
        drawn.append(_text(LEFT - 6, y(value) + 3, f"± {short(value)}", "end"))
    drawn.append(_text(LEFT + wide / 2, HEIGHT - 5, "ε", "middle"))
    drawn.append(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BELOW}" y2="{HEIGHT - BELOW}" stroke="currentColor" '
        'opacity="0.4"/>'
    )
    title = html.escape(words)
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(drawn)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="10" font-family="sans-serif" fill="currentColor" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
