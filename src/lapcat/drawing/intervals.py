"""Numbers with their intervals, one row each, on one axis."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROW, ABOVE, BELOW = 22, 52, 44
WIDTH, RIGHT, MIN_LEFT = 640, 36, 48
MAX_LETTERS = 30
"""Letters of a label."""
COLOUR = "#0072b2"
"""Distinguishable from grey with any colour vision, on white and on black."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval. None: an open end, or a value that could not be computed."""

    label: str
    low: float | None
    value: float | None
    high: float | None


def intervals_svg(intervals: Sequence[Interval], title: str, subtitle: str, axis: str) -> str:
    """A dot for each number and a line with caps for its interval. No script, no style sheet."""
    numbers = [end for each in intervals for end in (each.low, each.value, each.high) if end is not None]
    marks = ticks(min(numbers, default=0.0), max(numbers, default=1.0))
    labels = [shortened(each.label) for each in intervals]
    left = max(MIN_LEFT, 16 + max(map(_width, labels), default=0.0))
    height, bottom = ABOVE + ROW * len(intervals) + BELOW, ABOVE + ROW * len(intervals)
    low, high = marks[0], marks[-1]

    def x(number: float) -> float:
        return round(left + (WIDTH - RIGHT - left) * (number - low) / (high - low), 1)

    drawn = [_text(8, 18, title, "start", 'font-size="14" font-weight="bold"')]
    drawn.append(_text(8, 36, subtitle, "start", 'font-size="11" opacity="0.75"'))
    step = marks[1] - marks[0]
    for mark in marks:
        drawn.append(_line(x(mark), x(mark), ABOVE, bottom, 'stroke="currentColor" opacity="0.15"'))
        drawn.append(_text(x(mark), bottom + 16, tick_text(mark, step), "middle"))
    drawn.append(_line(left, WIDTH - RIGHT, bottom, bottom, 'stroke="currentColor" opacity="0.5"'))
    drawn.append(_text((left + WIDTH - RIGHT) / 2, bottom + 36, axis, "middle"))
    for number, (each, label) in enumerate(zip(intervals, labels, strict=True)):
        y = ABOVE + ROW * number + ROW / 2
        drawn.append(_text(left - 8, y + 4, label, "end"))
        drawn.append(_interval(each, y, x, left, WIDTH - RIGHT))
    words = html.escape(f"{title}; {subtitle}")
    return (
        f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{words}"><title>{words}</title>{"".join(drawn)}</svg>'
    )


def shortened(label: str) -> str:
    """The label without its middle, if long: names often differ at their ends.

    >>> shortened("Department of Corrections, District 6")
    'Department of …ons, District 6'
    """
    if len(label) <= MAX_LETTERS:
        return label
    half = MAX_LETTERS // 2
    return f"{label[: half - 1]}…{label[-half:]}"


def _width(label: str) -> float:
    """Approximate width; fonts differ."""
    wide = {letter: 12.0 for letter in label if unicodedata.east_asian_width(letter) in "WF"}
    return sum(wide.get(letter, 9.0 if letter.isupper() else 6.6) for letter in label)


def _interval(each: Interval, y: float, x: Callable[[float], float], left: float, right: float) -> str:
    """A dot and a line with caps; an open end runs to the edge without a cap."""
    if each.value is None:
        return _text(left + 8, y + 4, "NULL", "start")
    stroke = f'stroke="{COLOUR}" stroke-width="2"'
    low, high = (edge if end is None else x(end) for end, edge in ((each.low, left), (each.high, right)))
    caps = [x(end) for end in (each.low, each.high) if end is not None]
    return (
        _line(low, high, y, y, stroke)
        + "".join(_line(cap, cap, y - 6, y + 6, stroke) for cap in caps)
        + f'<circle cx="{x(each.value)}" cy="{y}" r="3.5" fill="{COLOUR}"/>'
    )


def ticks(low: float, high: float) -> list[float]:
    """Four to nine round numbers, evenly spaced, that enclose low and high.

    >>> ticks(481, 519)
    [480, 485, 490, 495, 500, 505, 510, 515, 520]
    >>> ticks(0.2, 7)
    [0, 1, 2, 3, 4, 5, 6, 7]
    >>> ticks(3, 3)
    [2.5, 3, 3.5]
    """
    if high <= low:
        half = 0.5 * max(1.0, abs(low) / 1000)
        return [low - half, low, low + half]
    power = 10.0 ** math.floor(math.log10(high - low) - 0.3)
    for step in (power / 10, power / 5, power / 2, power, 2 * power, 5 * power):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= 8:
            break
    exact = step >= 1
    return [number * int(step) if exact else number * step for number in range(first, last + 1)]


def tick_text(mark: float, step: float) -> str:
    """As many decimals as distinguish the marks, with digits in groups of three.

    >>> [tick_text(mark, 0.5) for mark in (-1, 0.5)], tick_text(12500, 500), tick_text(2.5e10, 1e9)
    (['-1.0', '0.5'], '12 500', '2.5e+10')
    """
    if abs(mark) >= 1e9:
        return f"{mark:.6g}"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{mark:,.{decimals}f}".replace(",", " ")


def _line(x1: float, x2: float, y1: float, y2: float, style: str) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" {style}/>'


def _text(x: float, y: float, text: str, anchor: str, style: str = 'font-size="11"') -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" fill="currentColor" text-anchor="{anchor}" '
        f"{style}>{html.escape(text)}</text>"
    )
