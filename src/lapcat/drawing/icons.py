"""Odds as an icon array: a hundred dots, with a share of them in colour."""

from __future__ import annotations

import html

MANY, SIDE, DOT = 100, 10, 9
SURE, UNSURE = "#d55e00", "#7f7f7f"  # colour-blind safe, on white and on black


def out_of_hundred(share: float) -> int:
    """The share in percent; 0 and 100 only if exact.

    >>> [out_of_hundred(share) for share in (0, 0.001, 0.731, 0.9997, 1)]
    [0, 1, 73, 99, 100]
    """
    if share <= 0 or share >= 1:
        return MANY if share >= 1 else 0
    return min(MANY - 1, max(1, round(share * MANY)))


def icons_svg(share: float, caption: str) -> str:
    """A square of a hundred dots, filled from its first row on."""
    filled = out_of_hundred(share)
    dots = "".join(
        f'<circle cx="{DOT * (i % SIDE) + DOT}" cy="{DOT * (i // SIDE) + DOT}" r="3.4" '
        + (f'fill="{SURE}"/>' if i < filled else f'fill="none" stroke="{UNSURE}"/>')
        for i in range(MANY)
    )
    size = DOT * (SIDE + 1)
    words = html.escape(f"{caption}: {filled} of {MANY}")
    return (
        f'<svg width="{size}" height="{size}" viewBox="0 0 {size} {size}" role="img" aria-label="{words}">'
        f"<title>{words}</title>{dots}</svg>"
    )


def icons_text(share: float, width: int = 25) -> list[str]:
    """The same in a terminal: rows of filled and empty circles."""
    filled = out_of_hundred(share)
    dots = "●" * filled + "○" * (MANY - filled)
    return [dots[start : start + width] for start in range(0, MANY, width)]
