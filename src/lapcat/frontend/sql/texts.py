"""Functions of texts: UPPER, TRIM, SUBSTRING, LENGTH, CONCAT, POSITION, REPLACE, SPLIT_PART, and LIKE.

A text is made only of a column's own and of constants, with at most `max_length` characters, and a constant that is searched
for has at most `like_length`: the work per row is bounded by public numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lapcat.errors import Refused
from lapcat.frontend.sql.mismatch import a, as_text
from lapcat.frontend.sql.scopes import ColumnMeaning
from lapcat.frontend.sql.text import flattened
from lapcat.plan.expressions import (
    AsciiCase,
    Case,
    Casing,
    Cast,
    Clamp,
    Coalesce,
    Concat,
    Expression,
    Length,
    Like,
    Literal,
    Not,
    Position,
    Replace,
    Sides,
    SplitPart,
    Substring,
    Trim,
    columns_of,
)
from lapcat.plan.like import plain, signs, wildcards
from lapcat.plan.released.vectors import evaluate, listed
from lapcat.plan.schema import Type
from lapcat.plan.texts import cased
from lapcat.plan.words import sql_text

if TYPE_CHECKING:
    from lapcat.frontend.sql.scalars import Scalars

PATTERNS = (exp.Like, exp.ILike, exp.Escape)
FUNCTIONS = (
    exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.SplitPart, exp.Length, exp.StrPosition,
    exp.Concat, exp.ConcatWs, exp.DPipe, exp.Replace,
)  # fmt: skip
LAST_PLACE = 2**31 - 1
"""The greatest position that every engine takes; no text is that long."""


def text_function(scalars: Scalars, node: exp.Expression, mode: ColumnMeaning) -> Expression:
    """One of FUNCTIONS; a constant if it reads no column."""
    made = TextReader(scalars, mode).read(node)
    if next(columns_of(made), None) is not None:
        return made
    (value,) = listed(evaluate(made, {}), 1)
    return made if value is None else Literal(value, made.type)


class TextReader:
    """Translates functions of texts, whose columns are read in one mode."""

    def __init__(self, scalars: Scalars, mode: ColumnMeaning) -> None:
        self.scalars, self.text, self.mode = scalars, scalars.text, mode
        self.max_length = self.text.work_limits.max_length

    def read(self, node: exp.Expression) -> Expression:
        match node:
            case exp.Upper() | exp.Lower():
                return in_case(
                    "upper" if isinstance(node, exp.Upper) else "lower",
                    self.operand(self.scalars.inner(node)),
                )
            case exp.Trim():
                return self.trim(node)
            case exp.Substring():
                return self.substring(node)
            case exp.Left() | exp.Right():
                this, number = self.scalars.parts(node, "this", "expression")
                operand, count = self.operand(this), self.whole(node, number, 0)
                if isinstance(node, exp.Right) and count:
                    return Substring(operand, -count, None)
                return Substring(operand, 1, count)
            case exp.SplitPart():
                this, separator, number = self.scalars.parts(node, "this", "delimiter", "part_index")
                cut, place = self.searched(separator), self.whole(node, number, 1)
                if not cut:
                    raise self.scalars.mismatch(
                        separator,
                        "a separator is not empty",
                        "",
                        f"SUBSTRING({self.text.quoted(this)}, {place}, 1)",
                    )
                return SplitPart(self.operand(this), cut, place)
            case exp.Length():
                return self.bounded(Length(self.operand(self.scalars.inner(node))))
            case exp.StrPosition():
                this, wanted = self.scalars.parts(node, "this", "substr")
                return self.bounded(Position(self.operand(this), self.searched(wanted)))
            case exp.Replace():
                this, old, new = self.scalars.parts(node, "this", "expression", "replacement")
                changed, search, replacement = self.operand(this), self.searched(old), self.constant(new)
                return Replace(changed, search, replacement, self.max_length) if search else changed
            case exp.DPipe():
                return self.concatenated([self.shown(part) for part in flattened(node, exp.DPipe)])
            case exp.ConcatWs():  # a kind of Concat to SQLGlot
                return self.separated(*self.listed(node))
            case exp.Concat():
                return self.concatenated([or_empty(self.shown(part)) for part in self.listed(node)])
        raise self.scalars.no_rule(node)

    # -------------------------------------------------------------------------------------------- operands

    def listed(self, node: exp.Expression) -> list[exp.Expression]:
        parts, _ = self.text.consume(node, "expressions", "coalesce")
        if not isinstance(parts, list) or not parts:
            raise self.text.missing(node)
        return parts

    def operand(self, node: exp.Expression) -> Expression:
        """A text."""
        expression = self.scalars.scalar(node, self.mode)
        if expression.type is not Type.TEXT:
            fix = as_text(self.text.quoted(node), expression.type)
            raise self.scalars.mismatch(node, "a text is expected", a(expression.type), fix)
        return expression

    def shown(self, node: exp.Expression) -> Expression:
        """A text, or another value as its text."""
        expression = self.scalars.scalar(node, self.mode)
        made = as_a_text(expression)
        if made is None:
            fix = as_text(self.text.quoted(node), expression.type)
            raise self.scalars.mismatch(node, "a text is expected", a(expression.type), fix)
        return made

    def constant(self, node: exp.Expression) -> str:
        constant = self.scalars.constant(node)
        if not isinstance(constant.value, str):
            raise self.scalars.mismatch(
                node, "a text is expected", a(constant.type), sql_text(str(constant.value))
            )
        return constant.value

    def searched(self, node: exp.Expression) -> str:
        """A constant that is searched for in every text."""
        search = self.constant(node)
        _require_short(self.scalars, node, len(search), "text to search for")
        return search

    def whole(self, node: exp.Expression, number: exp.Expression, least: int) -> int:
        """A constant position or number of characters."""
        value = self.scalars.constant(number).value if number.find(exp.Column) is None else None
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            shown = self.text.quoted(node.this)
            raise self.scalars.mismatch(
                node,
                f"positions and numbers of characters are whole constants from {least} on",
                self.text.quoted(number),
                f"SUBSTRING({shown}, 1, 3), with numbers of your own; or SPLIT_PART({shown}, '-', 2), the part after a separator",
            )
        return min(value, LAST_PLACE)

    def bounded(self, measure: Expression) -> Expression:
        """A length or position with its public bounds: no text is longer than max_length."""
        low, high = Literal(0, Type.INTEGER), Literal(self.max_length, Type.INTEGER)
        return Clamp(measure, low, high, Type.INTEGER)

    # -------------------------------------------------------------------------------------------- functions

    def trim(self, node: exp.Expression) -> Expression:
        this, characters, position = self.text.consume(node, "this", "expression", "position")
        if not isinstance(this, exp.Expression):
            raise self.text.missing(node)
        words: dict[str, Sides] = {"LEADING": "leading", "TRAILING": "trailing"}
        sides = words.get(str(position or "").upper(), "both")
        among = self.searched(characters) if isinstance(characters, exp.Expression) else " "
        operand = self.operand(this)
        return Trim(sides, operand, among) if among else operand

    def substring(self, node: exp.Expression) -> Expression:
        """SUBSTRING as DuckDB reads it: from 0 there is one character less, and a negative start counts from the end."""
        this, first, number = self.text.consume(node, "this", "start", "length")
        if not isinstance(this, exp.Expression) or not isinstance(first, exp.Expression):
            raise self.text.missing(node)
        operand, start = self.operand(this), self.whole(node, first, -LAST_PLACE)
        count = self.whole(node, number, 0) if isinstance(number, exp.Expression) else None
        if start > 0:
            return Substring(operand, start, count)
        if start == 0:
            return Substring(operand, 1, None if count is None else max(0, count - 1))
        if count is not None:
            shown = self.text.quoted(this)
            raise self.text.unsupported(
                node,
                "SUBSTRING from the end with a length, on which databases differ",
                f"LEFT(RIGHT({shown}, {-start}), {count})",
            )
        return Substring(operand, start, None)

    def concatenated(self, parts: list[Expression]) -> Expression:
        return Concat(tuple(parts), self.max_length)

    def separated(self, first: exp.Expression, *others: exp.Expression) -> Expression:
        """CONCAT_WS: each part that is not NULL after a separator, without the first one."""
        separator = self.constant(first)
        room = self.max_length + len(separator)
        cut = Literal(separator, Type.TEXT)
        parts = [or_empty(Concat((cut, self.shown(part)), room)) for part in others]
        if not parts:
            raise self.text.missing(first)
        return Substring(Concat(tuple(parts), room), len(separator) + 1, None)


def in_case(how: Casing, operand: Expression) -> Expression:
    """UPPER or LOWER; the last one counts."""
    return AsciiCase(how, operand.operand if isinstance(operand, AsciiCase) else operand)


def or_empty(operand: Expression) -> Expression:
    return operand if isinstance(operand, Literal) else Coalesce(operand, Literal("", Type.TEXT), Type.TEXT)


def as_a_text(expression: Expression) -> Expression | None:
    """A value as the text that every engine gives it; None for floats and timestamps, which engines print differently."""
    match expression.type:
        case Type.TEXT:
            return expression
        case Type.INTEGER | Type.DATE:
            return Cast(expression, Type.TEXT)
        case Type.BOOLEAN:
            yes, no = Literal("true", Type.TEXT), Literal("false", Type.TEXT)
            return Case(((expression, yes), (Not(expression), no)), None, Type.TEXT)
    return None


# ------------------------------------------------------------------------------------------------ LIKE


def like(scalars: Scalars, node: exp.Expression) -> Expression:
    """LIKE, ILIKE and their ESCAPE."""
    escape = ""
    if isinstance(node, exp.Escape):
        node, character = scalars.parts(node, "this", "expression")
        value = scalars.constant(character).value
        if not isinstance(value, str) or len(value) != 1 or not isinstance(node, (exp.Like, exp.ILike)):
            raise scalars.mismatch(character, "an escape character is one character", "", "ESCAPE '!'")
        escape = value
    negate = bool(node.args.get("negate"))
    this, pattern = scalars.text.required(node, "this", "expression", optional=("negate",))
    operand = scalars.scalar(this, ColumnMeaning.RAW)
    if operand.type is not Type.TEXT:
        fix = as_text(scalars.text.quoted(this), operand.type)
        raise scalars.mismatch(node, "LIKE compares texts", a(operand.type), fix)
    constant = scalars.constant(pattern)
    if not isinstance(constant.value, str):
        fix = sql_text(str(constant.value))
        raise scalars.mismatch(pattern, "a pattern is a text", a(constant.type), fix)
    if escape and _ends_in_escape(constant.value, escape):
        shown = sql_text(constant.value + escape)
        raise scalars.mismatch(pattern, "a pattern does not end with its escape character", "", shown)
    read = list(signs(constant.value, escape))
    if isinstance(node, exp.ILike):
        operand = in_case("lower", operand)
        read = [cased("lower", sign) if isinstance(sign, str) else sign for sign in read]
    _require_short(scalars, pattern, len(read), "pattern")
    meant, meant_escape = plain(read)
    _require_few_wildcards(scalars, pattern, wildcards(meant, meant_escape))
    condition = Like(operand, meant, escape=meant_escape)
    return Not(condition) if negate else condition


def _ends_in_escape(pattern: str, escape: str) -> bool:
    """Whether the last escape character escapes nothing."""
    return (len(pattern) - len(pattern.rstrip(escape))) % 2 == 1


def _require_short(scalars: Scalars, node: exp.Expression, length: int, what: str) -> None:
    limit = scalars.text.work_limits.like_length
    if length > limit:
        raise Refused(
            "like-length",
            f"this {what} has {length} characters; the limit is {limit} (like_length)",
            why="each character may be searched for, and the work per row must stay bounded",
            fix=f"shorten it; or the steward writes like_length = {length} under [limits]",
            place=scalars.text.place(node),
        )


def _require_few_wildcards(scalars: Scalars, node: exp.Expression, count: int) -> None:
    limit = scalars.text.work_limits.like_wildcards
    if count > limit:
        raise Refused(
            "like-wildcards",
            f"this pattern has {count} wildcards (%); the limit is {limit} (like_wildcards)",
            why="each % is one more search in every text, and the work per row must stay bounded",
            fix=f"leave out some of them; or the steward writes like_wildcards = {count} under [limits]",
            place=scalars.text.place(node),
        )
