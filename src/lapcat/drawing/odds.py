"""The worst-case posterior and the power of the best test against epsilon, with one epsilon marked."""

from __future__ import annotations

import html
from collections.abc import Callable

WIDTH, HEIGHT, LEFT, BELOW, EDGE, ABOVE = 380, 186, 34, 30, 10, 18
POSTERIOR, POWER = "#0072b2", "#d55e00"  # colour-blind safe, and one is dashed
DASHED = 'stroke-dasharray="5 3"'


def odds_svg(
    posterior: Callable[[float], float], power: Callable[[float], float], epsilon: float, words: str
) -> str:
    """Both curves from 0 to beyond the marked epsilon."""
    last = max(6.0, min(2 * epsilon, 12.0))

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - EDGE) * min(value, last) / last, 1)

    def y(share: float) -> float:
        return round(HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) * share, 1)

    def curve(of: Callable[[float], float], colour: str, more: str = "") -> str:
        points = " ".join(f"{x(last * i / 60)},{y(of(last * i / 60))}" for i in range(61))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" {more}/>'

    def label(at_x: float, at_y: float, text: str, more: str = "") -> str:
        return (
            f'<text x="{at_x}" y="{at_y}" font-size="10" font-family="sans-serif" fill="currentColor" {more}>'
            f"{html.escape(text)}</text>"
        )

    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - EDGE}" y1="{y(share)}" y2="{y(share)}" stroke="currentColor" opacity="0.2"/>'
        + label(LEFT - 4, y(share) + 3, f"{share:.0%}", 'text-anchor="end"')
        for share in (0.0, 0.5, 1.0)
    )
    ticks = "".join(
        label(x(tick), HEIGHT - BELOW + 13, f"{tick:g}", 'text-anchor="middle"')
        for tick in range(0, int(last) + 1, 2)
    )
    mark = x(epsilon)
    here = (
        f'<line x1="{mark}" x2="{mark}" y1="{y(1)}" y2="{y(0)}" stroke="currentColor" stroke-dasharray="2 2"/>'
        f'<circle cx="{mark}" cy="{y(posterior(epsilon))}" r="3.5" fill="{POSTERIOR}"/>'
        f'<circle cx="{mark}" cy="{y(power(epsilon))}" r="3.5" fill="{POWER}"/>'
    )
    named = f"ε = {epsilon:.4g}" + (" lies beyond →" if epsilon > last else "")
    anchor = "end" if mark > WIDTH / 2 else "start"
    here += label(mark, ABOVE - 6, named, f'text-anchor="{anchor}"')
    legend = (
        _sample(LEFT + 4, POSTERIOR, "")
        + label(LEFT + 28, HEIGHT - 3, "how sure, from 50 %")
        + _sample(LEFT + 140, POWER, DASHED)
        + label(LEFT + 164, HEIGHT - 3, "the best test, at 5 % false alarms")
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html.escape(words)}"><title>{html.escape(words)}</title>{grid}{ticks}'
        f"{curve(posterior, POSTERIOR)}{curve(power, POWER, DASHED)}{here}{legend}</svg>"
    )


def _sample(x: float, colour: str, more: str) -> str:
    """A line sample for the legend."""
    y = HEIGHT - 6
    return f'<line x1="{x}" x2="{x + 20}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2" {more}/>'
