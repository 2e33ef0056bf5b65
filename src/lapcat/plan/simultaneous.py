"""Simultaneous intervals: the confidence that each needs for all to hold jointly, and by which theorem.

Theorem: let the numbers of an answer stand in m cells of c columns each, and let each interval hold with probability
         1 - β'/c where (1 - β')^m >= 1 - β. If the noises of different cells are independent, all m·c of them hold at
         once with probability at least 1 - β.
Proof:   In one cell, one of c intervals fails with probability at most β' (union bound: the columns may share their
         noise). Whether a cell's intervals hold depends on that cell's noise alone, so the chances of cells multiply.
Where cells share noise (totals that were added up from the cells beside them) β' = β/m, by the union bound again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.plan.aggregates import SelectionAggregate
from lapcat.plan.aggregates.running import RunningCount, RunningShare
from lapcat.plan.compile import ComputedColumn, Program, ValueColumn
from lapcat.plan.margins import each_of_independent


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Intervals that hold jointly."""

    confidence: Fraction
    cells: int
    columns: int
    independent: bool

    @property
    def numbers(self) -> int:
        return self.cells * self.columns

    @property
    def each(self) -> Fraction:
        """The confidence of each interval.

        >>> level = Fraction(95, 100)
        >>> [float(Simultaneous(level, 3, 1, independent).each) for independent in (True, False)]  # doctest: +ELLIPSIS
        [0.983047572491558..., 0.983333333333333...]
        """
        if self.independent:
            cell = each_of_independent(self.confidence, self.cells)
        else:
            cell = 1 - (1 - self.confidence) / max(self.cells, 1)
        return 1 - (1 - cell) / max(self.columns, 1)

    @property
    def theorem(self) -> str:
        if self.numbers <= 1:
            return "there is one"
        if not self.independent:
            return "union bound"
        product = "independent noise" if self.cells > 1 else ""
        union = "union bound over the columns" if self.columns > 1 else ""
        return ", ".join(filter(None, (product, union)))

    def __str__(self) -> str:
        many = "the interval holds" if self.numbers == 1 else f"all {self.numbers} intervals hold together"
        return (
            f"{many} at {exact_text(self.confidence)} confidence, each by itself at {float(self.each):.6g} "
            f"({self.theorem})"
        )


def simultaneous_intervals(
    program: Program, confidence: Fraction, cells: int, *, independent: bool
) -> Simultaneous:
    """The simultaneous intervals of an answer with this many cells."""
    noisy, independent = 0, independent and program.independent
    for column in program.prepared.asked.columns:
        # a derived column holds in every cell where the estimates behind it hold in all cells
        if not isinstance(column, ValueColumn | ComputedColumn) or not (column.shown or _is_source(column)):
            continue
        inputs = column.inputs if isinstance(column, ComputedColumn) else (column,)
        noisy += column.has_interval and any(_is_noisy(program, source) for source in inputs)
        # a running total has the noise of other cells too
        independent &= not any(isinstance(source.aggregate, RunningCount | RunningShare) for source in inputs)
    return Simultaneous(confidence, cells, noisy, independent)


def _is_source(column: ValueColumn | ComputedColumn) -> bool:
    """Whether other columns are derived from it."""
    return isinstance(column, ValueColumn) and column.statements > 0


def _is_noisy(program: Program, source: ValueColumn) -> bool:
    return isinstance(source.aggregate, SelectionAggregate) or any(
        n.law is not None for n in program.noise(source)
    )
