"""A workload: many linear counting queries over the declared values of columns, asked together.

    ages = Workload.ranges("age")                                every range of ages
    by_sex = Workload.marginals(["sex"], ways=1) * ages          … for each sex
    both = by_sex + Workload.marginals(["sex", "region", "age"], ways=2)

It names columns and values; `over` binds it to axes, where the questions are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, BadQuery
from lapcat.plan.schema import Value
from lapcat.stored.forms import stored
from lapcat.workload.axes import Axis
from lapcat.workload.factors import (
    AllRanges,
    Each,
    ExplicitQueries,
    Factor,
    Floats,
    PrefixSums,
    Ranges,
    Total,
    written_rows,
)

MAX_ANSWERS = 2**24
"""Maximum number of answers at once."""


@stored("Wanted", "kind", "given")
@dataclass(frozen=True, slots=True)
class ColumnQueries:
    """The questions about one column: each value, running totals, ranges (all, or some), or explicit rows."""

    kind: str
    given: tuple[Any, ...] = ()

    def on(self, axis: Axis) -> Factor:
        match self.kind:
            case "each":
                return Each(axis.size)
            case "prefixes":
                return PrefixSums(len(axis.values))
            case "ranges" if not self.given:
                return AllRanges(len(axis.values))
            case "ranges":
                starts, ends = zip(*self.given, strict=True)
                lows, highs = axis.places(starts), axis.places(ends) + 1
                if (lows >= highs).any():
                    backwards = self.given[int(np.flatnonzero(lows >= highs)[0])]
                    raise BadQuery(
                        "workload-range",
                        f"the range {backwards!r} of {axis.name} ends before it begins",
                        fix=f"({backwards[1]!r}, {backwards[0]!r})",
                    )
                return Ranges(axis.size, lows, highs)
            case _:
                return written_rows(self.given, axis.size, axis.name)


@stored("Term", "wanted", "weight")
@dataclass(frozen=True, slots=True)
class Term:
    """One product of questions about different columns, summed over all other columns."""

    wanted: tuple[tuple[str, ColumnQueries], ...]
    weight: float = 1.0
    """The weight of its errors."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Counting questions about declared values of columns, asked together. `*` is the product, `+` the concatenation.

    >>> Workload.marginals(["sex", "region", "age"], ways=2).columns
    ('sex', 'region', 'age')
    """

    terms: tuple[Term, ...]

    @classmethod
    def ranges(cls, column: str, bounds: Sequence[tuple[Value, Value]] | None = None) -> Workload:
        """Counts of closed ranges of values; without bounds, every range of the column."""
        given = () if bounds is None else tuple((low, high) for low, high in bounds)
        if bounds is not None and not given:
            raise BadArgument("workload-empty", f"bounds lists no range of {column}", fix="bounds=[(18, 30)]")
        return cls((Term(((column, ColumnQueries("ranges", given)),)),))

    @classmethod
    def prefixes(cls, column: str) -> Workload:
        """Running totals: the count up to and including each value."""
        return cls((Term(((column, ColumnQueries("prefixes")),)),))

    @classmethod
    def marginals(
        cls, columns: Sequence[str], ways: int | Sequence[int | Sequence[str]] | None = None
    ) -> Workload:
        """Counts by combinations of values: of all columns, of every `ways` of them, or of the given lists of columns."""
        columns = tuple(columns)
        if not columns or len(set(columns)) != len(columns):
            raise BadArgument("workload-columns", f"marginals need distinct columns, not {columns!r}")
        wanted = [len(columns)] if ways is None else [ways] if isinstance(ways, int) else list(ways)
        sets: dict[tuple[str, ...], None] = {}
        for way in wanted:
            if not isinstance(way, int):
                sets[tuple(way)] = None
                continue
            if not 0 <= way <= len(columns):
                raise BadArgument(
                    "workload-ways",
                    f"{len(columns)} columns have no {way}-way marginals",
                    fix=f"ways={len(columns)}",
                )
            sets.update(dict.fromkeys(combinations(columns, way)))
        for chosen in sets:
            if not set(chosen) <= set(columns) or len(set(chosen)) != len(chosen):
                raise BadArgument("workload-columns", f"{chosen!r} are not distinct columns of {columns!r}")
        if not sets:
            raise BadArgument("workload-empty", "ways lists no marginal", fix="ways=2")
        return cls(
            tuple(Term(tuple((column, ColumnQueries("each")) for column in chosen)) for chosen in sets)
        )

    @classmethod
    def queries(cls, column: str, matrix: Sequence[Sequence[int]] | npt.NDArray[Any]) -> Workload:
        """Explicit questions: one row each, with a whole number for each declared value of the column."""
        rows = np.asarray(matrix)
        given = tuple(map(tuple, rows.tolist())) if rows.ndim == 2 else ()
        if not given:
            raise BadArgument(
                "workload-empty", f"the matrix has no question about {column}", fix="[[1, 1, 0], [0, 1, 1]]"
            )
        return cls((Term(((column, ColumnQueries("queries", given)),)),))

    def weighted(self, error: object) -> Workload:
        """The same with a wanted error: half the wanted error gives four times the weight in choosing the strategy."""
        wanted = exact(error)
        if wanted <= 0:
            raise BadArgument("workload-weight", f"a wanted error is above 0, not {error!r}", fix="10")
        return Workload(tuple(replace(term, weight=term.weight / float(wanted)) for term in self.terms))

    def __add__(self, other: Workload) -> Workload:
        return Workload((*self.terms, *other.terms))

    def __mul__(self, other: Workload) -> Workload:
        twice = set(self.columns) & set(other.columns)
        if twice:
            raise BadArgument(
                "workload-columns",
                f"{', '.join(sorted(twice))}: a product needs distinct columns",
                fix="put all ranges of a column into one workload, or join workloads with +",
            )
        return Workload(
            tuple(
                Term((*a.wanted, *b.wanted), a.weight * b.weight) for a, b in product(self.terms, other.terms)
            )
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the workload, each once, in the order in which they are mentioned."""
        return tuple(dict.fromkeys(column for term in self.terms for column, _ in term.wanted))

    def over(self, axes: Sequence[Axis]) -> AxisWorkload:
        """The workload over these axes, which are in the order of `columns`."""
        if tuple(axis.name for axis in axes) != self.columns:
            raise BadArgument(
                "workload-columns", f"the axes of this workload are {', '.join(self.columns)}, in this order"
            )
        place = {axis.name: position for position, axis in enumerate(axes)}
        factors: dict[tuple[str, ColumnQueries], Factor] = {}
        asked = []
        for term in self.terms:
            for column, what in term.wanted:  # each once: a factor caches its results
                if (column, what) not in factors:
                    factors[column, what] = what.on(axes[place[column]])
            placed = [(place[column], factors[column, what]) for column, what in term.wanted]
            asked.append(ProductQuery(tuple(sorted(placed, key=lambda item: item[0])), term.weight))
        return AxisWorkload(tuple(axes), tuple(asked))


@dataclass(frozen=True)
class ProductQuery:
    """A product of questions by axis position, summed over the other axes."""

    factors: tuple[tuple[int, Factor], ...]
    weight: float = 1.0

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(i for i, _ in self.factors)

    @property
    def rows(self) -> int:
        return math.prod(factor.rows for _, factor in self.factors)

    def factor(self, axis: int, size: int) -> Factor:
        """The factor of an axis; the total if it has none."""
        return dict(self.factors).get(axis) or Total(size)

    def answers(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """All answers, flattened in row-major order; the table has the axes of this term."""
        for position, (_, factor) in enumerate(self.factors):
            moved = np.moveaxis(table, position, 0)
            if moved.shape[0] > factor.size:  # ranges of declared values leave out the cell of other rows
                moved = moved[: factor.size]
            table = np.moveaxis(factor.answers(moved), 0, position)
        return table.reshape(-1)


@dataclass(frozen=True)
class AxisWorkload:
    """A workload over axes: numbered questions with known structure."""

    axes: tuple[Axis, ...]
    terms: tuple[ProductQuery, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def cells(self) -> int:
        return math.prod(self.shape)

    @property
    def rows(self) -> int:
        """The number of questions."""
        return sum(term.rows for term in self.terms)

    @property
    def counting(self) -> bool:
        """Whether no answer can be negative: no coefficient is."""
        factors = [factor for term in self.terms for _, factor in term.factors]
        return not any(isinstance(factor, ExplicitQueries) and factor.written.min() < 0 for factor in factors)

    @property
    def of_cells(self) -> bool:
        """Whether every answer is a sum of distinct cells."""
        factors = [factor for term in self.terms for _, factor in term.factors]
        return not any(
            isinstance(factor, ExplicitQueries) and not ((factor.written == 0) | (factor.written == 1)).all()
            for factor in factors
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number of the first question of each term."""
        starts = [0]
        for term in self.terms:
            starts.append(starts[-1] + term.rows)
        return tuple(starts)

    def label(self, row: int) -> str:
        """Question number `row` in words."""
        return ", ".join(self.parts(row)) or "all rows"

    def parts(self, row: int) -> Iterator[str]:
        """The same, column by column."""
        which = int(np.searchsorted(self.starts, row, side="right")) - 1
        term, rest = self.terms[which], row - self.starts[which]
        places = np.unravel_index(rest, [factor.rows for _, factor in term.factors] or [1])
        for (i, factor), place in zip(term.factors, places, strict=False):
            yield factor.label(self.axes[i], int(place))

    def answers(self, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The answers to all questions, given the counts of all cells."""
        table = np.asarray(cells).reshape(self.shape)
        return np.concatenate([term.answers(_summed(table, term.axes)) for term in self.terms])

    def matrix(self) -> Floats:
        """The explicit matrix over all cells, for small workloads and tests."""
        blocks = []
        for term in self.terms:
            rows: Floats = np.ones((1, 1))
            for i, size in enumerate(self.shape):
                factor = term.factor(i, size).matrix()
                rows = np.asarray(np.kron(rows, np.pad(factor, ((0, 0), (0, size - factor.shape[1])))))
            blocks.append(rows)
        return np.concatenate(blocks)

    @cached_property
    def known(self) -> dict[object, dict[tuple[int, ...], float]]:
        """Cache of energies by space (`nested.wanted_of`), keyed by the chains of blocks."""
        return {}

    @cached_property
    def weights(self) -> Floats:
        """The weight of each question."""
        return np.repeat([term.weight for term in self.terms], [term.rows for term in self.terms])


def _summed(table: npt.NDArray[Any], kept: tuple[int, ...]) -> npt.NDArray[Any]:
    """The table summed over all axes except these."""
    away = tuple(i for i in range(table.ndim) if i not in kept)
    return np.asarray(table.sum(axis=away)) if away else table
