"""What a row adds to a sum where rows are weighed, as SQL; and what each row adds where a snapshot holds it already.

`refresh` writes what one row counts for, and for each declared number what it adds to a sum of it, weighed for the limit
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
from lapcat.plan.bounding import WEIGHED_ONE
from lapcat.plan.expressions import Clamp, Coalesce, Column, Expression, Literal
from lapcat.plan.grids import sum_statistic
from lapcat.plan.nodes import Grid, Statistic
from lapcat.plan.schema import ColumnSpec, Interval, Type

WEIGHT = "_lapcat_weight"
"""The column of a snapshot that says for how many steps a row counts."""
SUM = "_lapcat_weighed_"
"""Before a column's name: the column that says what a row adds to a sum of it."""
LARGEST_LIMIT = 2**30
"""Beyond, a weighed integer might not fit into 63 bits."""


def weighed_value(writer: Writer, value: Expression, grid: Grid, most: int, size: SQL) -> Code:
    """What a row adds to a weighed sum; NULL where it adds nothing."""
    reach, centre = max(abs(grid.low), abs(grid.high)), grid.centre_steps
    small = divides_as_double(reach + abs(centre), most)
    x = on_grid(writer, value, grid, whole=not small)
    shift = double(float(centre)) if small else integer(centre)
    row = minus(x.sql, shift) if centre else x.sql
    return Code(weighed(row, most, size, small, writer.dialect), x.step)


def centred_value(writer: Writer, value: Expression, grid: Grid) -> Code:
    """What a row that is a unit of its own adds to a sum; NULL where it adds nothing."""
    x = on_grid(writer, value, grid)
    return Code(minus(x.sql, integer(grid.centre_steps)), x.step) if grid.centre_steps else x


def weighed_one(one: int, most: int, size: SQL, dialect: Dialect) -> SQL:
    """How many steps a row counts for."""
    return weighed(integer(one), most, size, divides_as_double(one, most), dialect)


def divides_as_double(reach: int, most: int) -> bool:
    """Whether whole numbers within ±reach may be weighed as doubles.

    Theorem: for whole numbers |a| ≤ 2^52 and 1 ≤ b ≤ 2^32 the double nearest to a/b, cut towards zero, is a/b cut
             towards zero; processors divide doubles several times as fast as 64-bit integers.
    Proof:   let k ≤ a/b < k + 1, a ≥ 0. Rounding is monotone and k a double, so the result is at least k. It is
             k + 1 only if a/b lies within (k + 1) · 2^-53 of it; but a/b ≤ k + 1 − 1/b, and (k + 1) · b ≤ a + b
             < 2^53. Below zero the same holds by symmetry.
    """
    return reach * most <= 2**52


def weighed(x: SQL, most: int, size: SQL, as_double: bool, dialect: Dialect) -> SQL:
    """x · most / size towards zero; size is at least `most`."""
    if most > LARGEST_LIMIT:
        raise Bug("grid-range", "a weighed integer does not fit into 63 bits")
    if not as_double:
        return dialect.divided(times(x, integer(most)), size)
    share = ratio(times(cast(x, "DOUBLE"), double(float(most))), cast(size, "DOUBLE"))
    return dialect.cut(share)


# ------------------------------------------------------------------------------------------------ written by refresh


@dataclass(frozen=True, slots=True)
class Ready:
    """Integers that a snapshot holds already: of which sums (by the names of their columns), and, where they are weighed, for
    which limit and of how many steps a whole row."""

    most: int | None
    """None: each row is a unit, and nothing is weighed."""
    one: int
    sums: Mapping[str, Statistic]

    def weight(self, one: int) -> str | None:
        """The column of what a row counts for; None where it must be computed."""
        return WEIGHT if one == self.one else None

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
        weight = [] if self.most is None else [WEIGHT]
        return [*weight, *(SUM + name for name in names if name in self.sums)]

    def header(self) -> dict[str, object]:
        """All that the integers depend on besides the rows."""
        return {"most": self.most, "one": self.one, "sums": {name: repr(s) for name, s in self.sums.items()}}

    def as_written(self, header: Mapping[str, object]) -> Ready | None:
        """What of this a snapshot with such a header does hold."""
        here, written = self.header(), header.get("sums")
        if not isinstance(written, dict) or any(here[part] != header.get(part) for part in ("most", "one")):
            return None
        return Ready(self.most, self.one, {n: s for n, s in self.sums.items() if written.get(n) == repr(s)})

    def columns(self, writer: Writer, size: SQL) -> dict[str, Code]:
        """Each as `refresh` writes it, in the narrowest type: half as wide is read in half the time."""
        narrow, found = writer.dialect.small_integer, {}
        if self.most is not None:
            found[WEIGHT] = Code(cast(weighed_one(self.one, self.most, size, writer.dialect), narrow))
        for name, held in self.sums.items():
            value, grid = held.value, held.grid
            assert value is not None and grid is not None
            code = (
                centred_value(writer, value, grid)
                if self.most is None
                else weighed_value(writer, value, grid, self.most, size)
            )
            small = max(abs(grid.low), abs(grid.high)) < 2**31
            found[SUM + name] = Code(cast(code.sql, narrow if small else "BIGINT"), code.step)
        return found


def declared_ready(specs: Sequence[ColumnSpec], most: int | None) -> Ready | None:
    """What is written for a limit (None: each row is a unit) and the declared bounds of numbers: the sums that averages are made
    of."""
    if most is not None and most > LARGEST_LIMIT:
        return None
    bounded = [spec for spec in specs if isinstance(spec.bounds, Interval)]
    if most is None and not bounded:
        return None
    return Ready(most, WEIGHED_ONE, {s.name: _declared_sum(s, weighed=most is not None) for s in bounded})


def _declared_sum(spec: ColumnSpec, *, weighed: bool) -> Statistic:
    assert isinstance(spec.bounds, Interval)

    def constant(number: Fraction) -> Literal:
        return Literal(int(number) if spec.type is Type.INTEGER else float(number), spec.type)

    value: Expression = Column(spec.name, spec.type)
    if spec.null is not None:
        value = Coalesce(value, constant(spec.null), spec.type)
    clamped = Clamp(value, constant(spec.bounds.low), constant(spec.bounds.high), spec.type)
    return sum_statistic(clamped, None, centred=True, weighed=weighed)
