"""The least budget for a wanted error, found before anything is paid."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, Refused
from lapcat.plan.columns import ComputedColumn
from lapcat.plan.compile import Prepared, compile_program

QUANTUM = Fraction(1, 10**9)
"""Budgets are counted in these, so no finer epsilon could be paid."""
LARGEST = 10**6
"""Beyond it no promise is left, so nobody needs the error that it would give."""


def least_epsilon(
    prepared: Prepared, error: object, confidence: Fraction, delta: Fraction | None = None
) -> Fraction:
    """The least epsilon, to a thousandth of itself, at which every column's margin is at most `error`."""
    if isinstance(error, str) and error.strip().endswith("%"):
        raise Refused(
            "error-relative",
            f"an error of {error} is relative to an answer that is not known yet",
            why="looking at the answer to price the question would not be private",
            fix="name an absolute error, e.g. error=500",
        )
    wanted = exact(error)
    if wanted <= 0:
        raise BadArgument("error-range", f"error must be above zero, not {error}", fix="error=500")

    def enough(epsilon: Fraction) -> bool:
        program = compile_program(prepared, epsilon, delta)
        margins = [foreseen.margin for foreseen in program.foresee(confidence)]
        for column, margin in zip(prepared.values, margins, strict=True):
            if margin is None and isinstance(column, ComputedColumn):
                raise Refused(
                    "error-unknown-n",
                    f"the error of {column.name} depends on the answer, which is not known yet",
                    fix="ask with epsilon=…; the answer has the interval",
                )
            if margin is None:
                raise Refused(
                    "error-unknown-n",
                    f"the error of {column.name} depends on how many rows there are, which is not public",
                    fix=f"ask with epsilon=…; `preview` shows the error of {column.name} for n = 100, 1 000, 10 000",
                )
        return all(margin <= wanted for margin in margins if margin is not None)

    low, high = Fraction(0), Fraction(1)
    while not enough(high):
        low, high = high, high * 2
        if high > LARGEST:
            raise Refused(
                "error-too-small",
                f"an error of {error} needs an epsilon above {LARGEST}, which protects nobody",
                fix="allow a larger error, or tighten the bounds with CLAMP(x, low, high)",
            )
    while high - low > max(QUANTUM, high / 1000):
        middle = _on_quanta((low + high) / 2)
        if middle in (low, high):
            break
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def _on_quanta(x: Fraction) -> Fraction:
    return Fraction(-(-x // QUANTUM)) * QUANTUM
