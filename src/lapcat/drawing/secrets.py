"""The secret bits and an adversary's reconstruction: one square per person, crossed if the guess is wrong."""

from __future__ import annotations

import html
from collections.abc import Sequence

SIDE, ACROSS, EDGE, BELOW = 14, 32, 8, 22
YES, NO, WRONG = "#0072b2", "#e6e6e6", "#d55e00"


def secrets_svg(secret: Sequence[float], guess: Sequence[float], title: str) -> str:
    """One square per person: filled by the true bit, crossed if the guess, rounded at ½, differs."""
    rows = -(-len(secret) // ACROSS)
    width, height = 2 * EDGE + ACROSS * SIDE, 2 * EDGE + rows * SIDE + BELOW
    drawn = []
    for i, (true, guessed) in enumerate(zip(secret, guess, strict=True)):
        x, y = EDGE + i % ACROSS * SIDE, EDGE + i // ACROSS * SIDE
        drawn.append(
            f'<rect x="{x}" y="{y}" width="{SIDE - 2}" height="{SIDE - 2}" fill="{YES if true > 0.5 else NO}"/>'
        )
        if (true > 0.5) != (guessed > 0.5):
            end_x, end_y = x + SIDE - 2, y + SIDE - 2
            drawn.append(
                f'<path d="M{x} {y}L{end_x} {end_y}M{x} {end_y}L{end_x} {y}" stroke="{WRONG}" stroke-width="2.5"/>'
            )
    words = html.escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{words}"><title>{words}</title>{"".join(drawn)}'
        f'<text x="{EDGE}" y="{height - EDGE}" font-size="12" fill="currentColor">{words}; crossed: guessed wrong</text></svg>'
    )
