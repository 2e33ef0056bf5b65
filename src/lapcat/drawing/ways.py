"""Bar chart of the errors of several strategies for the same numbers: longer is worse."""

from __future__ import annotations

import html
from collections.abc import Sequence

CELLS = 24
ROW, NAMES, BARS, NUMBERS = 20, 170, 180, 60

Way = tuple[str, float, bool]
"""Name, error, and whether it is the chosen one."""


def ways_bars(ways: Sequence[Way]) -> list[str]:
    """A bar for each strategy, on one scale; the chosen one is solid.

    >>> print(*ways_bars([("tree", 2.0, True), ("each by itself", 4.0, False)]), sep="\\n")
    ████████████
    ░░░░░░░░░░░░░░░░░░░░░░░░
    """
    largest = max((error for _, error, _ in ways), default=0.0) or 1.0
    return [("█" if taken else "░") * max(1, round(CELLS * error / largest)) for _, error, taken in ways]


def ways_svg(ways: Sequence[Way]) -> str:
    """The same as SVG. No script, no style sheet."""
    largest = max((error for _, error, _ in ways), default=0.0) or 1.0
    height = ROW * len(ways)
    parts = []
    for number, (name, error, taken) in enumerate(ways):
        top, wide = number * ROW, max(1.0, BARS * error / largest)
        fill = 'fill="#0072b2"' if taken else 'fill="currentColor" opacity="0.3"'
        weight = ' font-weight="bold"' if taken else ""
        parts.append(
            f'<text x="{NAMES - 6}" y="{top + 14}" font-size="11" fill="currentColor" text-anchor="end"{weight}>'
            f"{html.escape(name)}</text>"
            f'<rect x="{NAMES}" y="{top + 4}" width="{wide:.1f}" height="{ROW - 8}" {fill}/>'
            f'<text x="{NAMES + wide + 6:.1f}" y="{top + 14}" font-size="11" fill="currentColor">{error:.4g}</text>'
        )
    taken_name = next((name for name, _, taken in ways if taken), "")
    width = NAMES + BARS + NUMBERS
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Error to expect of all numbers, by each way to answer; taken: {html.escape(taken_name)}</title>"
        f"{''.join(parts)}</svg>"
    )
