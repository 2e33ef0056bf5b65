"""What a row adds to a sum where rows are weighted, as SQL; and what each row adds where a snapshot holds it already.

`refresh` writes what one row counts for, and for each declared number what it adds to a sum of it, weighted for the limit
and on the grid that the catalogue declares (docs/decisions/0010). A question takes such a column only where its own limit
and grid are those; any other is computed from the row, so that no change of the catalogue makes a stored integer wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.engines.sql.dialect import Dialect
from lapcat.engines.sql.expressions import Code, Writer
from lapcat.engines.sql.grids import lattice_of, on_grid
from lapcat.engines.sql.words import SQL, cast, double, integer, minus, ratio, times
from lapcat.errors import Bug
from lapcat.plan.bounding import UNIT_WEIGHT
from lapcat.plan.expressions import Clamp, Coalesce, Column, Expression, Literal
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Grid, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Type
from lapcat.stored.digest import identity_of

WEIGHT = "_lapcat_weight"
"""The column of a snapshot that says for how many steps a row counts."""
SUM = "_lapcat_weighed_"
"""Before a column's name: the column that says what a row adds to a sum of it."""
LARGEST_LIMIT = 2**30
"""Beyond, a weighed integer might not fit into 63 bits."""


def weighted_value(writer: Writer, value: Expression, grid: Grid, max_rows: int, size: SQL) -> Code:
    """What a row adds to a weighed sum; NULL where it adds nothing."""
    reach, centre = max(abs(grid.low), abs(grid.high)), grid.centre_steps
    small = divides_as_double(reach + abs(centre), max_rows)
    x = on_grid(writer, value, grid, whole=not small)
    shift = double(float(centre)) if small else integer(centre)
    row = minus(x.sql, shift) if centre else x.sql
    return Code(weighted(row, max_rows, size, small, writer.dialect), x.step)


def centred_value(writer: Writer, value: Expression, grid: Grid) -> Code:
    """What a row that is a unit of its own adds to a sum; NULL where it adds nothing."""
    x = on_grid(writer, value, grid)
    return Code(minus(x.sql, integer(grid.centre_steps)), x.step) if grid.centre_steps else x


def weighted_unit(one: int, max_rows: int, size: SQL, dialect: Dialect) -> SQL:
    """How many steps a row counts for."""
    return weighted(integer(one), max_rows, size, divides_as_double(one, max_rows), dialect)


def divides_as_double(reach: int, max_rows: int) -> bool:
    """Whether whole numbers within ±reach may be weighed as doubles.

    Theorem: for whole numbers |a| ≤ 2^52 and 1 ≤ b ≤ 2^32 the double nearest to a/b, cut towards zero, is a/b cut
             towards zero; processors divide doubles several times as fast as 64-bit integers.
    Proof:   let k ≤ a/b < k + 1, a ≥ 0. Rounding is monotone and k a double, so the result is at least k. It is
             k + 1 only if a/b lies within (k + 1) · 2^-53 of it; but a/b ≤ k + 1 − 1/b, and (k + 1) · b ≤ a + b
             < 2^53. Below zero the same holds by symmetry.
    """
    return reach * max_rows <= 2**52


def weighted(x: SQL, max_rows: int, size: SQL, as_double: bool, dialect: Dialect) -> SQL:
    """x · max_rows / size towards zero; size is at least max_rows."""
    if max_rows > LARGEST_LIMIT:
        raise Bug("grid-range", "a weighed integer does not fit into 63 bits")
    if not as_double:
        return dialect.divided(times(x, integer(max_rows)), size)
    share = ratio(times(cast(x, "DOUBLE"), double(float(max_rows))), cast(size, "DOUBLE"))
    return dialect.cut(share)


# ------------------------------------------------------------------------------------------------ written by refresh


@dataclass(frozen=True, slots=True)
class Ready:
    """Integers that a snapshot holds already: of which sums (by the names of their columns), and, where they are weighted, for
    which limit and of how many steps a whole row."""

    max_rows: int | None
    """None: each row is a unit, and nothing is weighted."""
    unit_weight: int
    sums: Mapping[str, Statistic]

    def weight(self, one: int) -> str | None:
        """The column of what a row counts for; None where it must be computed."""
        return WEIGHT if one == self.unit_weight else None

    def sum_of(self, value: Expression, grid: Grid) -> str | None:
        """The column of what a row adds to a sum; None where it must be computed."""
        for name, held in self.sums.items():
            assert held.value is not None and held.grid is not None
            if held.grid.centre == grid.centre and lattice_of(held.value, held.grid) == lattice_of(
                value, grid
            ):
                return SUM + name
        return None

    def stored(self, names: Sequence[str]) -> list[str]:
        """The columns of integers that only these columns of the plan are needed for."""
        weight = [] if self.max_rows is None else [WEIGHT]
        return [*weight, *(SUM + name for name in names if name in self.sums)]

    def header(self) -> dict[str, object]:
        """All that the integers depend on besides the rows."""
        return {
            "most": self.max_rows,
            "one": self.unit_weight,
            "sums": {name: identity_of(s) for name, s in self.sums.items()},
        }

    def as_written(self, header: Mapping[str, object]) -> Ready | None:
        """What of this a snapshot with such a header does hold."""
        here, written = self.header(), header.get("sums")
        if not isinstance(written, dict) or any(here[part] != header.get(part) for part in ("most", "one")):
            return None
        return Ready(
            self.max_rows,
            self.unit_weight,
            {n: s for n, s in self.sums.items() if written.get(n) == identity_of(s)},
        )

    def columns(self, writer: Writer, size: SQL) -> dict[str, Code]:
        """Each as `refresh` writes it, in the narrowest type: half as wide is read in half the time."""
        narrow, found = writer.dialect.small_integer, {}
        if self.max_rows is not None:
            found[WEIGHT] = Code(
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
            found[SUM + name] = Code(cast(code.sql, narrow if small else "BIGINT"), code.step)
        return found


def declared_ready(specs: Sequence[ColumnSpec], max_rows: int | None) -> Ready | None:
    """What is written for a limit (None: each row is a unit) and the declared bounds of numbers: the sums that averages are made
    of."""
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
