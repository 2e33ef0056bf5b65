"""Functions of dates, in the names and argument orders of several tools.

DATEADD(day, 7, d), DATE_ADD(d, INTERVAL 7 DAY), ADD_MONTHS(d, 3)      moved by an interval
DATEDIFF(day, a, b), DATE_DIFF(b, a, DAY), DATEDIFF(b, a)              boundaries between a and b
TIMESTAMPDIFF(YEAR, a, b), EXTRACT(YEAR FROM AGE(b, a))                whole years from a to b
STRFTIME(d, '%Y-%m'), TO_CHAR(d, 'YYYY-MM'), DAYNAME(d)                a date as text
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, get_args

from sqlglot import exp

from lapcat.errors import Refused
from lapcat.frontend.sql.date_formats import LOCAL, MAX_CODES, pattern_of
from lapcat.frontend.sql.differences import DiffUnit, numbered
from lapcat.frontend.sql.intervals import UNITS, date_of, interval, moved_by, unit_name
from lapcat.frontend.sql.mismatch import a
from lapcat.frontend.sql.remainders import quotient
from lapcat.frontend.sql.scopes import ColumnMeaning
from lapcat.frontend.sql.spellings import CALLED
from lapcat.frontend.sql.synonyms import start_of
from lapcat.plan.calendar import CODES, date_text, days_between, longest_text, pieces
from lapcat.plan.expressions import (
    Arithmetic,
    Case,
    Cast,
    Compare,
    DatePart,
    DateText,
    DateTrunc,
    Expression,
    Literal,
    Logic,
)
from lapcat.plan.schema import Type
from lapcat.plan.words import sql_text

if TYPE_CHECKING:
    from lapcat.frontend.sql.scalars import Scalars

Node = exp.Expression
MOMENTS = (Type.DATE, Type.TIMESTAMP)
ONE = Literal(1, Type.INTEGER)
REWRITING = 100
"""Steps of reading that an operand counts for where it is read several times."""
DIFF_UNITS: tuple[DiffUnit, ...] = get_args(DiffUnit)
_CLASSES: dict[type, tuple[str, tuple[str, ...]]] = {
    exp.AddMonths: ("ADD_MONTHS", ("this", "expression")),
    exp.TimestampAdd: ("TIMESTAMP_ADD", ("this", "expression")),
    exp.DatetimeAdd: ("DATETIME_ADD", ("this", "expression")),
    exp.DateFromParts: ("MAKE_DATE", ("year", "month", "day")),
    exp.LastDay: ("LAST_DAY", ("this",)),
    exp.Dayname: ("DAYNAME", ("this",)),
    exp.Monthname: ("MONTHNAME", ("this",)),
    exp.TimeToStr: ("STRFTIME", ("this", "format")),
    exp.ToChar: ("TO_CHAR", ("this", "format")),
    exp.Date: ("DATE", ("this", "zone")),
    exp.StrToDate: ("TO_DATE", ("this", "format")),
}
"""Functions that SQLGlot knows, and where it puts their arguments."""


def date_call(scalars: Scalars, node: Node, mode: ColumnMeaning) -> Expression | None:
    """The value of a function of dates; None where it is another function."""
    if isinstance(node, exp.Anonymous):
        name = str(node.this).upper()
        return _Call(scalars, node, mode).read(CALLED.get(name, name), node.expressions)
    if isinstance(node, exp.Format) and node.expressions:
        return _Call(scalars, node, mode).read("FORMAT", [node.this, *node.expressions])
    if type(node) in _CLASSES:
        name, keys = _CLASSES[type(node)]
        args = scalars.text.consume(node, *keys)
        return _Call(scalars, node, mode).read(name, [arg for arg in args if isinstance(arg, exp.Expression)])
    return None


def moved_date(scalars: Scalars, node: Node, mode: ColumnMeaning) -> Expression | None:
    """d + INTERVAL 7 DAY; None where no side is an interval."""
    left, right = node.args.get("this"), node.args.get("expression")
    call = _Call(scalars, node, mode)
    if isinstance(node, exp.Add) and isinstance(left, exp.Interval) and isinstance(right, exp.Expression):
        return call.moved(right, left, 1)
    if (
        isinstance(node, (exp.Add, exp.Sub))
        and isinstance(right, exp.Interval)
        and isinstance(left, exp.Expression)
    ):
        return call.moved(left, right, -1 if isinstance(node, exp.Sub) else 1)
    return None


def date_sum(
    scalars: Scalars, node: Node, first: Expression, second: Expression, mode: ColumnMeaning
) -> Expression | None:
    """d + 7, b - a; None where it is not a sum or difference of dates."""
    call, sign = _Call(scalars, node, mode), -1 if isinstance(node, exp.Sub) else 1
    left, right = scalars.parts(node, "this", "expression")
    match first.type, second.type:
        case Type.DATE, Type.INTEGER:
            return call.days_later(first, second, sign)
        case Type.INTEGER, Type.DATE if sign > 0:
            return call.days_later(second, first, sign)
        case (Type.DATE, Type.DATE | Type.TEXT) | (Type.TEXT, Type.DATE) if sign < 0:
            return call.difference("day", right, left)
        case ((Type.DATE | Type.TIMESTAMP), (Type.DATE | Type.TIMESTAMP)) if sign < 0:
            start, end = scalars.text.quoted(right), scalars.text.quoted(left)
            raise scalars.text.unsupported(
                node, "the interval between two timestamps", f"DATE_DIFF('minute', {start}, {end})"
            )
    return None


def age_part(scalars: Scalars, node: Node, part: str, age: Node, mode: ColumnMeaning) -> Expression | None:
    """EXTRACT(YEAR FROM AGE(b, a)): whole years; None for anything else."""
    while isinstance(age, exp.Paren):
        age = age.this
    if not isinstance(age, exp.Anonymous) or str(age.this).upper() != "AGE" or part.casefold() != "year":
        return None
    match age.expressions:
        case [end, start]:
            return _Call(scalars, node, mode).whole("year", start, end)
        case [start]:
            return _Call(scalars, node, mode).whole("year", start, exp.CurrentDate())
    return None


class _Call:
    """One call: the node that errors quote, and what columns mean there."""

    def __init__(self, scalars: Scalars, node: Node, mode: ColumnMeaning) -> None:
        self.scalars, self.node, self.mode = scalars, node, mode

    def read(self, name: str, args: list[Node]) -> Expression | None:
        match name, args:
            case (("DATEADD" | "TIMESTAMPADD" | "DATE_ADD"), [unit, number, date]) if _unit(unit) in UNITS:
                return self.later(date, number, _unit(unit))
            case (
                ("DATE_ADD" | "ADDDATE" | "TIMESTAMP_ADD" | "DATETIME_ADD"),
                [date, exp.Interval() as size],
            ):
                return self.moved(date, size, 1)
            case (
                ("DATE_SUB" | "SUBDATE" | "TIMESTAMP_SUB" | "DATETIME_SUB"),
                [date, exp.Interval() as size],
            ):
                return self.moved(date, size, -1)
            case (("DATE_ADD" | "ADDDATE"), [date, number]):
                return self.later(date, number, "day")
            case (("DATE_SUB" | "SUBDATE"), [date, number]):
                return self.later(date, number, "day", sign=-1)
            case "ADD_MONTHS", [date, number]:
                return self.later(date, number, "month")
            case (("DATEDIFF" | "DATE_DIFF"), [first, second, third]):
                return self.ordered_difference(first, second, third)
            case "DATEDIFF", [end, start]:
                return self.difference("day", start, end)
            case "TIMESTAMPDIFF", [unit, start, end]:
                return self.whole(_unit(unit), start, end)
            case (("DATE_SUB" | "DATESUB"), [unit, start, end]):
                dates = f"{self.scalars.text.quoted(start)}, {self.scalars.text.quoted(end)}"
                raise self.scalars.text.unsupported(
                    self.node,
                    f"{name} of a unit and two dates",
                    f"TIMESTAMPDIFF({unit.name}, {dates}), which is the same but for the last days of months",
                )
            case (("LAST_DAY" | "EOMONTH"), [date]):
                month = DateTrunc("month", _as_date(self.moment(date)), Type.DATE)
                return self.kept(moved_by(month, {"month": 1, "day": -1}, 1))
            case "MAKE_DATE", [year, month, day]:
                return self.made(year, month, day)
            case "DATE", [date]:
                return _as_date(self.moment(date))
            case "DATE", [date, exp.Literal() as step] if step.is_string:
                return self.moved(_as_date(self.moment(date)), exp.Interval(this=step), 1)
            case (("JULIAN" | "JULIANDAY"), [date]):
                return numbered("day", _as_date(self.moment(date)), self.days(date), self.mode)
            case "TO_DATE", [_] | [_, _]:
                return self.to_date(*args)
            case "DAYNAME", [date]:
                return self.text("%A", date)
            case "MONTHNAME", [date]:
                return self.text("%B", date)
            case (
                ("STRFTIME" | "FORMAT_DATE" | "FORMAT_DATETIME" | "FORMAT_TIMESTAMP"),
                [exp.Literal() as written, date],
            ) if "%" in str(written.this):
                return self.formatted("STRFTIME", date, written)
            case (("STRFTIME" | "TO_CHAR" | "DATE_FORMAT" | "FORMAT"), [date, exp.Literal() as written]) if (
                written.is_string
            ):
                return self.formatted(name, date, written)
        return None

    # -------------------------------------------------------------------------------------------- operands

    def moment(self, node: Node, mode: ColumnMeaning | None = None) -> Expression:
        """An operand that is a date or timestamp; constants may be written as texts."""
        is_now = isinstance(node, exp.Literal) and str(node.this).casefold() == "now"
        value = self.scalars.scalar(exp.CurrentDate() if is_now else node, mode or self.mode)
        if isinstance(value, Literal) and value.type is Type.TEXT:
            written = str(value.value).strip()
            value = self.scalars.fitted(node, value, Type.DATE if len(written) <= 10 else Type.TIMESTAMP)
        if value.type not in MOMENTS:
            shown = self.scalars.text.quoted(node)
            fix = (
                f"CAST({shown} AS DATE)"
                if value.type is Type.TEXT
                else "take a column of type date or timestamp"
            )
            raise self.scalars.mismatch(node, "a date or timestamp is expected", a(value.type), fix)
        return value

    def days(self, node: Node) -> tuple[datetime.date, datetime.date] | None:
        """The public bounds of an operand, which a group key or a value is kept within."""
        if self.mode is ColumnMeaning.RAW:
            return None
        silent = type(self.scalars)(self.scalars.text, self.scalars.scope, {}, self.scalars.aggregate)
        return days_between(_Call(silent, self.node, ColumnMeaning.KEY).moment(node))

    def kept(self, moment: Expression | None) -> Expression:
        if moment is None:
            raise self.scalars.mismatch(
                self.node, "this date lies outside the years 1 to 9999", "", "INTERVAL 7 DAY"
            )
        return moment

    # -------------------------------------------------------------------------------------------- moves

    def later(self, date: Node, number: Node, unit: str, sign: int = 1) -> Expression:
        """DATEADD(day, 7, d)."""
        return self.moved(date, exp.Interval(this=number.copy(), unit=exp.Var(this=unit)), sign)

    def moved(self, date: Node | Expression, size: Node, sign: int) -> Expression:
        """d + INTERVAL 7 DAY."""
        steps = interval(size)
        if steps is None:
            raise self.scalars.mismatch(
                self.node,
                "an interval is a constant: a whole number of days, weeks, months, quarters, years, hours, minutes or seconds",
                "",
                "INTERVAL 7 DAY",
            )
        moment = self.moment(date) if isinstance(date, exp.Expression) else date
        return self.kept(moved_by(moment, steps, sign))

    def days_later(self, date: Expression, number: Expression, sign: int) -> Expression:
        """d + 7."""
        if not isinstance(number, Literal) or not isinstance(number.value, int):
            raise self.scalars.text.unsupported(
                self.node,
                "a date moved by a number of days that is not a constant",
                f"{self.scalars.text.quoted(self.node.this)} + 7; or compare a difference: b - a > n",
            )
        return self.kept(moved_by(date, {"day": number.value}, sign))

    # -------------------------------------------------------------------------------------------- differences

    def ordered_difference(self, first: Node, second: Node, third: Node) -> Expression:
        """DATE_DIFF('day', start, end), or BigQuery's DATE_DIFF(end, start, DAY)."""
        leads, ends = (_unit(word).removeprefix("iso") for word in (first, third))
        if leads in UNITS and (ends not in UNITS or isinstance(first, exp.Literal)):
            return self.crossed(leads, second, third)
        if ends in UNITS and leads not in UNITS:
            return self.crossed(ends, second, first)
        raise self.scalars.text.unsupported(
            self.node,
            f"{self.scalars.text.quoted(self.node)}, in which no argument is clearly a unit",
            f"DATE_DIFF('day', start, end), with one of the units week, {', '.join(DIFF_UNITS)}",
        )

    def crossed(self, name: str, start: Node, end: Node) -> Expression:
        """Boundaries between two moments; weeks are seven days, wherever they begin, as in DuckDB."""
        if name == "week":
            self.scalars.text.spend(REWRITING)
            return quotient(lambda: self.difference("day", start, end), 7)
        unit = next((unit for unit in DIFF_UNITS if unit == name), None)
        if unit is None:
            raise self.scalars.text.unsupported(
                self.node,
                f"a difference in {name}s",
                f"DATE_DIFF('year', …), or another of: week, {', '.join(DIFF_UNITS)}",
            )
        return self.difference(unit, start, end)

    def difference(self, unit: DiffUnit, start: Node, end: Node) -> Expression:
        last, first = (numbered(unit, self.moment(side), self.days(side), self.mode) for side in (end, start))
        if isinstance(first, Literal) and isinstance(last, Literal):
            assert isinstance(first.value, int) and isinstance(last.value, int)
            return Literal(last.value - first.value, Type.INTEGER)
        return Arithmetic("-", last, first, Type.INTEGER)

    def whole(self, name: str, start: Node, end: Node) -> Expression:
        """Whole units from one date to another: a year that is not over does not count."""
        first, last = (self.moment(side, ColumnMeaning.RAW) for side in (start, end))
        if first.type is last.type is Type.DATE and name in ("day", "week"):
            return self.crossed(name, start, end)
        if not first.type is last.type is Type.DATE or name not in ("month", "year"):
            shown = ", ".join(self.scalars.text.quoted(side) for side in (start, end))
            raise self.scalars.text.unsupported(
                self.node,
                f"whole {name}s between {a(first.type)} and {a(last.type)}",
                f"DATE_DIFF('{name}', {shown}), which counts the boundaries between them",
            )
        self.scalars.text.spend(REWRITING)
        crossed = self.difference("month" if name == "month" else "year", start, end)
        places = [_place_in(name, moment) for moment in (last, first)]
        early = Logic("and", (Compare(">=", last, first), Compare("<", places[0], places[1])))
        late = Logic("and", (Compare("<", last, first), Compare(">", places[0], places[1])))
        whens = (
            (early, Arithmetic("-", crossed, ONE, Type.INTEGER)),
            (late, Arithmetic("+", crossed, ONE, Type.INTEGER)),
        )
        return Case(whens, crossed, Type.INTEGER)

    def made(self, year: Node, month: Node, day: Node) -> Expression:
        """MAKE_DATE of constants, or of a date's own year and month; synonyms.py has that of other numbers."""
        start = start_of(year, month, day)
        if start is not None:
            return DateTrunc(start[0], _as_date(self.moment(start[1])), Type.DATE)
        date = date_of(*(self.scalars.constant(part).value for part in (year, month, day)))
        if date is None:
            raise self.scalars.mismatch(self.node, "there is no such day", "", "MAKE_DATE(2024, 6, 1)")
        return date

    # -------------------------------------------------------------------------------------------- texts

    def to_date(self, date: Node, written: Node | None = None) -> Expression:
        """TO_DATE('2024-01-31', 'YYYY-MM-DD'): only dates in that form."""
        form = str(written.this) if isinstance(written, exp.Literal) else ""
        patterns = {pattern_of(language, form) for language in ("TO_CHAR", "STRFTIME", "FORMAT")}
        if written is not None and "%Y-%m-%d" not in patterns:
            raise self.scalars.text.unsupported(
                self.node,
                "a date that is not written as 2024-01-31",
                f"CAST({self.scalars.text.quoted(date)} AS DATE), if it is written so",
            )
        value = self.scalars.scalar(date, self.mode)
        if isinstance(value, Literal):
            return _as_date(self.moment(date))
        return Cast(value, Type.DATE) if value.type is Type.TEXT else _as_date(self.moment(date))

    def formatted(self, function: str, date: Node, written: Node) -> Expression:
        pattern = pattern_of(function, str(written.this))
        if pattern is None:
            raise self.scalars.text.unsupported(
                self.node,
                f"the format {sql_text(str(written.this))} in {self.scalars.text.quoted(self.node)}",
                self.other_format(function, self.scalars.text.quoted(date), str(written.this)),
            )
        return self.text(pattern, date)

    def other_format(self, function: str, date: str, written: str) -> str:
        """What DuckDB means by %c, %x and %X; else an example and the codes."""
        spelled = "".join(LOCAL.get(piece, piece) for piece in pieces(written))
        if function == "STRFTIME" and pattern_of(function, spelled) is not None:
            return f"STRFTIME({date}, {sql_text(spelled)}), the same in DuckDB"
        return f"STRFTIME({date}, '%Y-%m'), of at most {MAX_CODES} codes among {' '.join(CODES)}"

    def text(self, pattern: str, date: Node) -> Expression:
        moment = self.moment(date)
        if isinstance(moment, Literal):
            assert isinstance(moment.value, datetime.date)
            return Literal(date_text(pattern, moment.value), Type.TEXT)
        length, max_length = longest_text(pattern), self.scalars.text.work_limits.max_length
        if length > max_length:
            raise Refused(
                "text-too-long",
                f"{self.scalars.text.quoted(self.node)} may have {length} characters; the limit is {max_length} (max_length)",
                why="no column holds a longer text and no expression makes one, so the work per row stays bounded",
                fix=f"shorten the format; or the steward writes max_length = {length} under [limits]",
                place=self.scalars.text.place(self.node),
            )
        return DateText(pattern, moment)


def _as_date(moment: Expression) -> Expression:
    if isinstance(moment, Literal):
        value = moment.value
        assert isinstance(value, datetime.date)
        return date_of(value.year, value.month, value.day) or moment
    return moment if moment.type is Type.DATE else Cast(moment, Type.DATE)


def _place_in(name: str, date: Expression) -> Expression:
    """How far a date is in its month or year; a month has fewer than 32 days."""
    if isinstance(date, Literal):
        assert isinstance(date.value, datetime.date)
        return Literal(date.value.day + 32 * date.value.month * (name == "year"), Type.INTEGER)
    day = DatePart("day", date)
    if name == "month":
        return day
    months = Arithmetic("*", Literal(32, Type.INTEGER), DatePart("month", date), Type.INTEGER)
    return Arithmetic("+", months, day, Type.INTEGER)


def _unit(node: Node) -> str:
    """The unit that an argument names: 'day', DAY or dd; empty for an expression."""
    is_word = isinstance(node, exp.Var) or (isinstance(node, exp.Literal) and node.is_string)
    is_name = isinstance(node, exp.Column) and not node.table
    return unit_name(node.name) if is_word or is_name else ""
