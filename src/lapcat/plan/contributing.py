"""Which rows contribute to a statistic: few do to COUNT(CASE …) and SUM(CASE …), and disjoint cases share none.

A statistic is moved by rows that pass its filter. Where its value is a CASE, it is not moved by rows whose case is NULL
or equals the number that adds nothing. With these conditions the solver (plan/predicates.py) proves which statistics no
row moves together: `SUM(CASE WHEN city = 'a' THEN 1 ELSE 0 END)` and the same for 'b' are then a histogram.
"""

from __future__ import annotations

from fractions import Fraction

from lapcat.plan.expressions import (
    Case,
    Cast,
    Clamp,
    Compare,
    Expression,
    IsNull,
    Literal,
    Logic,
    Not,
    range_of,
)
from lapcat.plan.nodes import Kind, Statistic
from lapcat.plan.predicates import StatisticTerm
from lapcat.plan.schema import Type


def part_of(statistic: Statistic, *, weighted: bool, only_values_change: bool) -> StatisticTerm:
    """The rows that move a statistic, for the solver.

    only_values_change: neighbouring tables differ only in the values of one row (replace-one, every row contributes).

    Theorem: a row that does not satisfy the predicate adds 0; with `only_values_change`, two such rows add the same. A part
             that `counts` gets one same number of every row that satisfies it.
    Proof:   NULL adds 0, and so does the centre of the grid (`Grid.place` of it is 0, also times a weight). Where only values
             change, a sum moves by the difference of two values, so any constant may stand for the centre: rows that have
             it add the same. A comparison with NULL is not TRUE. A CASE of constants takes no others, so without the
             centre and NULL one constant is left where `_constants` says so; weights make it another for each row.
    """
    value, grid = statistic.value, statistic.grid
    plain = StatisticTerm(statistic.filter, statistic.kind is Kind.ROWS and not weighted)
    if value is None or not is_case(value):
        return plain
    if statistic.kind is Kind.PRESENT:
        return StatisticTerm(_both(statistic.filter, Not(IsNull(value))), not weighted)
    if grid is None:
        return plain
    case = _inner(value)
    constants, nothing = _constants(case), grid.centre
    if only_values_change and isinstance(case, Case) and case.otherwise is not None:
        otherwise = _number(case.otherwise)
        nothing = nothing if otherwise is None else otherwise
    literal = _literal(nothing, value.type)
    if literal is None:
        return plain
    moves = Compare("<>", value, literal)
    others = None if constants is None else {constant for constant in constants if constant != nothing}
    return StatisticTerm(
        _both(statistic.filter, moves), others is not None and len(others) <= 1 and not weighted
    )


def is_case(value: Expression | None) -> bool:
    return value is not None and isinstance(_inner(value), Case)


def is_indicator(value: Expression | None) -> bool:
    """Whether a value is a CASE of 0, 1 and NULL, so that its sum counts rows."""
    constants = None if value is None else _constants(_inner(value))
    return constants is not None and set(constants) <= {0, 1}


def _inner(value: Expression) -> Expression:
    """The value without a cast from integers to doubles and without clamps that change nothing."""
    while True:
        match value:
            case Cast(operand, Type.FLOAT) if operand.type is Type.INTEGER:
                value = operand
            case Clamp(operand, low, high, _) if _reaches_no_further(operand, low, high):
                value = operand
            case _:
                return value


def _reaches_no_further(operand: Expression, low: Literal, high: Literal) -> bool:
    reach = range_of(operand)
    return low.value <= reach.low and reach.high <= high.value  # type: ignore[operator]


def _constants(value: Expression) -> tuple[Fraction, ...] | None:
    """The values of a CASE besides NULL; None if any of them is not a constant."""
    if not isinstance(value, Case):
        return None
    otherwise = () if value.otherwise is None else (value.otherwise,)
    numbers = [_number(result) for result in (*(result for _, result in value.whens), *otherwise)]
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(numbers) else None


def _number(value: Expression) -> Fraction | None:
    value = _inner(value)
    if not isinstance(value, Literal) or not value.type.is_number:
        return None
    return Fraction(value.value)  # type: ignore[arg-type]


def _literal(number: Fraction, kind: Type) -> Literal | None:
    """A number as a constant of a type; None if the type cannot represent it."""
    if kind is Type.INTEGER:
        return Literal(int(number), kind) if number.denominator == 1 else None
    return Literal(float(number), kind) if Fraction(float(number)) == number else None


def _both(where: Expression | None, moves: Expression) -> Expression:
    return moves if where is None else Logic("and", (where, moves))
