"""Sample sizes: people needed to answer k questions about shares, each within α, jointly with probability 1 - β, at total ε.

    Laplace, central            n >= k ln(k/β) / (αε)
    randomised response, split  n >= c² ln(2k/β) / (2α²), c = (e^(ε/k) + 1) / (e^(ε/k) - 1): everybody answers all at ε/k
    one random question each    n >= k c² ln(2k/β) / (2α²), c at the full ε: everybody answers one of the k

The first is the exact tail of Laplace noise, the others Hoeffding's inequality (reports are bounded); both with a union
bound over the questions. Chebyshev's inequality, which uses only the variance, is shown for comparison.
Source: Dwork, McSherry, Nissim & Smith 2006; Warner 1965.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact, exact_text, exp_down, exp_up, ln_up, sqrt_up
from lapcat.errors import BadArgument
from lapcat.plan.margins import checked_above_zero, checked_answers

LARGEST_EPSILON = 1000  # from it on, randomised response almost always tells the truth


@dataclass(frozen=True, slots=True)
class Chebyshev:
    """The same by Chebyshev's inequality (the variance alone) and a union bound."""

    laplace: float
    randomized_response: float
    sampled: float


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The people needed for a requested error (`wanted` = "n"), or the error for n people (`wanted` = "error")."""

    questions: int
    error: Fraction | None
    n: int | None
    failure: Fraction
    epsilon: Fraction
    laplace: float
    randomized_response: float
    sampled: float
    sampling_error: float
    """The sampling error of answering only one of k questions: n/k people per question, by Hoeffding's inequality."""
    chebyshev: Chebyshev

    @property
    def wanted(self) -> str:
        return "n" if self.n is None else "error"

    def as_json(self) -> dict[str, object]:
        return {
            "questions": self.questions,
            "error": None if self.error is None else exact_text(self.error),
            "n": self.n,
            "failure": exact_text(self.failure),
            "epsilon": exact_text(self.epsilon),
            "wanted": self.wanted,
            "laplace": self.laplace,
            "randomized_response": self.randomized_response,
            "sampled": self.sampled,
            "sampling_error": self.sampling_error,
            "chebyshev": {
                "laplace": self.chebyshev.laplace,
                "randomized_response": self.chebyshev.randomized_response,
                "sampled": self.chebyshev.sampled,
            },
        }

    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Rows of a table: the mechanism, its number, and Chebyshev's."""
        return (
            ("Laplace, one trusted curator", self.laplace, self.chebyshev.laplace),
            (
                "randomised response, epsilon split",
                self.randomized_response,
                self.chebyshev.randomized_response,
            ),
            ("randomised response, one question each", self.sampled, self.chebyshev.sampled),
        )

    def __str__(self) -> str:
        given = f"error {exact_text(self.error)}" if self.error is not None else f"n = {self.n}"
        lines = [
            f"{self.questions} questions, {given}, failure {exact_text(self.failure)}, epsilon {exact_text(self.epsilon)}: "
            + ("people needed" if self.wanted == "n" else "error")
        ]
        for name, figure, chebyshev in self.rows():
            lines.append(f"  {name}: {_shown(figure)} (by Chebyshev {_shown(chebyshev)})")
        lines.append(f"  one question each adds a sampling error of {self.sampling_error:.3g}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        what = "people needed" if self.wanted == "n" else "error"
        rows = "".join(
            f"<tr><th>{name}</th><td>{_shown(figure)}</td><td>{_shown(chebyshev)}</td></tr>"
            for name, figure, chebyshev in self.rows()
        )
        return f"<table><tr><th></th><th>{what}</th><th>by Chebyshev</th></tr>{rows}</table>"


def sample_size(
    *,
    questions: int,
    failure: object,
    epsilon: object,
    error: object = None,
    n: object = None,
) -> SampleSize:
    """The people needed to answer `questions` shares within `error`; or, given n instead, the error they get.

    >>> size = sample_size(questions=10, error="0.02", failure="0.05", epsilon=1)
    >>> size.laplace, size.randomized_response
    (2650, 3000727)
    """
    k = checked_answers(questions)
    beta, e = _probability(failure, "failure"), exact(epsilon)
    checked_above_zero("epsilon", e)
    if (error is None) == (n is None):
        raise BadArgument(
            "size-question",
            "sample_size takes exactly one of error (to find n) and n (to find the error)",
            fix="error=0.02",
        )
    return _people(k, _probability(error, "error"), beta, e) if n is None else _errors(k, _number(n), beta, e)


def _people(k: int, alpha: Fraction, beta: Fraction, epsilon: Fraction) -> SampleSize:
    """Every logarithm and power is rounded so that no number is too small."""
    tail = ln_up(2 * k / beta) / (2 * alpha * alpha)
    split, full = _spread_squared_up(epsilon / k), _spread_squared_up(epsilon)
    sampled = math.ceil(k * full * tail)
    return SampleSize(
        questions=k,
        error=alpha,
        n=None,
        failure=beta,
        epsilon=epsilon,
        laplace=max(1, math.ceil(k * ln_up(k / beta) / (alpha * epsilon))),
        randomized_response=math.ceil(split * tail),
        sampled=sampled,
        sampling_error=float(sqrt_up(ln_up(2 * k / beta) * k / (2 * sampled))),
        chebyshev=Chebyshev(
            math.ceil(k / (alpha * epsilon) * sqrt_up(2 * k / beta)),
            math.ceil(k * (split - 1) / (4 * alpha * alpha * beta)),
            math.ceil(k * k * (full - 1) / (4 * alpha * alpha * beta)),
        ),
    )


def _errors(k: int, n: int, beta: Fraction, epsilon: Fraction) -> SampleSize:
    """The same formulas, solved for α."""
    tail = ln_up(2 * k / beta) / (2 * n)
    split, full = _spread_squared_up(epsilon / k), _spread_squared_up(epsilon)
    return SampleSize(
        questions=k,
        error=None,
        n=n,
        failure=beta,
        epsilon=epsilon,
        laplace=float(k * ln_up(k / beta) / (n * epsilon)),
        randomized_response=float(sqrt_up(split * tail)),
        sampled=float(sqrt_up(k * full * tail)),
        sampling_error=float(sqrt_up(k * tail)),
        chebyshev=Chebyshev(
            float(k / (n * epsilon) * sqrt_up(2 * k / beta)),
            float(sqrt_up(k * (split - 1) / (4 * n * beta))),
            float(sqrt_up(k * k * (full - 1) / (4 * n * beta))),
        ),
    )


def _spread_squared_up(epsilon: Fraction) -> Fraction:
    """c² rounded up, c = (e^ε + 1) / (e^ε - 1): the factor by which randomised response widens the range of a report."""
    e = min(epsilon, Fraction(LARGEST_EPSILON))
    return ((exp_up(e) + 1) / (exp_down(e) - 1)) ** 2


def _probability(value: object, name: str) -> Fraction:
    read = exact(value)
    if not 0 < read < 1:
        raise BadArgument(
            "probability-range",
            f"{name} must be strictly between 0 and 1, not {exact_text(read)}",
            fix="failure=0.05" if name == "failure" else "error=0.02, a share of all people",
        )
    return read


def _number(n: object) -> int:
    read = exact(n)
    if read < 1 or read.denominator != 1:
        raise BadArgument(
            "answers-range", f"n must be a whole number of people, not {exact_text(read)}", fix="n=1000"
        )
    return int(read)


def _shown(figure: float) -> str:
    return f"{figure:,}".replace(",", " ") if isinstance(figure, int) else f"{figure:.4g}"
