"""SQL for the contribution of weighted rows to sums, and the contributions that a snapshot holds precomputed.

`refresh` writes the weight of each row, and for each declared number the row's contribution to its sum, for the limit and the
grid that the catalogue declares (docs/decisions/0010). A question uses such a column only if its own limit and grid are the
same; otherwise it computes from the row, so a change of the catalogue never makes a stored integer wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.expressions import Code, Writer
from lapcat.engines.base.grids import lattice_of, on_grid
from lapcat.engines.base.words import SQL, cast, double, integer, minus, ratio, times
from lapcat.errors import Bug
from lapcat.plan.bounding import UNIT_WEIGHT
from lapcat.plan.expressions import Clamp, Coalesce, Column, Expression, Literal
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Grid, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Type
from lapcat.stored.digest import identity_of

WEIGHT = "_lapcat_weight"
"""Snapshot column: the weight of a row, in steps."""
SUM = "_lapcat_weighed_"
"""Prefix of a snapshot column: the contribution of a row to the sum of the named column."""
LARGEST_LIMIT = 2**30
"""Above this, a weighted integer might not fit into 63 bits."""


def weighted_value(writer: Writer, value: Expression, grid: Grid, max_rows: int, size: SQL) -> Code:
    """The contribution of a row to a weighted sum; NULL if it adds nothing."""
    reach, centre = max(abs(grid.low), abs(grid.high)), grid.centre_steps
    small = divides_as_double(reach + abs(centre), max_rows)
    x = on_grid(writer, value, grid, whole=not small)
    shift = double(float(centre)) if small else integer(centre)
    row = minus(x.sql, shift) if centre else x.sql
    return Code(weighted(row, max_rows, size, small, writer.dialect), x.step)


def centred_value(writer: Writer, value: Expression, grid: Grid) -> Code:
    """The contribution of a row to a sum if each row is a unit; NULL if it adds nothing."""
    x = on_grid(writer, value, grid)
    return Code(minus(x.sql, integer(grid.centre_steps)), x.step) if grid.centre_steps else x


def weighted_unit(unit_weight: int, max_rows: int, size: SQL, dialect: Dialect) -> SQL:
    """The weight of a row, in steps."""
    return weighted(integer(unit_weight), max_rows, size, divides_as_double(unit_weight, max_rows), dialect)


def divides_as_double(reach: int, max_rows: int) -> bool:
    """Whether integers within ±reach can be weighted as doubles.

    Theorem: for whole numbers |a| ≤ 2^52 and 1 ≤ b ≤ 2^32 the double nearest to a/b, cut towards zero, is a/b cut
             towards zero; processors divide doubles several times as fast as 64-bit integers.
    Proof:   let k ≤ a/b < k + 1, a ≥ 0. Rounding is monotone and k a double, so the result is at least k. It is
             k + 1 only if a/b lies within (k + 1) · 2^-53 of it; but a/b ≤ k + 1 − 1/b, and (k + 1) · b ≤ a + b
             < 2^53. Below zero the same holds by symmetry.
    """
    return reach * max_rows <= 2**52


def weighted(x: SQL, max_rows: int, size: SQL, as_double: bool, dialect: Dialect) -> SQL:
    """x · max_rows / size, truncated towards zero; size is at least max_rows."""
    if max_rows > LARGEST_LIMIT:
        raise Bug("grid-range", "a weighted integer does not fit into 63 bits")
    if not as_double:
        return dialect.divided(times(x, integer(max_rows)), size)
    share = ratio(times(cast(x, "DOUBLE"), double(float(max_rows))), cast(size, "DOUBLE"))
    return dialect.cut(share)


# ------------------------------------------------------------------------------------------------ written by refresh


@dataclass(frozen=True, slots=True)
class Ready:
    """Precomputed integers of a snapshot: the sums they belong to, by column name, and, if weighted, the contribution bound and
    the weight of a full row in steps."""

    max_rows: int | None
    """The contribution bound; None if each row is a unit and nothing is weighted."""
    unit_weight: int
    sums: Mapping[str, Statistic]

    def weight(self, unit_weight: int) -> str | None:
        """The column of row weights; None if they must be computed."""
        return WEIGHT if unit_weight == self.unit_weight else None

    def sum_of(self, value: Expression, grid: Grid) -> str | None:
        """The column of contributions to a sum; None if they must be computed."""
        for name, held in self.sums.items():
            assert held.value is not None and held.grid is not None
            if held.grid.centre == grid.centre and lattice_of(held.value, held.grid) == lattice_of(
                value, grid
            ):
                return SUM + name
        return None

    def stored(self, names: Sequence[str]) -> list[str]:
        """The precomputed columns for these columns of the plan."""
        weight = [] if self.max_rows is None else [WEIGHT]
        return [*weight, *(SUM + name for name in names if name in self.sums)]

    def header(self) -> dict[str, object]:
        """Everything besides the rows on which the integers depend."""
        return {
            "most": self.max_rows,
            "one": self.unit_weight,
            "sums": {name: identity_of(s) for name, s in self.sums.items()},
        }

    def as_written(self, header: Mapping[str, object]) -> Ready | None:
        """The part of this that a snapshot with the given header holds."""
        here, written = self.header(), header.get("sums")
        if not isinstance(written, dict) or any(here[part] != header.get(part) for part in ("most", "one")):
            return None
        return Ready(
            self.max_rows,
            self.unit_weight,
            {n: s for n, s in self.sums.items() if written.get(n) == identity_of(s)},
        )

    def columns(self, writer: Writer, size: SQL) -> dict[str, Code]:
        """The columns as `refresh` writes them, in the narrowest type: half the width takes half the time to read."""
        narrow, codes = writer.dialect.small_integer, {}
        if self.max_rows is not None:
            codes[WEIGHT] = Code(
                cast(weighted_unit(self.unit_weight, self.max_rows, size, writer.dialect), narrow)
            )
        for name, held in self.sums.items():
            value, grid = held.value, held.grid
            assert value is not None and grid is not None
            code = (
                centred_value(writer, value, grid)
                if self.max_rows is None
                else weighted_value(writer, value, grid, self.max_rows, size)
            )
            small = max(abs(grid.low), abs(grid.high)) < 2**31
            codes[SUM + name] = Code(cast(code.sql, narrow if small else "BIGINT"), code.step)
        return codes


def declared_ready(specs: Sequence[ColumnSpec], max_rows: int | None) -> Ready | None:
    """The precomputed integers for a contribution bound (None: each row is a unit) and the declared bounds of numbers: the sums that
    averages use."""
    if max_rows is not None and max_rows > LARGEST_LIMIT:
        return None
    bounded = [spec for spec in specs if isinstance(spec.bounds, Bounds)]
    if max_rows is None and not bounded:
        return None
    return Ready(
        max_rows, UNIT_WEIGHT, {s.name: _declared_sum(s, weighted=max_rows is not None) for s in bounded}
    )


def _declared_sum(spec: ColumnSpec, *, weighted: bool) -> Statistic:
    assert isinstance(spec.bounds, Bounds)

    def constant(number: Fraction) -> Literal:
        return Literal(int(number) if spec.type is Type.INTEGER else float(number), spec.type)

    value: Expression = Column(spec.name, spec.type)
    if spec.null is not None:
        value = Coalesce(value, constant(spec.null), spec.type)
    clamped = Clamp(value, constant(spec.bounds.low), constant(spec.bounds.high), spec.type)
    return sum_statistic(clamped, None, centred=True, weighted=weighted)
