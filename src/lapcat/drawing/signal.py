"""Signal against noise: the size from which on an answer exceeds its noise."""

from __future__ import annotations

import html

WIDTH, HEIGHT, EDGE = 340, 46, 6
LOST, ROUGH, GOOD = ("#d55e00", "#e69f00", "#0072b2")  # colour-blind safe


def zones(margin: float) -> str:
    """The same in words.

    >>> zones(37)
    'below 37 it drowns in the noise; from 370 on it is good to 10 %, from 3 700 on to 1 %'
    """
    return (
        f"below {short(margin)} it drowns in the noise; from {short(10 * margin)} on it is good to 10 %, "
        f"from {short(100 * margin)} on to 1 %"
    )


def signal_svg(name: str, margin: float) -> str:
    """A logarithmic ruler of answer sizes: where the noise dominates, and where the answer does."""
    words = html.escape(f"{name}: {zones(margin)}")
    marks = (margin / 10, margin, 10 * margin, 100 * margin, 1000 * margin)
    step = (WIDTH - 2 * EDGE) / (len(marks) - 1)
    bands = "".join(
        f'<rect x="{EDGE + step * i:.1f}" y="16" width="{step:.1f}" height="10" fill="{colour}" opacity="{opacity}"/>'
        for i, (colour, opacity) in enumerate(((LOST, 0.9), (ROUGH, 0.75), (GOOD, 0.6), (GOOD, 0.95)))
    )
    labels = "".join(
        _text(EDGE + step * i, 40, short(mark)) for i, mark in enumerate(marks) if 0 < i < len(marks) - 1
    )
    captions = "".join(
        _text(EDGE + step * (i + 0.5), 11, caption)
        for i, caption in enumerate(("lost", "± 100 %…", "± 10 %…", "± 1 %…"))
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f"<title>{words}</title>{bands}{labels}{captions}</svg>"
    )


def short(number: float) -> str:
    """Three digits, with thin groups of three.

    >>> [short(number) for number in (0.0123456, 37, 12345.6, 2.5e9)]
    ['0.0123', '37', '12 300', '2.5e+09']
    """
    if number and not 0.001 <= abs(number) < 1e7:
        return f"{number:.3g}"
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}".replace(",", " ") if rounded >= 1000 else f"{rounded:.3g}"


def _text(x: float, y: float, text: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" font-family="sans-serif" fill="currentColor" '
        f'text-anchor="middle">{html.escape(text)}</text>'
    )
