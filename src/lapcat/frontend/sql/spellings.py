"""Other spellings: SQL that says what lapcat can already read, rewritten into the words that have rules.

    NULLIF(a, b)                CASE WHEN NOT a = b OR (a = b) IS NULL THEN a END
    a IS DISTINCT FROM b        NOT (both NULL, or both present and equal)
    COUNT_IF(c)                 COUNT(*) FILTER (WHERE c)
    SELECT TOP 5 …              SELECT … LIMIT 5

Trees become trees, before anything is derived from them: each spelling has the sensitivity of what it is rewritten into, and
no rule of its own. Operands are copied for each use, so reading them counts towards the limit on work each time.
"""

from __future__ import annotations

import re
from functools import reduce

from sqlglot import exp

Node = exp.Expression

SCHEMAS = frozenset({"public", "main", "dbo"})
"""Default schemas of PostgreSQL, DuckDB and SQL Server: `public.staff` is the table staff."""
_TOP = re.compile(
    r"(?P<select>\bSELECT\s+(?:DISTINCT\s+)?)(?P<top>TOP\s*(?:\(\s*(\d+)\s*\)|(\d+)\b))", re.IGNORECASE
)
CALLED = {name[:-1] + "_": name for name in ("DATEDIFF", "DATE_DIFF", "DATE_ADD", "TIMESTAMPDIFF")}
"""Functions by the names that `plain_calls` gives them."""
_SORTED = re.compile(
    rf"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\b({'|'.join(CALLED.values())})(?=\s*\()",
    re.DOTALL | re.IGNORECASE,
)
_QUOTED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
    r"|`(?P<ticks>[^`\"\n]*)`|(?<![\w\])])\[(?P<brackets>[^\W\d][^\[\]\"',\n]*)\]",
    re.DOTALL,
)


# ------------------------------------------------------------------------------------------------ texts


def plain_quotes(text: str) -> str:
    """Names in backticks, and in brackets as SQL Server writes them, as names in double quotes; no character moves.

    >>> plain_quotes("SELECT `a b`, [c d] FROM t WHERE c = '`'")
    'SELECT "a b", "c d" FROM t WHERE c = \\'`\\''
    """

    def plain(match: re.Match[str]) -> str:
        name = match["ticks"] if match["brackets"] is None else match["brackets"]
        return match[0] if name is None else f'"{name}"'

    return _QUOTED.sub(plain, text)


def plain_calls(text: str) -> str:
    """Calls whose arguments SQLGlot would sort by its own rules, under names that it does not know; no character moves.

    >>> plain_calls("SELECT DATEDIFF(b, a), 'DATEDIFF('")
    "SELECT DATEDIF_(b, a), 'DATEDIFF('"
    """
    return _SORTED.sub(lambda match: match[0] if match[1] is None else match[1][:-1] + "_", text)


def without_top(text: str) -> tuple[str, int | None]:
    """The text with `TOP n` of its first SELECT blanked, and n.

    >>> without_top("SELECT TOP 5 a FROM t")
    ('SELECT       a FROM t', 5)
    """
    match = _TOP.match(text.lstrip())
    if match is None:
        return text, None
    indent = len(text) - len(text.lstrip())
    start, end = match.start("top") + indent, match.end("top") + indent
    return text[:start] + " " * (end - start) + text[end:], int(match[3] or match[4])


# ------------------------------------------------------------------------------------------------ trees


def rewrite(select: exp.Select | exp.SetOperation, top: int | None) -> None:
    """Puts a statement's aggregates, table names and column lists into the spellings that are read."""
    for table in list(select.find_all(exp.Table)):
        schema = table.args.get("db")
        if schema is not None and not table.args.get("catalog") and schema.name.casefold() in SCHEMAS:
            table.set("db", None)
    for query in list(select.find_all(exp.CTE, exp.Subquery)):
        _name_columns(query)
    for call in list(select.find_all(exp.CountIf, exp.ApproxDistinct, exp.Anonymous)):
        other = _aggregate(call)
        if other is not None:
            other.meta.update(call.meta)
            call.replace(other)
    if top is not None:
        select.set("limit", exp.Limit(expression=exp.Literal.number(top)))


def _name_columns(node: exp.Expr) -> None:
    """`WITH t (a, b) AS (SELECT x, y …)` as `WITH t AS (SELECT x AS a, y AS b …)`."""
    alias, select = node.args.get("alias"), node.this
    names = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    if (
        alias is None
        or not names
        or not isinstance(select, exp.Select)
        or len(names) != len(select.expressions)
    ):
        return
    if any(
        isinstance(item, exp.Star) or item.find(exp.Star, bfs=True) is item for item in select.expressions
    ):
        return
    named = [
        exp.Alias(this=item.this if isinstance(item, exp.Alias) else item, alias=name)
        for item, name in zip(select.expressions, names, strict=True)
    ]
    select.set("expressions", named)
    alias.set("columns", None)


def _aggregate(call: exp.Expr) -> Node | None:
    """An aggregate under another name; None where it is something else."""
    if isinstance(call, exp.CountIf):
        return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=call.this.copy()))
    if isinstance(call, exp.ApproxDistinct) and call.args.get("accuracy") is None:
        return exp.Count(this=exp.Distinct(expressions=[call.this.copy()]))
    name, arguments = str(call.this).upper(), call.expressions
    if isinstance(call, exp.Anonymous) and name in ("VAR", "STD") and len(arguments) == 1:
        operand = arguments[0].copy()
        return exp.Variance(this=operand) if name == "VAR" else exp.Stddev(this=operand)
    return None


# ------------------------------------------------------------------------------------------------ expressions


_REWRITTEN: frozenset[type] = frozenset(
    {
        exp.If, exp.Anonymous, exp.Nullif, exp.Coalesce, exp.Sign, exp.Trunc, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In, exp.EQ,
        exp.StartsWith, exp.EndsWith, exp.Contains,
    }
)  # fmt: skip


def plain_expression(node: Node) -> Node | None:
    """The expression in words that have rules; None where this module knows no other spelling."""
    if type(node) not in _REWRITTEN:  # most nodes: this is asked of every one
        return None
    match node:
        case exp.If():
            return _case([(node.this, node.args["true"])], node.args.get("false"))
        case exp.Anonymous() if str(node.this).upper() == "IFF" and len(node.expressions) == 3:
            condition, then, otherwise = node.expressions
            return _case([(condition, then)], otherwise)
        case exp.Nullif():
            equal = exp.EQ(this=node.this.copy(), expression=node.expression.copy())
            return _case([(exp.Or(this=exp.Not(this=equal), expression=_is_null(equal)), node.this)])
        case exp.Coalesce() if len(node.expressions) > 1 or not _is_constant(node.expressions[-1]):
            *first, last = [node.this, *node.expressions]
            return _case([(exp.Not(this=_is_null(operand)), operand) for operand in first], last)
        case exp.Sign():
            signs = ((exp.GT, "1"), (exp.LT, "-1"), (exp.EQ, "0"))
            return _case(
                [
                    (test(this=node.this.copy(), expression=_number("0")), _number(sign))
                    for test, sign in signs
                ]
            )
        case exp.Trunc() if node.args.get("decimals") is None:
            positive = exp.GTE(this=node.this.copy(), expression=_number("0"))
            return _case([(positive, exp.Floor(this=node.this.copy()))], exp.Ceil(this=node.this.copy()))
        case exp.NullSafeEQ():
            return _same(node.this, node.expression)
        case exp.NullSafeNEQ():
            return exp.Not(this=_same(node.this, node.expression))
        case exp.In(this=exp.Tuple() as left) if node.expressions and _are_rows(left, node.expressions):
            return _any([_row_equal(left, row) for row in node.expressions])
        case exp.EQ(this=exp.Tuple() as left, expression=exp.Tuple() as right) if _are_rows(left, [right]):
            return _row_equal(left, right)
        case exp.StartsWith() | exp.EndsWith() | exp.Contains():
            return _pattern(node, type(node))
        case exp.Anonymous() if str(node.this).upper() in _PATTERNS and len(node.expressions) == 2:
            this, text = node.expressions
            return _pattern(
                exp.Contains(this=this.copy(), expression=text.copy()), _PATTERNS[str(node.this).upper()]
            )
        case exp.Anonymous() if str(node.this).upper() == "BTRIM" and 1 <= len(node.expressions) <= 2:
            return exp.Trim(this=node.expressions[0].copy(), expression=_second(node.expressions))
        case exp.Anonymous() if str(node.this).upper() == "MID" and 2 <= len(node.expressions) <= 3:
            this, start, *length = (part.copy() for part in node.expressions)
            return exp.Substring(this=this, start=start, length=length[0] if length else None)
    return None


_PATTERNS: dict[str, type[Node]] = {"PREFIX": exp.StartsWith, "SUFFIX": exp.EndsWith}


def _case(whens: list[tuple[Node, Node]], otherwise: Node | None = None) -> exp.Case:
    ifs = [exp.If(this=condition.copy(), true=value.copy()) for condition, value in whens]
    return exp.Case(ifs=ifs, default=otherwise.copy() if otherwise is not None else None)


def _is_null(operand: Node) -> Node:
    return exp.Is(this=operand.copy(), expression=exp.Null())


def _is_constant(node: Node) -> bool:
    return node.find(exp.Column) is None


def _number(text: str) -> Node:
    return exp.Neg(this=exp.Literal.number(text[1:])) if text.startswith("-") else exp.Literal.number(text)


def _same(left: Node, right: Node) -> Node:
    """Whether two values are equal, or both NULL: never NULL itself."""
    if isinstance(left, exp.Null):
        left, right = right, left
    if isinstance(right, exp.Null):
        return _is_null(left)
    equal = exp.EQ(this=left.copy(), expression=right.copy())
    present = [exp.Not(this=_is_null(side)) for side in (left, right) if not _is_constant(side)]
    both = _all([*present, equal])
    if len(present) < 2:
        return both
    return _any([_all([_is_null(left), _is_null(right)]), both])


def _are_rows(left: Node, rows: list[Node]) -> bool:
    return all(
        isinstance(row, exp.Tuple) and len(row.expressions) == len(left.expressions) > 0 for row in rows
    )


def _row_equal(left: Node, row: Node) -> Node:
    pairs = zip(left.expressions, row.expressions, strict=True)
    return _all([exp.EQ(this=first.copy(), expression=second.copy()) for first, second in pairs])


def _second(arguments: list[Node]) -> Node | None:
    return arguments[1].copy() if len(arguments) > 1 else None


def _pattern(node: Node, kind: type[Node]) -> Node | None:
    """STARTS_WITH(x, 'A') as x LIKE 'A%'; signs that LIKE would read are escaped."""
    constant = node.args["expression"]
    if not isinstance(constant, exp.Literal) or not constant.args.get("is_string"):
        return None
    text = re.sub(r"[%_\\]", r"\\\g<0>", str(constant.this))
    before, after = ("" if kind is exp.StartsWith else "%"), ("" if kind is exp.EndsWith else "%")
    like = exp.Like(this=node.this.copy(), expression=exp.Literal.string(before + text + after))
    return exp.Escape(this=like, expression=exp.Literal.string("\\"))


def _all(conditions: list[Node]) -> Node:
    return _joined(exp.And, conditions)


def _any(conditions: list[Node]) -> Node:
    return _joined(exp.Or, conditions)


def _joined(kind: type[exp.And | exp.Or], conditions: list[Node]) -> Node:
    return reduce(lambda first, other: kind(this=first, expression=other), conditions)
