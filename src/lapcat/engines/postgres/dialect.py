"""The PostgreSQL dialect: its physical types, and operations that raise for no value.

PostgreSQL has no TRY_CAST. It raises if a cast does not fit, if an operation on doubles overflows, and if a product or
quotient underflows. So a cast is guarded by a test that passes only texts and numbers that fit, and an operation on doubles
by tests that are true exactly where it would raise; there the IEEE 754 result is written instead.

The planner folds constants before reading rows, in a CASE even those of branches that no row takes. The constants of a
question are evaluated before the statement is written (expressions.py), but a column may still be constant: if a branch of a
UNION ALL selects 0.5, the planner substitutes it for the column. The planner drops a branch whose test is constantly false
before folding anything in it, and FALSE AND … is false. So an expression that reads a single operand and could raise is
guarded by an AND with a conjunct that tests this operand alone.

Texts are compared by their bytes (COLLATE "C"), which in UTF-8 is by code point, regardless of the database's collation.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Sequence
from typing import Literal, assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import Dialect, Family, FloatOperator
from lapcat.engines.base.relation import EPOCH, EPOCH_JULIAN, FIRST_DAY, FIRST_MOMENT, LAST_DAY, LAST_MOMENT
from lapcat.engines.base.words import (
    FLOAT_OPERATORS,
    SQL,
    at_least,
    at_most,
    between,
    binary,
    call,
    case,
    cast,
    constant,
    double,
    equal,
    filtered,
    integer,
    joined,
    less,
    minus,
    name,
    named,
    negated,
    number,
    one_of,
    plus,
    ratio,
    string,
    times,
    wrapped,
)
from lapcat.errors import BadQuery
from lapcat.plan.expressions import FALSE_TEXT, FLOAT_TEXT, INTEGER_TEXT, TRUE_TEXT, Casing, MoveUnit, Sides
from lapcat.plan.schema import SQL_TYPES, Type, Value

WHOLE = ("smallint", "integer", "bigint")
FLOATS = ("real", "double precision")
MOMENTS = ("timestamp without time zone", "timestamp with time zone")
TEXTS = ("text", "character varying", "character", "name", "uuid", "json", "jsonb", "citext", "enum")

PHYSICAL = {
    Type.INTEGER: "bigint",
    Type.FLOAT: "double precision",
    Type.TEXT: "text",
    Type.BOOLEAN: "boolean",
    Type.DATE: "date",
    Type.TIMESTAMP: "timestamp without time zone",
}
INFINITY = double(math.inf)
LOWEST, BEYOND = double(-(2.0**63)), double(2.0**63)
"""Doubles in [LOWEST, BEYOND) are those whose integer part fits into 63 bits and a sign."""
NOT_A_NUMBER = exp.Cast(this=exp.Literal.string("NaN"), to=exp.DataType.build("DECIMAL"))

DAY = (
    "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
)
"""The valid dates of the Gregorian calendar."""
MOMENT = DAY + r"([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?)?"
MAX_NAME_BYTES = 63
"""PostgreSQL truncates longer names and might confuse two columns."""
MAX_ARGUMENTS = 90
"""Maximum number of arguments of a function; PostgreSQL allows 100."""


class PostgresDialect:
    """SQL for PostgreSQL."""

    name = "postgres"
    wide_integer = "DECIMAL"
    small_integer = "BIGINT"
    index_integer = "BIGINT"
    physical = PHYSICAL
    hashes_right = False
    materialized: bool | None = None
    repeats = True

    def printed(self, statement: exp.Expression) -> str:
        """Array parameters are numbered in the order of their names; long names are shortened but stay distinct."""
        statement = statement.copy()
        parameters = sorted({node.name for node in statement.find_all(exp.Parameter)})
        for node in statement.find_all(exp.Parameter):
            node.set("this", number(1 + parameters.index(node.name)))
        for identifier in statement.find_all(exp.Identifier):
            identifier.set("this", short_name(identifier.name))
        return statement.sql(self.name, copy=False)

    def named_step(self, step: exp.Select) -> exp.Select:
        # PostgreSQL would inline the value wherever its name is used; OFFSET prevents that
        return step.offset(0, copy=False)

    def stored_by(self, rows: exp.Select, by: SQL) -> exp.Select:
        return rows.order_by(by, copy=False)

    # -------------------------------------------------------------------------------------------- stored columns

    def family(self, physical: str) -> Family:
        if physical in WHOLE:
            return "whole"
        if physical in FLOATS:
            return "float"
        if physical in TEXTS:
            return "text"
        if physical in MOMENTS:
            return "moment"
        others: dict[str, Family] = {"numeric": "decimal", "boolean": "boolean", "date": "date"}
        return others.get(physical, "other")

    def read(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        match self.family(physical):
            case "whole":
                return self._from_whole(x, physical, kind)
            case "float":
                wide = x if physical == "double precision" else cast(x, "DOUBLE")
                return self._from_float(wide, kind)
            case "decimal":
                return self._from_decimal(x, kind)
            case "text":
                return self.from_text(_by_bytes(x if physical == "text" else cast(x, "TEXT")), kind)
            case "boolean":
                return self._from_boolean(x, kind)
            case "date":
                inside = between(x, constant(FIRST_DAY), constant(LAST_DAY))
                return self._from_moment(x, inside, kind, shown=True)
            case "moment":
                if physical == "timestamp with time zone":
                    x = exp.AtTimeZone(this=wrapped(x), zone=string("UTC"))
                inside = between(x, constant(FIRST_MOMENT), constant(LAST_MOMENT))
                return self._from_moment(x, inside, kind)
        return None

    def _from_whole(self, x: SQL, physical: str, kind: Type) -> SQL | None:
        match kind:
            case Type.INTEGER:
                return x if physical == "bigint" else cast(x, "BIGINT")
            case Type.FLOAT:
                return cast(x, "DOUBLE")
            case Type.TEXT:
                return self.shown(x)
            case Type.BOOLEAN:
                return _one_or_zero(x)
        return None

    def _from_float(self, x: SQL, kind: Type) -> SQL | None:
        match kind:
            case Type.INTEGER:
                whole = equal(x, call("floor", x))
                return case((joined(exp.And, [whole, *_fits(x)]), cast(x, "BIGINT")))
            case Type.FLOAT:
                return call("nullif", x, double(math.nan))
            case Type.BOOLEAN:
                return _one_or_zero(x)
        return None

    def _from_decimal(self, x: SQL, kind: Type) -> SQL | None:
        """A numeric may be NaN or infinite, and may have more digits than a double."""
        match kind:
            case Type.INTEGER:
                inside = between(x, _decimal(-(2**63)), _decimal(2**63 - 1))
                whole = equal(x, call("floor", x))
                return case((joined(exp.And, [inside, whole]), cast(x, "BIGINT")))
            case Type.FLOAT:
                return case((binary(exp.NEQ, x, NOT_A_NUMBER), _double_of_decimal(x, cast(x, "DOUBLE"))))
            case Type.TEXT:
                finite = less(call("abs", x), exp.Cast(this=string("Infinity"), to=NOT_A_NUMBER.args["to"]))
                return case((finite, self.shown(call("trim_scale", x))))  # 1.0 and 1.00 name the same person
            case Type.BOOLEAN:
                return _one_or_zero(x)
        return None

    def _from_boolean(self, x: SQL, kind: Type) -> SQL | None:
        match kind:
            case Type.INTEGER:
                return self.flag(x)
            case Type.FLOAT:
                return cast(self.flag(x), "DOUBLE")
            case Type.TEXT:
                return self.shown(x)
            case Type.BOOLEAN:
                return x
        return None

    def _from_moment(self, x: SQL, inside: SQL, kind: Type, *, shown: bool = False) -> SQL | None:
        match kind:
            case Type.DATE | Type.TIMESTAMP:
                return case((inside, cast(x, SQL_TYPES[kind])))
            case Type.TEXT if shown:
                return case((inside, self.shown(x)))
        return None

    def from_text(self, x: SQL, kind: Type) -> SQL:
        stripped = self.trimmed(x)
        match kind:
            case Type.TEXT:
                return x
            case Type.INTEGER:
                whole = call("split_part", stripped, string("."), number(1))
                return case((_full_match(stripped, INTEGER_TEXT), cast(whole, "BIGINT")))
            case Type.FLOAT:
                return _float_from_text(stripped)
            case Type.BOOLEAN:
                word = call("lower", stripped)
                return case(
                    (one_of(word, map(string, TRUE_TEXT)), exp.true()),
                    (one_of(word, map(string, FALSE_TEXT)), exp.false()),
                )
            case Type.DATE | Type.TIMESTAMP:
                right = _full_match(stripped, DAY if kind is Type.DATE else MOMENT)
                after_year_0 = at_least(stripped, string("0001"))
                return case((joined(exp.And, [right, after_year_0]), cast(stripped, SQL_TYPES[kind])))
            case _:
                assert_never(kind)

    # -------------------------------------------------------------------------------------------- values

    def holds(self, value: Value) -> bool:
        return not (isinstance(value, str) and "\0" in value)

    def text(self, value: str) -> SQL:
        if not self.holds(value):
            raise BadQuery(
                "text-nul",
                "a text in the question contains the character NUL, which PostgreSQL texts cannot contain",
                fix="leave out the condition: no row matches it",
            )
        return _by_bytes(cast(string(value), "TEXT"))

    def shown(self, x: SQL) -> SQL:
        return _by_bytes(cast(x, "TEXT"))

    def flag(self, x: SQL) -> SQL:
        return cast(cast(x, "INTEGER"), "BIGINT")

    def like(self, x: SQL, pattern: str, escape: str) -> SQL:
        self.text(pattern)
        return exp.Escape(this=binary(exp.Like, x, string(pattern)), expression=string(escape))

    def trimmed(self, x: SQL, characters: str = " ", sides: Sides = "both") -> SQL:
        self.text(characters)
        function = {"both": "btrim", "leading": "ltrim", "trailing": "rtrim"}[sides]
        return call(function, x, string(characters))

    def cased(self, x: SQL, how: Casing) -> SQL:
        return call(how, _by_bytes(x))  # of COLLATE "C" only ASCII letters have a case

    def position(self, x: SQL, search: SQL) -> SQL:
        return call("strpos", x, search)

    def float_operation(self, operator: FloatOperator, x: SQL, y: SQL) -> SQL:
        for side, other, turned in ((y, x, False), (x, y, True)):
            fixed = _constant(side)
            if fixed is not None and not (turned and operator == "/"):
                return _with_constant(operator, other, fixed, turned)
        match operator:
            case "+" | "-":
                return _added(x, y, operator)
            case "*":
                return _multiplied(x, y)
            case "/":
                return _quotient(x, y)
            case _:
                assert_never(operator)

    def whole(self, x: SQL) -> SQL:
        return cast(x, "BIGINT")

    def nearest(self, x: SQL) -> SQL:
        return case((joined(exp.And, _fits(x)), cast(x, "BIGINT")))  # rounds to nearest, ties to even

    def rounded(self, how: Literal["floor", "ceil", "round"], x: SQL) -> SQL:
        if (
            how != "round"
        ):  # if x fits, so do its floor and, since no double lies between 2^63 − 1024 and 2^63, its ceiling
            return case((joined(exp.And, _fits(x)), cast(call(how, x), "BIGINT")))
        cut = call("trunc", x)
        half = at_least(call("abs", minus(x, cut)), double(0.5))
        away = case((negated(half), integer(0)), (less(double(0.0), x), integer(1)), otherwise=integer(-1))
        return case((joined(exp.And, _fits(x)), plus(cast(cut, "BIGINT"), away)))

    def floor(self, x: SQL) -> SQL:
        return call("floor", x)

    def floor_in_range(self, x: SQL) -> SQL:
        return call("floor", x)

    def cut(self, x: SQL) -> SQL:
        return cast(call("trunc", x), "BIGINT")

    def divided(self, x: SQL, y: SQL) -> SQL:
        return ratio(x, y)

    def shifted(self, x: SQL, places: int) -> SQL:
        return binary(exp.BitwiseRightShift, x, number(min(places, 63)))

    def part(self, x: SQL, part: str) -> SQL:
        if part == "julian":
            return plus(cast(minus(x, EPOCH), "BIGINT"), integer(EPOCH_JULIAN))
        value = call("date_part", string(part), cast(x, "TIMESTAMP"))
        return cast(call("floor", value) if part == "second" else value, "BIGINT")

    def moved(self, x: SQL, count: int, unit: MoveUnit) -> SQL:
        """MAKE_INTERVAL has years, months, weeks, days, hours, minutes and seconds."""
        place = {"month": 1, "day": 3, "second": 6}[unit]
        return plus(x, call("make_interval", *(number(count if n == place else 0) for n in range(place + 1))))

    def truncated(self, x: SQL, span: str) -> SQL:
        return call("date_trunc", string(span), cast(x, "TIMESTAMP"))

    # -------------------------------------------------------------------------------------------- aggregates

    def total(self, x: SQL, reach: int | None, where: SQL | None = None) -> SQL:
        return filtered(call("sum", x), where)  # the sum of BIGINT is a numeric, which cannot overflow

    def extreme(self, how: Literal["min", "max"], x: SQL, kind: Type) -> SQL:
        if kind is Type.BOOLEAN:
            how_ = "bool_and" if how == "min" else "bool_or"
            return call(how_, x)
        return call(how, x)

    # -------------------------------------------------------------------------------------------- canonical texts

    def concatenated(self, parts: Sequence[SQL]) -> SQL:
        while len(parts) > MAX_ARGUMENTS:
            pieces = range(0, len(parts), MAX_ARGUMENTS)
            parts = [call("concat", *parts[first : first + MAX_ARGUMENTS]) for first in pieces]
        return call("concat", *parts)

    def counted_text(self, x: SQL) -> SQL:
        length = cast(call("length", x), "TEXT")
        return binary(exp.DPipe, binary(exp.DPipe, length, string(":")), x)

    def digest(self, text: SQL) -> SQL:
        return call("decode", call("md5", text), string("hex"))

    def digest_order(self, x: SQL) -> Sequence[SQL]:
        """Two integers of eight bytes each, the last byte first; the first byte of each holds the sign."""
        return [_eight_bytes(x, last) for last in (15, 7)]

    def float_text(self, x: SQL) -> SQL:
        zero = case((equal(x, double(0.0)), double(0.0)), otherwise=x)
        digits = binary(exp.DPipe, string("x"), call("encode", call("float8send", zero), string("hex")))
        bits = exp.Cast(this=digits, to=exp.DataType.build("BIT(64)", dialect="postgres"))
        return cast(cast(bits, "BIGINT"), "TEXT")

    def microseconds(self, x: SQL) -> SQL:
        seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=x)  # a numeric, exact
        return cast(times(seconds, number(1_000_000)), "BIGINT")

    # -------------------------------------------------------------------------------------------- lists

    def listed(self, parameter: str, kind: Type) -> exp.Select:
        values = _array(parameter, kind)
        places = minus(call("generate_subscripts", values, number(1)), number(1))
        return exp.select(
            named(call("unnest", values), "value"), named(cast(places, "BIGINT"), "place"), copy=False
        )

    def is_listed(self, x: SQL, parameter: str, kind: Type) -> SQL:
        return exp.EQ(this=wrapped(x), expression=exp.Any(this=exp.Paren(this=_array(parameter, kind))))


POSTGRES: Dialect = PostgresDialect()


def server_table(schema: str, table: str) -> SQL:
    return exp.Table(this=name(table), db=name(schema))


def short_name(identifier: str) -> str:
    """A name that PostgreSQL does not truncate; distinct names stay distinct."""
    if len(identifier.encode()) <= MAX_NAME_BYTES:
        return identifier
    mark = hashlib.sha256(identifier.encode()).hexdigest()[:16]
    return identifier.encode()[: MAX_NAME_BYTES - 17].decode(errors="ignore") + "~" + mark


def _array(parameter: str, kind: Type) -> SQL:
    return cast(exp.Parameter(this=exp.Var(this=parameter)), f"{_TYPES[kind]}[]")


_TYPES = {**SQL_TYPES, Type.TEXT: "TEXT"}


def _by_bytes(x: SQL) -> SQL:
    return exp.Paren(this=exp.Collate(this=wrapped(x), expression=name("C")))


def _full_match(x: SQL, pattern: str) -> SQL:
    return binary(exp.RegexpLike, x, string(f"^({pattern})$"))


def _one_or_zero(x: SQL) -> SQL:
    return case((equal(x, number(1)), exp.true()), (equal(x, number(0)), exp.false()))


def _fits(x: SQL) -> list[SQL]:
    """Tests that a double's integer part fits into 64 bits; NaN, which sorts above infinity, does not."""
    return [at_least(x, LOWEST), less(x, BEYOND)]


def _decimal(value: int) -> SQL:
    return cast(number(value), "DECIMAL")


def _eight_bytes(x: SQL, last: int) -> SQL:
    """Eight bytes of a digest, read backwards from `last`, as an integer with the same order."""
    total: SQL | None = None
    for position in range(8):
        byte = cast(call("get_byte", x, number(last - position)), "BIGINT")
        if position == 0:
            byte = minus(byte, number(128))
        shifted = byte if position == 7 else binary(exp.BitwiseLeftShift, byte, number(56 - 8 * position))
        total = shifted if total is None else binary(exp.BitwiseOr, total, shifted)
    assert total is not None
    return total


# ------------------------------------------------------------------------------------------------ texts and decimals


def _float_from_text(stripped: SQL) -> SQL:
    """The nearest double. Texts without an exponent have at most 40 digits on each side, which is in range."""
    plain = cast(stripped, "DOUBLE")
    with_exponent = joined(
        exp.And, [binary(exp.RegexpLike, stripped, string("[eE]")), negated(_infinite(stripped))]
    )
    number_ = _double_of_decimal(cast(stripped, "DECIMAL"), plain)
    return case(
        (negated(_full_match(stripped, FLOAT_TEXT)), exp.Null()), (with_exponent, number_), otherwise=plain
    )


def _infinite(stripped: SQL) -> SQL:
    return binary(exp.RegexpLike, stripped, string("[iI]"))


TOO_LARGE = 2**1024 - 2**970
"""Decimals of at least this size round to infinity: midway between the largest double and the next would-be double."""
TOO_SMALL = "0." + str(5**1075).zfill(1075)
"""Decimals up to this size round to zero: half of the smallest double, 2^-1075."""


def _double_of_decimal(x: SQL, plain: SQL) -> SQL:
    """A decimal as the nearest double; `plain` is its cast, which raises if the result is infinite or underflows to 0."""
    size, large = call("abs", x), cast(string(str(TOO_LARGE)), "DECIMAL")
    return case(
        (at_least(x, large), INFINITY),
        (at_most(x, cast(string(str(-TOO_LARGE)), "DECIMAL")), double(-math.inf)),
        (at_most(size, cast(string(TOO_SMALL), "DECIMAL")), double(0.0)),
        otherwise=plain,
    )


# ------------------------------------------------------------------------------------------------ doubles


def _constant(x: SQL) -> float | None:
    """The value of a constant double; None if it is not constant."""
    if isinstance(x, exp.Anonymous) and x.name == "nullif":
        divisor = _constant(x.expressions[0])
        return divisor if divisor != 0 else None
    if isinstance(x, exp.Cast) and isinstance(x.this, exp.Literal) and x.this.is_string:
        try:
            return float(x.this.name)
        except ValueError:
            return None
    if isinstance(x, exp.Cast) and isinstance(x.this, (exp.Cast, exp.Paren)):
        inner = x.this
        if isinstance(inner, exp.Cast) and inner.this.is_int:
            return float(inner.this.to_py())
    return None


IEEE: dict[FloatOperator, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}


def _operation(operator: FloatOperator, x: SQL, y: SQL) -> SQL:
    return ratio(x, y) if operator == "/" else binary(FLOAT_OPERATORS[operator], x, y)


def _with_constant(operator: FloatOperator, x: SQL, fixed: float, turned: bool) -> SQL:
    """x ∘ c or, if turned, c ∘ x. The operations are monotone in |x| or in x, so each end of the range in which they are
    finite and nonzero is one double, computed by bisection."""
    y = double(fixed)
    plain = _operation(operator, y, x) if turned else _operation(operator, x, y)
    if operator == "/" and math.isinf(fixed):  # some versions report an underflow
        return case((less(_size(x), INFINITY), double(0.0)), otherwise=plain)
    if not math.isfinite(fixed) or fixed == 0:
        return plain

    def value(of: float) -> float:
        return IEEE[operator](fixed, of) if turned else IEEE[operator](of, fixed)

    tests: list[tuple[SQL, SQL]] = []
    for sign in (1.0, -1.0):
        last = _last(lambda size: math.isfinite(value(sign * size)))  # noqa: B023
        if last < LARGEST:
            beyond = less(double(last), x) if sign > 0 else less(x, double(-last))
            finite = less(x, INFINITY) if sign > 0 else less(double(-math.inf), x)
            tests.append((joined(exp.And, [beyond, finite]), double(value(sign * LARGEST))))
    if operator in "*/" and value(SMALLEST) == 0:
        gone = _last(lambda size: size == 0 or value(size) == 0)
        tests.append((at_most(call("abs", x), double(gone)), double(0.0)))
    return case(*tests, otherwise=plain) if tests else plain


LARGEST, SMALLEST = math.nextafter(math.inf, 0), math.nextafter(0, 1)


def _last(holds: Callable[[float], bool]) -> float:
    """The largest finite double that satisfies `holds`, which is true at 0 and false beyond its first failure."""
    if holds(LARGEST):
        return LARGEST
    low, high = 0, _order(LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_double_at(middle)) else (low, middle)
    return _double_at(low)


def _order(x: float) -> int:
    """The position of a nonnegative double among all doubles."""
    place: int = struct.unpack(">q", struct.pack(">d", x))[0]
    return place


def _double_at(place: int) -> float:
    x: float = struct.unpack(">d", struct.pack(">q", place))[0]
    return x


def _power(exponent: int) -> SQL:
    return double(2.0**exponent)


def _size(x: SQL) -> SQL:
    return call("abs", x)


def _endless(*parts: SQL) -> SQL:
    """Tests that an operand is infinite or NaN, which sorts above: then nothing overflows or underflows."""
    return joined(exp.Or, [at_least(_size(x), INFINITY) for x in parts])


def _moderate(*parts: SQL) -> SQL:
    """Tests that all operands are within 2^±500, so that products and quotients stay within the range of doubles."""
    return joined(exp.And, [between(_size(x), _power(-500), _power(500)) for x in parts])


def _signed_infinity(x: SQL, y: SQL) -> SQL:
    zero = double(0.0)
    return case((equal(less(zero, x), less(zero, y)), INFINITY), otherwise=double(-math.inf))


def _added(x: SQL, y: SQL, operator: FloatOperator) -> SQL:
    """x + y or x − y.

    Theorem: let x and y be finite, not both within ±2^1022 and both at least 2^900 in size. The sum overflows exactly
             where the sum of their halves is at least 2^1023 in size. If one is below 2^900 it does not overflow. No sum of
             doubles underflows.
    Proof:   such halves are exact, and so is halving the sum's exponent range: RN(x/2 + y/2) = RN(x + y)/2 with an
             unbounded exponent. 2^900 is less than half of the last place of the largest double. A sum of doubles is a
             multiple of the least one, so that it is rounded to 0 only where it is 0.
    """
    plain = _operation(operator, x, y)
    halves = _operation(operator, *(times(z, double(0.5)) for z in (x, y)))
    overflows = at_least(_size(halves), _power(1023))
    infinite = case((less(double(0.0), x), INFINITY), otherwise=double(-math.inf))
    small = joined(exp.And, [at_most(_size(z), _power(1022)) for z in (x, y)])
    one_small = joined(exp.Or, [less(_size(z), _power(900)) for z in (x, y)])
    return case(
        (small, plain), (one_small, plain), (_endless(x, y), plain), (overflows, infinite), otherwise=plain
    )


def _multiplied(x: SQL, y: SQL) -> SQL:
    """x · y.

    Theorem: let x and y be finite and not 0.
             (1) Where both are at least 1 in size, the product overflows exactly where the product of x · 2^-512 and
             y · 2^-512 is at least 1 in size; that product neither overflows nor underflows.
             (2) Where both are below 1 and one is at most 2^-537, let s = |x| · 2^540 and t = |y| · 2^540. The product is
             rounded to 0 exactly where s · t ≤ 32; that product neither overflows nor
             underflows.
             (3) Elsewhere it neither overflows nor underflows.
    Proof:   (1) x · 2^-512 is normal, hence exact, and lies within 2^-512 .. 2^512 (1 − 2^-53). The product of two such is
             at least 2^-1024, which is a double, and below 2^1024 (1 − 2^-53), the largest one. Rounding commutes with
             scaling: where the scaled product is at least 1/2 it is normal.
             (2) Half of the least double is 2^-1075, and a tie goes to 0, which is even: RN(x · y) = 0 exactly where
             |x · y| ≤ 2^-1075, that is s · t ≤ 2^(1080 − 1075). s and t are normal, hence exact: 2^-534 ≤ s < 2^540.
             2^-1068 ≤ s · t < 2^540 · 2^3, within the range of doubles and not rounded to 0.
             (3) Where one is at least 1 and the other below, the product lies between the two. Where both are below 1 and
             above 2^-537, it is above 2^-1074.
    """
    plain, unity, zero = times(x, y), double(1.0), double(0.0)
    scaled = times(*(times(z, _power(-512)) for z in (x, y)))
    overflows = at_least(_size(scaled), unity)
    large = joined(exp.And, [at_least(_size(z), unity) for z in (x, y)])
    below = joined(exp.And, [less(_size(z), unity) for z in (x, y)])
    tiny = joined(exp.Or, [at_most(_size(z), _power(-537)) for z in (x, y)])
    gone = _at_most_32(*(times(_size(z), _power(540)) for z in (x, y)))
    nothing = joined(exp.Or, [equal(x, zero), equal(y, zero)])
    return case(
        (_moderate(x, y), plain),
        (joined(exp.Or, [nothing, _endless(x, y)]), plain),
        (large, case((overflows, _signed_infinity(x, y)), otherwise=plain)),
        (joined(exp.And, [below, tiny]), case((gone, zero), otherwise=plain)),
        otherwise=plain,
    )


def _at_most_32(s: SQL, t: SQL) -> SQL:
    """Whether s · t ≤ 32, where 2^-534 ≤ s, t < 2^540 and s · t < 2^543: by the double nearest to s · t, and where that is 32
    itself, by the sign of its error. Rounding is monotone, and 32 a double."""
    product, limit = times(s, t), double(32.0)
    tie = at_most(_error(s, t), double(0.0))
    return case((equal(product, limit), tie), otherwise=less(product, limit))


def _error(s: SQL, t: SQL) -> SQL:
    """s · t − 32, where the double nearest to s · t is 32.

    Theorem: with s = s₁ + s₂ and t = t₁ + t₂, Veltkamp's halves of 26 bits and a sign, all of this is exact, and nothing
             overflows or underflows: ((s₁t₁ − 32) + s₁t₂ + s₂t₁) + s₂t₂.
    Proof:   Dekker's product, which is exact where none of the four underflows. s₂ is 0 or at least 2^-53 of s, and s₁ is at
             least half of s; the same holds of t. So each product is 0 because one factor is, or at least 32 · 2^-107 in
             size. The splitting multiplies by 2^27 + 1, and stays below 2^568.
    """

    def high(a: SQL) -> SQL:
        wide = times(a, double(2.0**27 + 1))
        return minus(wide, minus(wide, a))

    def low(a: SQL) -> SQL:
        return minus(a, high(a))

    first = minus(times(high(s), high(t)), double(32.0))
    return plus(plus(plus(first, times(high(s), low(t))), times(low(s), high(t))), times(low(s), low(t)))


def _quotient(x: SQL, y: SQL) -> SQL:
    """x / y, where y is not 0.

    Theorem: let x be finite and not 0, y finite, and one not within 2^±500.
             (1) Where |x| ≥ 2^-60 and |y| < 1, the quotient overflows exactly where that of x · 2^-550 and y · 2^550 is at
             least 2^-76 in size; that quotient neither overflows nor underflows.
             (2) Where |x| < 2^-50 and |y| ≥ 2, it is rounded to 0 exactly where |x| · 2^1000 ≤ |y| · 2^-75.
             (3) Elsewhere it neither overflows nor underflows.
    Proof:   (1) |x| > 2^500 or |y| < 2^-500, so that 2^440 ≤ |x / y| < 2^2098, and the scaled quotient, which is less by
             2^1100, is normal. So are x · 2^-550 ≥ 2^-610 and 2^-524 ≤ |y| · 2^550 < 2^550, hence exact. Rounding commutes
             with scaling, and 2^1024 · 2^-1100 = 2^-76.
             (2) RN(x / y) = 0 exactly where |x| · 2^1075 ≤ |y|, as for products; both sides are normal, hence exact.
             (3) Where |x| ≥ 2^-60 and |y| ≥ 1, it is at most |x|, and above 2^-1074 if |x| ≥ 2^-50; if |x| is less than that,
             |y| is below 2, and it is above 2^-1075. Where |x| < 2^-60 and |y| < 1, it is at least |x| and below 2^1014; where
             |x| < 2^-60 and 1 ≤ |y| < 2, it is at most |x| and above 2^-1075. What is above 2^-1075 is not rounded to 0.
    """
    plain, zero = ratio(x, y), double(0.0)
    large = joined(exp.And, [at_least(_size(x), _power(-60)), less(_size(y), double(1.0))])
    scaled = ratio(times(x, _power(-550)), times(y, _power(550)))
    small = joined(exp.And, [less(_size(x), _power(-50)), at_least(_size(y), double(2.0))])
    gone = at_most(times(_size(x), _power(1000)), times(_size(y), _power(-75)))
    finite = less(_size(x), INFINITY)
    return case(
        (_moderate(x, y), plain),
        (joined(exp.And, [finite, equal(_size(y), INFINITY)]), zero),
        (joined(exp.Or, [equal(x, zero), _endless(x, y)]), plain),
        (large, case((at_least(_size(scaled), _power(-76)), _signed_infinity(x, y)), otherwise=plain)),
        (small, case((gone, zero), otherwise=plain)),
        otherwise=plain,
    )
