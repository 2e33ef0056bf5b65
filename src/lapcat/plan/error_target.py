"""The least budget for a requested error, found before anything is charged.

A relative error is relative to public numbers or to earlier answers. Those hold with their own confidence, and the stated
confidence of the error accounts for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument, Error, Refused
from lapcat.plan.aggregates import AVG, COUNT, SUM
from lapcat.plan.columns import ComputedColumn, DerivedColumn, ValueColumn
from lapcat.plan.compile import Prepared, Program, Weights, compile_program, priced
from lapcat.plan.expressions import range_of
from lapcat.plan.gaussian_pricing import compile_rho, gaussian

QUANTUM = Fraction(1, 10**9)
"""The resolution of budgets; that of rho is a thousandth of it."""
LARGEST = 10**6
"""An epsilon beyond it protects nobody."""
PRECISION = 1000
"""The least epsilon is found to one part in this many."""
PRIOR_FAILURE = Fraction(1, 10)
"""The share of the failure probability reserved for each number from an earlier answer."""
TOO_NOISY = "scale-too-large"
"""The error code for noise that does not fit 64-bit integers: the price is too small, whatever the error."""
ROUNDS = 12
"""Rounds of reweighting the columns by the distance of each from its target."""


At = Callable[[Fraction], Program]
"""A question at a price."""


@dataclass(frozen=True, slots=True)
class PriorEstimates:
    """Earlier answers about a column; each number fails with at most `PRIOR_FAILURE` of the failure probability."""

    least: float = 0.0
    """Lower bound on the absolute value of its numbers."""
    rows: float = 0.0
    """Lower bound on the number of rows behind each number."""


@dataclass(frozen=True, slots=True)
class Target:
    """The requested error of one column."""

    error: float
    relies: int = 0
    """The number of earlier answers that it relies on."""
    rows: float = 0.0
    """Lower bound on the rows behind each number, where its error depends on them."""


@dataclass(frozen=True, slots=True)
class ErrorTarget:
    """The requested error of each column of an answer, at this confidence."""

    prepared: Prepared
    targets: tuple[Target, ...]
    confidence: Fraction
    error_text: str

    @classmethod
    def of(
        cls,
        prepared: Prepared,
        error: object,
        confidence: Fraction,
        known: Callable[[], Sequence[PriorEstimates]],
    ) -> ErrorTarget:
        """The target of `error=500` or `error="5%"`, or a refusal that says what is unknown."""
        text = _error_text(error)
        relative = text.endswith("%")
        wanted = exact(text[:-1]) / 100 if relative else exact(text)
        if wanted <= 0:
            raise BadArgument("error-range", f"error must be above zero, not {error}", fix="error=500")
        for derived in prepared.derived:
            raise _unknown(derived)
        at_one = priced(prepared, Fraction(1), None if not prepared.plan.private_keys else Fraction(1, 10**7))
        open_ended = [at_one.foresee_column(column, confidence).margin is None for column in prepared.values]
        before = known() if relative or any(open_ended) else [PriorEstimates()] * len(open_ended)
        targets = []
        for column, prior, depends in zip(prepared.values, before, open_ended, strict=True):
            target = _relative(column, float(wanted), prior, text) if relative else Target(float(wanted))
            if depends:
                if not isinstance(column, ValueColumn) or column.aggregate != AVG or prior.rows <= 0:
                    raise _unknown(column)
                target = replace(target, relies=target.relies + 1, rows=prior.rows)
            targets.append(target)
        return cls(prepared, tuple(targets), confidence, text)

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
        """The program of the least epsilon (or rho), to one part in a thousand, that meets the target and is at least
        `floor`. at: makes the program at a price, where the numbers are not measured one by one."""
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
                    f"an error of {self.error_text} needs {kind} above {LARGEST}, which protects nobody",
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
        """The program of the next larger epsilon (or the rho that costs as much), split for the target."""
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
        """Weights of the columns, so that none is much better than requested while another determines the price.

        Each round increases the weight of columns that are further from their target. The weights are a heuristic: the
        least price for them is found by the exact margins.
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
        """The margin of each column as a multiple of its target."""
        distances = []
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
            distances.append(margin / target.error)
        return distances


def error_target_json(error: object, confidence: Fraction) -> dict[str, object]:
    """The target in a receipt."""
    return {"error": _error_text(error), "confidence": exact_text(confidence)}


def _error_text(error: object) -> str:
    """`5%`, or an exact number."""
    text = error.strip() if isinstance(error, str) else error
    if isinstance(text, str) and text.endswith("%"):
        return f"{exact_text(exact(text[:-1].strip()))}%"
    return exact_text(exact(text))


def _relative(column: ValueColumn | ComputedColumn, part: float, known: PriorEstimates, text: str) -> Target:
    """A share of the lower bound on the column's absolute value, from its bounds or from earlier answers."""
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
        f"an error of {text} is relative to {column.name}, which has no known lower bound yet",
        why="a price that depends on the answer would not be private",
        fix=f'ask with epsilon=0.1 first, then with error="{text}", which is relative to that answer; '
        "or name an absolute error: error=500",
    )


def _from_zero(column: ValueColumn) -> float:
    """Lower bound on the absolute value, from the bounds."""
    assert column.argument.value is not None
    reach = range_of(column.argument.value)
    return float(max(reach.low, -reach.high, 0.0))


def _unknown(column: ValueColumn | ComputedColumn | DerivedColumn) -> Error:
    if not isinstance(column, ValueColumn):
        return Refused(
            "error-unknown-n",
            f"the error of {column.name} depends on its value, which is unknown",
            fix="ask with epsilon=0.1; the answer includes an interval",
        )
    return Refused(
        "error-unknown-n",
        f"the error of {column.name} depends on the number of rows, which is not public",
        why="an earlier answer would do: to this question, or to COUNT over the same rows",
        fix=f"ask with epsilon=0.1 first, then with the error again; or use `preview`, which shows the error of "
        f"{column.name} for n = 100, 1 000, 10 000",
    )


def _quantum(in_rho: bool) -> Fraction:
    return QUANTUM / 1000 if in_rho else QUANTUM


def _on_quanta(x: Fraction, quantum: Fraction) -> Fraction:
    return Fraction(-(-x // quantum)) * quantum
