"""Translates expressions to formulas: each node is a function, so "its value is in this region" is the preimage of a region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from lapcat.plan import expressions as ex
from lapcat.plan.expressions import Expression
from lapcat.plan.records.regions import (
    EVERYWHERE,
    MAX_NUMBER,
    MIN_NUMBER,
    Region,
    Spans,
    clamped,
    converted,
    in_days,
    meet,
    number_of,
    outside,
    tested,
    union,
)
from lapcat.plan.schema import Type
from lapcat.stored.digest import canonical


@dataclass(frozen=True, slots=True)
class Among:
    """The value of a base is in a region, given by its position in FormulaReader.regions[base]."""

    base: int
    region: int


@dataclass(frozen=True, slots=True)
class Ordered:
    """Neither base is NULL, and left compares with right by one of these signs (−1, 0, 1)."""

    left: int
    right: int
    signs: frozenset[int]


@dataclass(frozen=True, slots=True)
class Every:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    parts: tuple[Formula, ...]


Formula = bool | Among | Ordered | Every | Some
"""Two-valued: NULL is just one of the values that a region may contain. Negation is not needed: regions are complemented."""

TRUE, NOT_TRUE, NULL = Region(((1, 1),)), Region(((0, 0),), null=True), Region((), null=True)


def every(parts: Iterable[Formula]) -> Formula:
    kept = tuple(part for part in parts if part is not True)
    if False in kept:
        return False
    return True if not kept else kept[0] if len(kept) == 1 else Every(kept)


def some(parts: Iterable[Formula]) -> Formula:
    kept = tuple(part for part in parts if part is not False)
    if True in kept:
        return True
    return False if not kept else kept[0] if len(kept) == 1 else Some(kept)


def key_of(expression: Expression | None) -> str:
    """Equal for expressions that are equal up to order and names."""
    return repr(None if expression is None else canonical(expression))


Operator = OneOf["=", "<>", "<", "<=", ">", ">="]
SIGNS: Mapping[Operator, frozenset[int]] = {
    "<": frozenset({-1}),
    "<=": frozenset({-1, 0}),
    "=": frozenset({0}),
    ">=": frozenset({0, 1}),
    ">": frozenset({1}),
    "<>": frozenset({-1, 1}),
}
FLIPPED: Mapping[Operator, Operator] = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<", "<>": "<>"}
ORDERED_TYPES = (Type.INTEGER, Type.FLOAT, Type.DATE, Type.TIMESTAMP)

MAX_NODES = 6_000
"""After this many nodes the rest is opaque, as nested CASEs double at each level. 800 ranges stay below it."""


class FormulaReader:
    """Translates expressions to formulas over bases, and records the bases and the regions.

    A base is a raw column or an opaque expression: the latter may have any value of its type, or NULL, whatever the
    columns are. It is a function of the record, so this is one free choice for each record, the
    same wherever the expression occurs (by its canonical form).
    """

    def __init__(self) -> None:
        self.bases: list[Expression | None] = []
        self.regions: list[dict[Region, int]] = []
        self.texts: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._nodes = 0

    @property
    def free(self) -> bool:
        """Whether some expression is opaque."""
        return any(not isinstance(base, ex.Column | None) for base in self.bases)

    def type_of(self, base: int) -> Type:
        expression = self.bases[base]
        return Type.BOOLEAN if expression is None else expression.type

    def present(self) -> Formula:
        """Whether the record is present: one more free choice, the base None."""
        return self._among(None, TRUE)

    def holds(self, expression: Expression, region: Region) -> Formula:
        """Whether the value of the expression is in the region.

        Theorem: for every record, the formula is true of the values of the bases if and only if the expression's
                 value, by the docstrings of plan.expressions, is in the region.
        Proof:   each case is the preimage of the region under the node; whatever falls through is a base itself.
        """
        self._nodes += 1
        if self._nodes > MAX_NODES:
            return self._among(expression, region)
        match expression:
            case ex.Literal(value, kind):
                if (number := self._number(value, kind)) is not None:
                    return number in region
            case ex.Not(operand):
                turned = union((1 - bit, 1 - bit) for bit in (0, 1) if bit in region)
                return self.holds(operand, Region(turned, region.null))
            case ex.IsNull(operand):
                return self.holds(operand, Region(EVERYWHERE if 0 in region else (), 1 in region))
            case ex.Logic(op, operands):
                return self._logic(operands, region, strong=0 if op == "and" else 1)
            case ex.InList(operand, values):
                equal = [self._compared("=", value, operand.type) for value in values]
                if None not in equal:
                    spans = union(span for spans in equal for span in spans or ())
                    return self.holds(operand, tested(spans, region))
            case ex.Compare(op, ex.Literal() as left, right) if not isinstance(right, ex.Literal):
                return self.holds(ex.Compare(FLIPPED[op], right, left), region)
            case ex.Compare(op, left, ex.Literal() as right):
                if (true := self._compared(op, right, left.type)) is not None:
                    return self.holds(left, tested(true, region))
            case ex.Compare(op, ex.Column() as left, ex.Column() as right):
                if left.type is right.type and left.type in ORDERED_TYPES:
                    return self._ordered(op, left, right, region)
            case ex.Case():
                if (formula := self._case(expression, region)) is not None:
                    return formula
            case ex.Coalesce(operand, replacement, kind):
                pulled = converted(operand.type, kind, region.spans)
                number = self._number(replacement.value, kind)
                if pulled is not None and number is not None:
                    return self.holds(operand, Region(pulled, number in region))
            case ex.Clamp(operand, lower, upper, kind):
                low, high = self._number(lower.value, kind), self._number(upper.value, kind)
                if low is not None and high is not None and low <= high:
                    pulled = converted(operand.type, kind, clamped(low, high, region.spans))
                    if pulled is not None:
                        return self.holds(operand, Region(pulled, region.null))
            case ex.NullOutsideBounds(operand, lower, upper, kind) if kind is operand.type:
                if (inside := self._within(lower, upper, kind)) is not None:
                    spans = (*meet(region.spans, inside), *(outside(inside) if region.null else ()))
                    return self.holds(operand, Region(union(spans), region.null))
            case ex.Cast(operand, kind):
                if (pulled := converted(operand.type, kind, region.spans)) is not None:
                    return self.holds(operand, Region(pulled, region.null))
        return self._among(expression, region)

    def _among(self, expression: Expression | None, region: Region) -> Among:
        base = self._base(expression)
        return Among(base, self.regions[base].setdefault(region, len(self.regions[base])))

    def _base(self, expression: Expression | None) -> int:
        base = self._keys.setdefault(key_of(expression), len(self.bases))
        if base == len(self.bases):
            self.bases.append(expression)
            self.regions.append({})
        return base

    def _logic(self, operands: tuple[Expression, ...], region: Region, *, strong: int) -> Formula:
        """AND is the least of its operands in the order FALSE, NULL, TRUE, and OR the greatest: one operand that is
        `strong` decides, its opposite takes all of them, and between the two it is NULL."""
        weak = 1 - strong
        if strong in region and weak in region and region.null:
            return True

        def each(values: Region) -> Iterator[Formula]:
            return (self.holds(operand, values) for operand in operands)

        options: list[Formula] = []
        if strong in region:
            options.append(some(each(Region(((strong, strong),), region.null))))
        if weak in region:
            options.append(every(each(Region(((weak, weak),), region.null))))
        if not options and region.null:
            options.append(every([*each(Region(((weak, weak),), null=True)), some(each(NULL))]))
        return some(options)

    def _ordered(self, op: Operator, left: ex.Column, right: ex.Column, region: Region) -> Formula:
        left_base, right_base = self._base(left), self._base(right)
        options: list[Formula] = []
        if 1 in region:
            options.append(Ordered(left_base, right_base, SIGNS[op]))
        if 0 in region:
            options.append(Ordered(left_base, right_base, frozenset({-1, 0, 1}) - SIGNS[op]))
        if region.null:
            options += [self._among(left, NULL), self._among(right, NULL)]
        return some(options)

    def _case(self, case: ex.Case, region: Region) -> Formula | None:
        """The first condition that is true chooses; so all before it are false or NULL."""
        options: list[Formula] = []
        passed: list[Formula] = []
        for condition, value in case.whens:
            pulled = converted(value.type, case.type, region.spans)
            if pulled is None:
                return None
            chosen = self.holds(value, Region(pulled, region.null))
            options.append(every([*passed, self.holds(condition, TRUE), chosen]))
            passed.append(self.holds(condition, NOT_TRUE))
        last: Formula = region.null
        if case.otherwise is not None:
            pulled = converted(case.otherwise.type, case.type, region.spans)
            if pulled is None:
                return None
            last = self.holds(case.otherwise, Region(pulled, region.null))
        return some([*options, every([*passed, last])])

    def _compared(self, op: Operator, literal: ex.Literal, kind: Type) -> Spans | None:
        """The values of this type for which `value op literal` is true; None if unknown."""
        common = (
            kind
            if kind is literal.type
            else Type.FLOAT
            if kind.is_number and literal.type.is_number
            else None
        )
        if common is None or (kind not in ORDERED_TYPES and op not in ("=", "<>")):
            return None
        number = self._number(literal.value, common)
        if number is None:
            return None
        pieces = {-1: (MIN_NUMBER, number - 1), 0: (number, number), 1: (number + 1, MAX_NUMBER)}
        return converted(kind, common, union(pieces[sign] for sign in SIGNS[op]))

    def _within(self, lower: ex.Literal, upper: ex.Literal, kind: Type) -> Spans | None:
        """The values of this type from lower to upper; a timestamp counts by its day if the ends are dates."""
        by_day = kind is Type.TIMESTAMP and lower.type is upper.type is Type.DATE
        ends = Type.DATE if by_day else kind
        above, below = self._compared(">=", lower, ends), self._compared("<=", upper, ends)
        if above is None or below is None:
            return None
        return in_days(meet(above, below)) if by_day else meet(above, below)

    def _number(self, value: object, kind: Type) -> int | None:
        """As number_of; texts are numbered in order of appearance."""
        if kind is Type.TEXT and isinstance(value, str):
            return self.texts.setdefault(value, len(self.texts))
        return number_of(value, kind)
