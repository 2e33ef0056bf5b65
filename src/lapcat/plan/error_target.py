"""The least budget for a wanted error, found before anything is paid.

A relative error is relative to what is public or was released before; what is known of it holds with its own confidence, and
what is stated of the error counts both ways to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument, Error, Refused
from lapcat.plan.aggregates import AVG, COUNT, SUM
from lapcat.plan.columns import ComputedColumn, ValueColumn
from lapcat.plan.compile import Prepared, Program, Weights, compile_program, priced
from lapcat.plan.expressions import range_of
from lapcat.plan.gaussian_pricing import compile_rho, gaussian

QUANTUM = Fraction(1, 10**9)
"""Budgets are counted in these, and those of rho in a thousandth of them, so nothing finer could be paid."""
LARGEST = 10**6
"""Beyond it no promise is left, so nobody needs the error that it would give."""
PRECISION = 1000
"""The least epsilon is found to this part of itself."""
PRIOR_FAILURE = Fraction(1, 10)
"""The part of the chance to fail that is left to each figure that was released before."""
TOO_NOISY = "scale-too-large"
"""The refusal of noise that no 64-bit integer could hold: for however large an error, so small a price is not enough."""
ROUNDS = 12
"""Times that the columns are weighed anew, by how far each is from its wanted error."""


At = Callable[[Fraction], Program]
"""A question at a price."""


@dataclass(frozen=True, slots=True)
class PriorEstimates:
    """What was released of a column before; each figure holds but for `KNOWN` of the chance to fail."""

    least: float = 0.0
    """Its numbers are at least so far from zero."""
    rows: float = 0.0
    """Behind each number are at least so many rows."""


@dataclass(frozen=True, slots=True)
class Target:
    """The error that one column may have."""

    error: float
    relies: int = 0
    """On how many released figures it relies."""
    rows: float = 0.0
    """The least number of rows behind each number, where its error depends on it."""


@dataclass(frozen=True, slots=True)
class ErrorTarget:
    """The error that each column of an answer may have, at this confidence."""

    prepared: Prepared
    targets: tuple[Target, ...]
    confidence: Fraction
    said: str

    @classmethod
    def of(
        cls,
        prepared: Prepared,
        error: object,
        confidence: Fraction,
        known: Callable[[], Sequence[PriorEstimates]],
    ) -> ErrorTarget:
        """The goal of `error=500` or `error="5%"`, or a refusal that says what is not known."""
        said = _said(error)
        relative = said.endswith("%")
        wanted = exact(said[:-1]) / 100 if relative else exact(said)
        if wanted <= 0:
            raise BadArgument("error-range", f"error must be above zero, not {error}", fix="error=500")
        at_one = priced(prepared, Fraction(1), None if not prepared.plan.private_keys else Fraction(1, 10**7))
        open_ended = [at_one.foresee_column(column, confidence).margin is None for column in prepared.values]
        before = known() if relative or any(open_ended) else [PriorEstimates()] * len(open_ended)
        targets = []
        for column, found, depends in zip(prepared.values, before, open_ended, strict=True):
            target = _relative(column, float(wanted), found, said) if relative else Target(float(wanted))
            if depends:
                if not isinstance(column, ValueColumn) or column.aggregate != AVG or found.rows <= 0:
                    raise _unknown(column)
                target = replace(target, relies=target.relies + 1, rows=found.rows)
            targets.append(target)
        return cls(prepared, tuple(targets), confidence, said)

    def met_by(self, program: Program) -> bool:
        """Whether every column's margin is at most the wanted error."""
        return self._distance(program) <= 1

    def least(
        self,
        delta: Fraction | None,
        *,
        in_rho: bool = False,
        at: At | None = None,
        floor: Fraction = Fraction(0),
    ) -> Program:
        """The program of the least epsilon (or rho), to a thousandth of itself, that meets the goal and is no less than
        `floor`; at: of programs that are made in this way, where not each number is measured by itself."""
        weights = self._weighed(delta, in_rho) if at is None else None

        def enough(price: Fraction) -> bool:
            try:
                return self.met_by(self._at(price, delta, weights, in_rho) if at is None else at(price))
            except BadArgument as error:
                if error.code != TOO_NOISY:
                    raise
                return False

        low, high = Fraction(0), Fraction(1)
        while not enough(high):
            low, high = high, high * 2
            if high > LARGEST:
                kind = "a rho" if in_rho else "an epsilon"
                raise Refused(
                    "error-too-small",
                    f"an error of {self.said} needs {kind} above {LARGEST}, which protects nobody",
                    fix="allow a larger error, or tighten the bounds with CLAMP(x, low, high)",
                )
        while high - low > max(_quantum(in_rho), high / PRECISION):
            middle = _on_quanta((low + high) / 2, _quantum(in_rho))
            if middle in (low, high):
                break
            if enough(middle):
                high = middle
            else:
                low = middle
        price = max(high, floor)
        return self._compiled(price, delta, weights, in_rho) if at is None else at(price)

    def above(
        self, epsilon: Fraction, delta: Fraction | None, *, in_rho: bool = False, at: At | None = None
    ) -> Program:
        """The program of the next larger epsilon than this one (or of the rho that costs as much), split for the goal."""
        price = epsilon * epsilon / 2 if in_rho else epsilon
        price = _on_quanta(price, _quantum(in_rho)) + _quantum(in_rho)
        if at is not None:
            return at(price)
        return self._compiled(price, delta, self._weighed(delta, in_rho), in_rho)

    def _at(self, price: Fraction, delta: Fraction | None, weights: Weights, in_rho: bool) -> Program:
        if in_rho:
            return gaussian(self.prepared, price, weights)
        return priced(self.prepared, price, delta, weights)

    def _compiled(self, price: Fraction, delta: Fraction | None, weights: Weights, in_rho: bool) -> Program:
        if in_rho:
            return compile_rho(self.prepared, price, weights)
        return compile_program(self.prepared, price, delta, weights)

    def _weighed(self, delta: Fraction | None, in_rho: bool) -> tuple[float, ...]:
        """How much each column matters, so that none is much better than wanted while another decides the price.

        Each round a column that is further from its wanted error weighs more. Whatever comes out is only tried: the
        least price is found for the weights by the exact margins.
        """
        weights = best = tuple(1.0 for _ in self.targets)
        if len(self.targets) == 1:
            return best
        least = float("inf")
        for _ in range(ROUNDS):
            distances = self._distances(self._at(Fraction(1), delta, weights, in_rho))
            furthest = max(distances)
            if furthest < least:
                least, best = furthest, weights
            if furthest <= 0:
                break
            weights = tuple(w * max(d / furthest, 1e-3) ** 2 for w, d in zip(weights, distances, strict=True))
        return best

    def _distance(self, program: Program) -> float:
        return max(self._distances(program), default=0.0)

    def _distances(self, program: Program) -> list[float]:
        """For each column its margin, as a multiple of the wanted error."""
        found = []
        for column, target in zip(self.prepared.values, self.targets, strict=True):
            sure = 1 - (1 - self.confidence) * (1 - PRIOR_FAILURE * target.relies)
            if target.rows and isinstance(column, ValueColumn):
                less = (1 - self.confidence) * PRIOR_FAILURE
                margin = AVG.margin_for(
                    column.argument, program.noise(column), sure + less, less, target.rows
                )
            else:
                foreseen = program.foresee_column(column, sure).margin
                margin = float("inf") if foreseen is None else foreseen
            found.append(margin / target.error)
        return found


def error_target_json(error: object, confidence: Fraction) -> dict[str, object]:
    """What was wanted, as a receipt says it."""
    return {"error": _said(error), "confidence": exact_text(confidence)}


def _said(error: object) -> str:
    """`5%`, or an exact number."""
    text = error.strip() if isinstance(error, str) else error
    if isinstance(text, str) and text.endswith("%"):
        return f"{exact_text(exact(text[:-1].strip()))}%"
    return exact_text(exact(text))


def _relative(column: ValueColumn | ComputedColumn, part: float, known: PriorEstimates, said: str) -> Target:
    """A part of the least that the column's numbers can be, by their bounds or by what was released."""
    if isinstance(column, ValueColumn):
        rows = float(column.argument.size or 0)
        relies = 0 if rows else 1
        smallest = _from_zero(column) if column.aggregate in (AVG, SUM) else 1.0
        if column.aggregate == AVG and smallest > 0:
            return Target(part * smallest)
        if column.aggregate in (COUNT, SUM) and smallest > 0 and max(rows, known.rows) > 0:
            return Target(part * smallest * max(rows, known.rows), relies)
    if known.least > 0:
        return Target(part * known.least, 1)
    raise Refused(
        "error-relative",
        f"an error of {said} is relative to {column.name}, and nothing says yet how large that is at least",
        why="looking at the answer to price the question would not be private",
        fix=f'ask it with epsilon=0.1 first, and then with error="{said}": it is relative to what was released; '
        "or name an absolute error: error=500",
    )


def _from_zero(column: ValueColumn) -> float:
    """How far from zero each value is at least, by its bounds."""
    assert column.argument.value is not None
    reach = range_of(column.argument.value)
    return float(max(reach.low, -reach.high, 0.0))


def _unknown(column: ValueColumn | ComputedColumn) -> Error:
    if isinstance(column, ComputedColumn):
        return Refused(
            "error-unknown-n",
            f"the error of {column.name} depends on the answer, which is not known yet",
            fix="ask with epsilon=0.1; the answer has the interval",
        )
    return Refused(
        "error-unknown-n",
        f"the error of {column.name} depends on how many rows there are, which is not public",
        why="a number of rows that was released before would do: of this question, or COUNT over the same rows",
        fix=f"ask with epsilon=0.1 first, and then with the error again; or see `preview`, which shows the error of "
        f"{column.name} for n = 100, 1 000, 10 000",
    )


def _quantum(in_rho: bool) -> Fraction:
    return QUANTUM / 1000 if in_rho else QUANTUM


def _on_quanta(x: Fraction, quantum: Fraction) -> Fraction:
    return Fraction(-(-x // quantum)) * quantum
