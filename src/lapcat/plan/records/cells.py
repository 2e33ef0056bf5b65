"""Records as points of a finite space: one cell per base."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from lapcat.plan.expressions import Column
from lapcat.plan.records.reading import Among, Every, Formula, FormulaReader, Ordered, Some
from lapcat.plan.records.regions import LIMITS, Region, Spans, value_in
from lapcat.plan.schema import Type

Record = tuple[int, ...]
"""The cell of each base."""
State = tuple[Record, ...]
"""The record that is added or removed, or a record and its replacement."""


@dataclass(frozen=True, slots=True)
class CountedTerm:
    """The parts that read the same records, as one term of a sum."""

    formula: Formula
    weight: int
    """The number (or total weight) of the parts."""
    counts: bool
    """Whether two records that both satisfy the formula contribute the same."""


@dataclass(frozen=True, slots=True)
class Space:
    """The records that the formulas can distinguish."""

    cells: tuple[Spans, ...]
    """The cells of each base in order; NULL is one more, the last."""
    bits: tuple[tuple[int, ...], ...]
    """The cells inside each region of each base, one bit per cell."""

    @property
    def bases(self) -> range:
        return range(len(self.cells))

    def full(self, base: int) -> int:
        """All cells of a base, as bits."""
        return (2 << len(self.cells[base])) - 1

    def solutions(self, formula: Formula, record: Record, base: int) -> int:
        """The cells of one base, as bits, in which the formula holds while the other bases are as in the record."""
        match formula:
            case bool():
                return self.full(base) if formula else 0
            case Among(at, region):
                bits = self.bits[at][region]
                return bits if at == base else self.full(base) if bits >> record[at] & 1 else 0
            case Every(parts):
                cells = self.full(base)
                for part in parts:
                    cells &= self.solutions(part, record, base)
                    if not cells:
                        break
                return cells
            case Some(parts):
                cells = 0
                for part in parts:
                    cells |= self.solutions(part, record, base)
                return cells
            case Ordered(left, right, signs):
                null, cells = len(self.cells[left]), 0
                for cell in range(len(self.cells[base]) + 1):
                    left_cell, right_cell = (cell if at == base else record[at] for at in (left, right))
                    if (
                        left_cell != null != right_cell
                        and (left_cell > right_cell) - (left_cell < right_cell) in signs
                    ):
                        cells |= 1 << cell
                return cells
            case _:
                assert_never(formula)

    def satisfies(self, record: Record, formula: Formula) -> bool:
        if not record:
            return formula is True
        return bool(self.solutions(formula, record, 0) >> record[0] & 1)

    def shadow(self, formula: Formula, base: int) -> int:
        """Cells of one base, as bits, that include all in which the formula can hold."""
        match formula:
            case Among(at, region) if at == base:
                return self.bits[base][region]
            case Every(parts):
                shadow = self.full(base)
                for part in parts:
                    shadow &= self.shadow(part, base)
                return shadow
            case Some(parts):
                shadow = 0
                for part in parts:
                    shadow |= self.shadow(part, base)
                return shadow
        return 0 if formula is False else self.full(base)

    def shown(self, reader: FormulaReader, record: Record) -> Mapping[str, object] | None:
        """The record with a plain value for each column; None if it is absent."""
        values: dict[str, object] = {}
        for base, (expression, cell) in enumerate(zip(reader.bases, record, strict=True)):
            if expression is None and cell != 1:
                return None
            if isinstance(expression, Column):
                null = cell == len(self.cells[base])
                values[expression.name] = (
                    None if null else _value(reader, self.cells[base][cell], expression.type)
                )
        return values


def _value(reader: FormulaReader, span: tuple[int, int], kind: Type) -> object:
    if kind is not Type.TEXT:
        return value_in(span, kind)
    other = "other"
    while other in reader.texts:
        other += "'"
    return [*reader.texts, other][min(span[0], len(reader.texts))]


def space_of(reader: FormulaReader, formulas: Iterable[Formula]) -> Space:
    """The space of all records for formulas that this reader has read.

    Theorem: for every record some point of the space gives the same truth to each formula; and every point is a
             choice of values for the bases.
    Proof:   the ends of the regions cut the values of a base into cells on which every Among is constant.
             Bases that are compared share their cuts. n of them have at most n different values in a cell, so that
             the first n values of the cell, or all if they are fewer, suffice to keep their order: these become
             cells. Text that is not mentioned lies past the last number.
    """
    cuts = [
        {end for region in regions for low, high in region.spans for end in (low, high + 1)}
        for regions in reader.regions
    ]
    compared: dict[Type, set[int]] = {}
    for atom in _comparisons(formulas):
        compared.setdefault(reader.type_of(atom.left), set()).update((atom.left, atom.right))
    for together in compared.values():
        shared = set().union(*(cuts[base] for base in together))
        for base in together:
            cuts[base] = shared

    cells: list[Spans] = []
    for base, ends in enumerate(cuts):
        kind = reader.type_of(base)
        spans = _cut(LIMITS[kind], ends)
        if base in compared.get(kind, ()):
            values = len(compared[kind])
            spans = tuple((n, n) for low, high in spans for n in range(low, min(high, low + values - 1) + 1))
        cells.append(spans)
    bits = tuple(
        tuple(_inside(region, spans) for region in regions)
        for regions, spans in zip(reader.regions, cells, strict=True)
    )
    return Space(tuple(cells), bits)


def _comparisons(formulas: Iterable[Formula]) -> Iterator[Ordered]:
    for formula in formulas:
        match formula:
            case Every(parts) | Some(parts):
                yield from _comparisons(parts)
            case Ordered():
                yield formula


def _cut(limits: tuple[int, int], ends: Iterable[int]) -> Spans:
    low, high = limits
    firsts = sorted({low, *(end for end in ends if low < end <= high)})
    return tuple(zip(firsts, [*(first - 1 for first in firsts[1:]), high], strict=True))


def _inside(region: Region, cells: Sequence[tuple[int, int]]) -> int:
    """The cells within the region, NULL included: a cell is inside as a whole or not at all."""
    firsts = [low for low, _ in cells]
    bits = 1 << len(firsts) if region.null else 0
    for low, high in region.spans:
        bits |= (1 << bisect_left(firsts, high + 1)) - (1 << bisect_left(firsts, low))
    return bits
