"""What one engine spells in its own way: all that differs between engines is said here, and nowhere else.

Another SQL engine is another module with a class that satisfies `Dialect`. What such a class writes must be total: no
value of a row makes it fail (engines/reference.py says what each value is worth). Where an engine raises on overflow,
underflow or a cast, its class writes the test first; a test names its operand again, so such a class sets `repeats`, and
operands that are more than a column get a name in an earlier step before they come here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from sqlglot import exp

from lapcat.engines.sql.words import SQL
from lapcat.plan.schema import Type, Value

Family = Literal["whole", "wide", "float", "decimal", "text", "boolean", "date", "moment", "null", "other"]
"""Physical types by what they can hold: integers of 64 bits and of more, doubles, decimals, …"""
FloatOperator = Literal["+", "-", "*", "/"]


class Dialect(Protocol):
    """The spellings that differ between engines."""

    @property
    def name(self) -> str:
        """SQLGlot's name of the dialect."""

    @property
    def wide_integer(self) -> str:
        """A type that holds every sum of 64-bit integers."""

    @property
    def small_integer(self) -> str:
        """The type of stored integers below 2^31: the narrowest whose sums `total` adds up without overflow."""

    @property
    def index_integer(self) -> str:
        """The type of a rank and of a number of rows in a snapshot."""

    @property
    def physical(self) -> Mapping[Type, str]:
        """The physical types that hold the declared ones as they are."""

    @property
    def materialized(self) -> bool | None:
        """What WITH says of its steps: AS MATERIALIZED, AS NOT MATERIALIZED, or nothing (None)."""

    @property
    def hashes_right(self) -> bool:
        """Whether the right side of a join is hashed unless the engine chooses otherwise."""

    @property
    def repeats(self) -> bool:
        """Whether operands are written more than once, so that they need names."""

    def printed(self, statement: exp.Expression) -> str:
        """The statement as text for the engine."""

    def named_step(self, step: exp.Select) -> exp.Select:
        """A step that gives names to values, such that the engine computes each of them once."""

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        """The rows of a snapshot in the order in which it keeps them: those with little of `by` first."""

    # -------------------------------------------------------------------------------------------- stored columns

    def family(self, physical: str) -> Family:
        """What a physical type can hold."""

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        """A stored column as its declared type, NULL where a value does not fit or is NaN. None where no value of the
        physical type fits."""

    def from_text(self, x: SQL, kind: Type) -> SQL:
        """A text as another type: the strict forms of plan/expressions.py alone, NULL for all else."""

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        """Whether a row can hold the value at all; where none can, nothing has to be compared with it."""

    def text(self, value: str) -> SQL:
        """A constant text of a question, compared by code point. Refused where no row can hold it."""

    def shown(self, x: SQL) -> SQL:
        """An integer as its decimal text, a date as its ISO text."""

    def flag(self, x: SQL) -> SQL:
        """A boolean as the integer 1 or 0."""

    def like(self, x: SQL, pattern: str) -> SQL:
        """LIKE, with no character that escapes another."""

    def trimmed(self, x: SQL) -> SQL:
        """A text without the spaces at its ends."""

    def float_operation(self, operator: FloatOperator, x: SQL, y: SQL) -> SQL:
        """What IEEE 754 says of two doubles: ±inf where it overflows, 0 where it underflows, NaN where it says so. Nothing
        is divided by 0."""

    def whole(self, x: SQL) -> SQL:
        """A double that holds an integer of 63 bits, as that integer; NULL stays."""

    def nearest(self, x: SQL) -> SQL:
        """The integer nearest to a double, halves to even; NULL outside 63 bits and for NaN."""

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        """A double rounded to an integer, by `round` with halves away from zero; NULL outside 63 bits and for NaN."""

    def floor(self, x: SQL) -> SQL:
        """⌊x⌋ of a double, as a double."""

    def floor_in_range(self, x: SQL) -> SQL:
        """⌊x⌋ of a double, where that has 63 bits: as a double, or as an integer."""

    def cut(self, x: SQL) -> SQL:
        """A double that lies within 63 bits, cut towards zero to an integer."""

    def divided(self, x: SQL, y: SQL) -> SQL:
        """x / y of integers towards zero; y is positive."""

    def shifted(self, x: SQL, places: int) -> SQL:
        """⌊x / 2^places⌋ of an integer."""

    def part(self, x: SQL, part: str) -> SQL:
        """A part of a date or timestamp as a 64-bit integer."""

    def truncated(self, x: SQL, span: str) -> SQL:
        """Where the year, quarter, month, week, day or hour of a date or timestamp begins, as either of them."""

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        """The sum, without overflow, of integers that lie within ±reach, over the rows for which `where` is true (None: all
        rows). Where no reach is given, they are such sums, or counts, themselves."""

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        """The least or greatest value; false is less than true."""

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        """Texts one after the other; NULL is an empty one."""

    def counted_text(self, x: SQL) -> SQL:
        """A text after its number of characters and a colon."""

    def digest(self, text: SQL) -> SQL:
        """The MD5 of a text, in a form of the engine's own."""

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        """By what, one after the other, digests are ordered as by the numbers that they are, the last byte being the most
        significant."""

    def float_text(self, x: SQL) -> SQL:
        """The 64 bits of a double as a signed integer, in decimal; -0.0 as the 0.0 that it equals."""

    def microseconds(self, x: SQL) -> SQL:
        """A timestamp as microseconds since 1970."""

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        """The elements of an array parameter as columns `value` and `place`, counted from 0."""

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        """Whether a value that is not NULL is an element of an array parameter."""
