"""Functions and operators of other tools that say what CASE, COALESCE, arithmetic and the aggregates already say.

    CASE WHEN a THEN NULL ELSE b END    CASE WHEN NOT (a IS TRUE) THEN b END
    x IN (1, NULL)                      CASE WHEN x IN (1) THEN TRUE END
    NVL2(x, a, b)                       CASE WHEN x IS NOT NULL THEN a ELSE b END
    BOOL_AND(c), of one person's rows   MIN(c) = 1

As in spellings.py, trees become trees before anything is derived from them. NULL itself has no type: it takes that of the
values beside it, by leaving its branch out.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal as OneOf

from sqlglot import exp

Node = exp.Expression

MAX_POWER = 4
"""Powers up to this one are products; others need a logarithm, which differs between engines."""
MAX_PADDING = 64
"""Characters that LPAD and RPAD may add, which stand in the question."""
_READ: frozenset[type] = frozenset(
    {
        exp.Case, exp.Coalesce, exp.In, exp.Between, exp.EQ, exp.NEQ, exp.Nvl2, exp.EqualNull, exp.Pow, exp.Round,
        exp.Least, exp.Greatest, exp.Pad, exp.DateFromParts, exp.Anonymous,
    }
)  # fmt: skip


def synonym(node: Node) -> Node | None:
    """The expression in words that have rules; None where this module knows none."""
    if type(node) not in _READ:  # most nodes: this is asked of every one
        return None
    match node:
        case exp.Case() if any(isinstance(branch.args.get("true"), exp.Null) for branch in node.args["ifs"]):
            return _without_nulls(node)
        case exp.Coalesce() | exp.Least() | exp.Greatest():
            return _of_values(node)
        case exp.In() if _nulls(node.expressions) and node.args.get("query") is None:
            values = [value for value in node.expressions if not isinstance(value, exp.Null)]
            listed = exp.In(this=node.this.copy(), expressions=[value.copy() for value in values])
            return _case([(listed, exp.true())]) if values else None
        case exp.Between() if node.args.get("symmetric"):
            low, high = node.args["low"], node.args["high"]
            return exp.Or(this=_between(node.this, low, high), expression=_between(node.this, high, low))
        case exp.EQ() | exp.NEQ():
            return _quantified(node)
        case exp.Nvl2() if node.args.get("false") is not None:
            return _case([(_present(node.this), node.args["true"])], node.args["false"])
        case exp.EqualNull():
            return exp.NullSafeEQ(this=node.this.copy(), expression=node.expression.copy())
        case exp.Pow(expression=exp.Literal() as power) if (
            str(power.this).isdigit() and 1 <= int(power.this) <= MAX_POWER
        ):
            return _product(node.this, int(power.this))
        case exp.Round() if _is_digit(node.args.get("decimals")):
            factor = exp.Literal.number(10 ** int(node.args["decimals"].this))
            shifted = exp.Mul(this=exp.Paren(this=node.this.copy()), expression=factor)
            return exp.Div(this=exp.Round(this=shifted), expression=factor.copy())
        case exp.Round() if _is_digit(getattr(node.args.get("decimals"), "this", None)):  # -2
            unit = exp.Literal.number(10 ** int(node.args["decimals"].this.this))
            quotient = exp.Div(this=exp.Paren(this=node.this.copy()), expression=unit)
            return exp.Mul(this=exp.Round(this=quotient), expression=unit.copy())
        case exp.Pad(expression=exp.Literal() as length) if str(length.this).isdigit():
            return _padded(node, int(length.this))
        case exp.DateFromParts():
            return _made_date(node)
        case exp.Anonymous():
            return _function(str(node.this).upper(), node.expressions)
    return None


def _function(name: str, arguments: list[Node]) -> Node | None:
    match name, arguments:
        case "ISNULL", [this]:
            return _is_null(this)
        case "ISNULL", [this, other]:
            return exp.Coalesce(this=this.copy(), expressions=[other.copy()])
        case "ZEROIFNULL", [this]:
            return exp.Coalesce(this=this.copy(), expressions=[exp.Literal.number(0)])
        case "NULLIFZERO", [this]:
            return exp.Nullif(this=this.copy(), expression=exp.Literal.number(0))
        case (("DIV0" | "DIV0NULL"), [this, by]):
            zero: Node = exp.EQ(this=by.copy(), expression=exp.Literal.number(0))
            if name == "DIV0NULL":
                zero = exp.Or(this=zero, expression=_is_null(by))
            quotient = exp.Div(this=exp.Paren(this=this.copy()), expression=exp.Paren(this=by.copy()))
            return _case(
                [(exp.And(this=_present(this), expression=exp.Paren(this=zero)), exp.Literal.number(0))],
                quotient,
            )
        case "SQUARE", [this]:
            return _product(this, 2)
        case (("DATE_PART" | "DATEPART"), [exp.Column(table="") as part, this]):
            return exp.Anonymous(this="DATE_PART", expressions=[exp.Literal.string(part.name), this.copy()])
    return None


def _padded(node: Node, length: int) -> Node | None:
    """LPAD and RPAD to a constant length, by one character: the text and the padding, cut."""
    fill = node.args.get("fill_pattern") or exp.Literal.string(" ")
    if not isinstance(fill, exp.Literal) or not fill.is_string or len(fill.name) != 1 or length > MAX_PADDING:
        return None
    this, padding, number = node.this, exp.Literal.string(fill.name * length), exp.Literal.number(length)
    if not node.args.get("is_left"):
        return exp.Left(this=exp.DPipe(this=this.copy(), expression=padding), expression=number)
    longer = exp.GTE(this=exp.Length(this=this.copy()), expression=number)
    filled = exp.Right(this=exp.DPipe(this=padding, expression=this.copy()), expression=number.copy())
    return _case([(longer, exp.Left(this=this.copy(), expression=number.copy()))], filled)


def start_of(year: Node, month: Node, day: Node) -> tuple[OneOf["year", "month"], Node] | None:
    """MAKE_DATE(YEAR(x), MONTH(x), 1) is the start of x's month, and MAKE_DATE(YEAR(x), 1, 1) of its year."""
    first = exp.Literal.number(1)
    if not isinstance(year, exp.Year) or day != first:
        return None
    if month == first:
        return "year", year.this
    return ("month", year.this) if month == exp.Month(this=year.this.copy()) else None


def _made_date(node: exp.DateFromParts) -> Node | None:
    """MAKE_DATE of whole numbers: a text of digits as a date."""
    parts = [node.args[part] for part in ("year", "month", "day")]
    if all(isinstance(part, exp.Literal) for part in parts) or start_of(*parts) is not None:
        return None
    digits: list[Node] = []
    inside: list[Node] = []
    for part, length, last in zip(parts, (4, 2, 2), (9999, 12, 31), strict=True):
        number = part.copy() if isinstance(part, exp.Literal) else exp.Round(this=part.copy())
        text = exp.Cast(this=number, to=exp.DataType.build("VARCHAR"))
        zeros = exp.DPipe(this=exp.Literal.string("000"), expression=text)
        digits.append(exp.Right(this=zeros, expression=exp.Literal.number(length)))
        inside.append(_between(part, exp.Literal.number(1), exp.Literal.number(last)))
    written = exp.ConcatWs(expressions=[exp.Literal.string("-"), *digits])
    date = exp.Cast(this=written, to=exp.DataType.build("DATE"))
    return _case([(reduce(lambda a, b: exp.And(this=a, expression=b), inside), date)])


def _without_nulls(node: Node) -> Node | None:
    """A CASE with the branches left out whose value is NULL: what follows one holds only where its condition does not."""
    subject, default = node.args.get("this"), node.args.get("default")
    rest: Node | None = None if default is None or isinstance(default, exp.Null) else default
    whens: list[tuple[Node, Node]] = []
    for branch in reversed(node.args["ifs"]):
        condition, value = branch.this, branch.args["true"]
        if subject is not None:
            condition = exp.EQ(this=subject.copy(), expression=condition.copy())
        if not isinstance(value, exp.Null):
            whens.insert(0, (condition, value))
            continue
        after = _case(whens, rest) if whens else rest
        whens = []
        if after is not None:
            is_true = exp.Is(this=exp.Paren(this=condition.copy()), expression=exp.true())
            rest = _case([(exp.Not(this=is_true), after)])
    return _case(whens, rest) if whens else rest


def _of_values(node: Node) -> Node | None:
    """COALESCE, LEAST and GREATEST without the NULLs that they ignore."""
    operands = [node.this, *node.expressions]
    if not _nulls(operands):
        return None
    values = [operand.copy() for operand in operands if not isinstance(operand, exp.Null)]
    if len(values) < 2:
        return values[0] if values else None
    return type(node)(this=values[0], expressions=values[1:])


def _quantified(node: Node) -> Node | None:
    """x = ANY (…) as x IN (…), and x <> ALL (…) as x NOT IN (…)."""
    right = node.args["expression"]
    if isinstance(node, exp.EQ) and isinstance(right, exp.Any):
        values: exp.Expr = right.this
    elif isinstance(right, exp.Anonymous) and len(right.expressions) == 1:
        if str(right.this).upper() != ("SOME" if isinstance(node, exp.EQ) else "ALL"):
            return None
        values = right.expressions[0]
    else:
        return None
    values = values.unnest()
    if not isinstance(values, (exp.Array, exp.Tuple)) or not values.expressions:
        return None
    listed = exp.In(this=node.this.copy(), expressions=[value.copy() for value in values.expressions])
    return listed if isinstance(node, exp.EQ) else exp.Not(this=listed)


def _product(this: Node, power: int) -> Node:
    factors: list[Node] = [exp.Paren(this=this.copy()) for _ in range(power)]
    return reduce(lambda left, right: exp.Mul(this=left, expression=right), factors)


def _is_digit(node: object) -> bool:
    return isinstance(node, exp.Literal) and not node.args.get("is_string") and str(node.this).isdigit() and int(node.this) <= 9  # fmt: skip


def _nulls(nodes: list[Node]) -> bool:
    return any(isinstance(node, exp.Null) for node in nodes)


def _between(this: Node, low: Node, high: Node) -> Node:
    return exp.Between(this=this.copy(), low=low.copy(), high=high.copy())


def _is_null(operand: Node) -> Node:
    return exp.Is(this=operand.copy(), expression=exp.Null())


def _present(operand: Node) -> Node:
    return exp.Not(this=_is_null(operand))


def _case(whens: list[tuple[Node, Node]], otherwise: Node | None = None) -> exp.Case:
    ifs = [exp.If(this=condition.copy(), true=value.copy()) for condition, value in whens]
    return exp.Case(ifs=ifs, default=otherwise.copy() if otherwise is not None else None)


# ------------------------------------------------------------------------------------------------ aggregates


_AGGREGATES: dict[str, type[Node]] = {
    "MEAN": exp.Avg,
    "AVERAGE": exp.Avg,
    "COUNT_BIG": exp.Count,
    "VARP": exp.VariancePop,
    "STDEVP": exp.StddevPop,
    "EVERY": exp.LogicalAnd,
}
_OF_SOME = {"SUMIF": exp.Sum, "SUM_IF": exp.Sum, "AVGIF": exp.Avg, "AVG_IF": exp.Avg}
_DISTINCT = ("UNIQ", "UNIQEXACT")


def rewrite_aggregates(statement: exp.Select | exp.SetOperation) -> None:
    """Puts a statement's aggregates into the names that are read. BOOL_AND, BOOL_OR and ANY_VALUE are read of one unit's
    rows, where there is no noise."""
    answers = _selects_of_answers(statement)
    for call in list(statement.find_all(exp.Anonymous, exp.Hll)):
        other = _aggregate(call)
        if other is not None:
            other.meta.update(call.meta)
            call.replace(other)
    for call in list(statement.find_all(exp.LogicalAnd, exp.LogicalOr, exp.AnyValue)):
        if any(call.parent_select is select for select in answers):
            continue
        if isinstance(call, exp.AnyValue):
            outer = call.parent if isinstance(call.parent, exp.IgnoreNulls) else call
            outer.replace(exp.Min(this=call.this.copy()))
            continue
        extreme = (exp.Min if isinstance(call, exp.LogicalAnd) else exp.Max)(this=call.this.copy())
        extreme.meta.update(call.meta)
        filtered = call.parent if isinstance(call.parent, exp.Filter) else None
        of_rows: Node = extreme
        if filtered is not None:
            of_rows = exp.Filter(this=extreme, expression=filtered.args["expression"].copy())
        (filtered or call).replace(exp.EQ(this=of_rows, expression=exp.Literal.number(1)))


def _selects_of_answers(statement: exp.Expr) -> list[exp.Expr]:
    """The SELECTs whose rows are answers: the statement, or the parts of its UNION ALL."""
    if isinstance(statement, exp.SetOperation):
        parts = (statement.this, statement.args["expression"])
        return [select for part in parts for select in _selects_of_answers(part)]
    if isinstance(statement, (exp.Subquery, exp.Paren)):
        return _selects_of_answers(statement.this)
    return [statement]


def _aggregate(call: exp.Expr) -> Node | None:
    if isinstance(call, exp.Hll):
        return None if call.expressions else exp.Count(this=exp.Distinct(expressions=[call.this.copy()]))
    name, arguments = str(call.this).upper(), call.expressions
    match name, arguments:
        case _, [operand] if name in _AGGREGATES:
            return _AGGREGATES[name](this=operand.copy())
        case _, [operand] if name in _DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[operand.copy()]))
        case _, [operand, condition] if name in _OF_SOME:
            whole = _OF_SOME[name](this=operand.copy())
            return exp.Filter(this=whole, expression=exp.Where(this=condition.copy()))
        case "APPROX_PERCENTILE", [operand, exp.Literal() as share]:
            return exp.Quantile(this=operand.copy(), quantile=share.copy())
    return None
