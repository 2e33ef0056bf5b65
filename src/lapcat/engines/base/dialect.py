"""SQL dialects: everything that differs between engines.

To add a SQL engine, write a module with a class that satisfies `Dialect`. The SQL of such a class must be total: no value of
a row makes it fail (engines/reference.py specifies the results). If an engine raises on overflow, underflow or a cast, its
class writes a test first; the test repeats its operand, so such a class sets `repeats`, and operands other than columns are
named in an earlier step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from sqlglot import exp

from lapcat.engines.base.words import SQL
from lapcat.plan.expressions import Casing, MoveUnit, Sides
from lapcat.plan.schema import Type, Value

Family = Literal["whole", "wide", "float", "decimal", "text", "boolean", "date", "moment", "null", "other"]
"""Families of physical types: integers of up to 64 bits, wider integers, doubles, decimals, …"""
FloatOperator = Literal["+", "-", "*", "/"]


class Dialect(Protocol):
    """The SQL that differs between engines."""

    @property
    def name(self) -> str:
        """SQLGlot's name for the dialect."""

    @property
    def wide_integer(self) -> str:
        """A type that holds any sum of 64-bit integers."""

    @property
    def small_integer(self) -> str:
        """The type of stored integers below 2^31: the narrowest that `total` sums without overflow."""

    @property
    def index_integer(self) -> str:
        """The type of ranks and row counts in a snapshot."""

    @property
    def physical(self) -> Mapping[Type, str]:
        """The physical type that holds each declared type without conversion."""

    @property
    def materialized(self) -> bool | None:
        """Whether steps of WITH are AS MATERIALIZED, AS NOT MATERIALIZED, or neither (None)."""

    @property
    def hashes_right(self) -> bool:
        """Whether the engine hashes the right side of a join by default."""

    @property
    def repeats(self) -> bool:
        """Whether operands are written more than once and therefore need names."""

    def printed(self, statement: exp.Expression) -> str:
        """The statement as SQL text."""

    def named_step(self, step: exp.Select) -> exp.Select:
        """A step that names values, written so that the engine computes each of them once."""

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        """The rows of a snapshot in storage order: ascending by `by`."""

    # -------------------------------------------------------------------------------------------- stored columns

    def family(self, physical: str) -> Family:
        """The family of a physical type."""

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        """A stored column as its declared type; NULL for a value that does not fit or is NaN. None if no value of the physical
        type fits."""

    def from_text(self, x: SQL, kind: Type) -> SQL:
        """A text as another type: only the strict formats of plan/expressions.py, NULL otherwise."""

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        """Whether a row can hold the value; if not, no comparison is needed."""

    def text(self, value: str) -> SQL:
        """A text constant, compared by code point. Refuses a text that no row can hold."""

    def shown(self, x: SQL) -> SQL:
        """An integer as its decimal text, a date as its ISO text."""

    def flag(self, x: SQL) -> SQL:
        """A boolean as the integer 1 or 0."""

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        """LIKE; the escape character is a backslash, or empty for none."""

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        """A text without the leading or trailing characters that are among these."""

    def cased(self, x: SQL, how: Casing) -> SQL:
        """A text with its ASCII letters in upper or lower case."""

    def position(self, x: SQL, search: SQL) -> SQL:
        """Where a text first occurs in x, from 1; 0 if it does not."""

    def float_operation(self, operator: FloatOperator, x: SQL, y: SQL) -> SQL:
        """An IEEE 754 operation on two doubles: ±inf on overflow, 0 on underflow, NaN where IEEE says so. The divisor is
        never 0."""

    def whole(self, x: SQL) -> SQL:
        """A double with an integer value within 63 bits as that integer; NULL stays."""

    def nearest(self, x: SQL) -> SQL:
        """The nearest integer, ties to even; NULL outside 63 bits and for NaN."""

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        """A double rounded to an integer (`round`: ties away from zero); NULL outside 63 bits and for NaN."""

    def floor(self, x: SQL) -> SQL:
        """⌊x⌋ of a double, as a double."""

    def floor_in_range(self, x: SQL) -> SQL:
        """⌊x⌋ of a double within 63 bits, as a double or an integer."""

    def cut(self, x: SQL) -> SQL:
        """A double within 63 bits, truncated towards zero to an integer."""

    def divided(self, x: SQL, y: SQL) -> SQL:
        """x / y of integers, truncated towards zero; y is positive."""

    def shifted(self, x: SQL, places: int) -> SQL:
        """⌊x / 2^places⌋ of an integer."""

    def part(self, x: SQL, part: str) -> SQL:
        """A part of a date or timestamp as a 64-bit integer."""

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        """A timestamp moved by months, days or seconds within the years 1 to 9999."""

    def truncated(self, x: SQL, span: str) -> SQL:
        """The start of the year, quarter, month, week, day, hour, minute or second of a date or timestamp, as either type."""

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        """The sum, without overflow, of integers within ±reach over the rows for which `where` is true (None: all rows).
        Without a reach, the integers are such sums or counts themselves."""

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        """The minimum or maximum; false is less than true."""

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        """The concatenation of texts; NULL counts as empty."""

    def counted_text(self, x: SQL) -> SQL:
        """A text, preceded by its number of characters and a colon."""

    def digest(self, text: SQL) -> SQL:
        """The MD5 of a text, in an engine-specific form."""

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        """Expressions that order digests as little-endian numbers."""

    def float_text(self, x: SQL) -> SQL:
        """The 64 bits of a double as a signed integer, in decimal; -0.0 counts as 0.0."""

    def microseconds(self, x: SQL) -> SQL:
        """A timestamp as microseconds since 1970."""

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        """The elements of an array parameter as columns `value` and `place` (from 0)."""

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        """Whether a value that is not NULL is an element of an array parameter."""
