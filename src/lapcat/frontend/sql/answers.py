"""Translates expressions over the answer: its keys, its estimates, and whatever is computed from them.

They read only what is released, so they are free. Aggregates and keys that are not selected become hidden columns; so do
functions that only answers have (SQRT, RANK), and what contains them refers to them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sqlglot import exp

from lapcat.errors import BadQuery, Error
from lapcat.frontend.sql.keys import Grouping, Items
from lapcat.frontend.sql.lookups import PublicLookup, determined
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import ColumnMeaning, NameScope
from lapcat.frontend.sql.text import Text
from lapcat.frontend.sql.windows import OF_VALUES, RANKINGS, frame_of, is_quotient
from lapcat.plan.columns import AnswerColumn, DerivedColumn, KeyColumn, Lookup, RealFunction, ValueColumn
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Case,
    Cast,
    Column,
    Compare,
    Expression,
    IsNull,
    Literal,
    Rounded,
    columns_of,
)
from lapcat.plan.nodes import Group, Rows
from lapcat.plan.released.after import AS_IT_IS
from lapcat.plan.released.derived import Standing, Standings
from lapcat.plan.schema import Type
from lapcat.plan.windows import WHOLE, Order, WindowFunction

MAX_DIGITS = 15
"""Decimals of ROUND and DECIMAL, on either side of the point."""
_REAL: dict[type[exp.Expression], str] = {exp.Sqrt: "sqrt", exp.Cbrt: "cbrt", exp.Ln: "ln", exp.Exp: "exp"}
_BASES = {"2": "log2", "10": "log10"}
_ENDS = {"DP_INTERVAL_LOW": "_low", "DP_INTERVAL_HIGH": "_high"}


def without_own_ends(items: Items) -> Items:
    """The selected items without DP_INTERVAL_LOW(n) AS n_low, which the answer shows beside n in any case."""
    names = {name.casefold() for name, _ in items if name}
    kept = []
    for name, node in items:
        suffix = _ENDS.get(str(node.this).upper()) if isinstance(node, exp.Anonymous) else None
        owner = node.expressions[0].name.casefold() if suffix and len(node.expressions) == 1 else ""
        if name is None or owner not in names or name.casefold() != f"{owner}{suffix}":
            kept.append((name, node))
    return kept


def without_aliases(text: Text, scope: NameScope, items: Items) -> list[exp.Expression]:
    """The selected expressions, where the name of an earlier one stands for its expression: COUNT(*) AS n, n / 2."""
    nodes: list[exp.Expression] = []
    for _, item in items:
        node = item.copy()
        earlier = {name.casefold(): known for (name, _), known in zip(items, nodes, strict=False) if name}
        for column in list(node.find_all(exp.Column)):
            meant = earlier.get(column.name.casefold())
            named = isinstance(column.parent, exp.Anonymous) and str(column.parent.this).upper() in _ENDS
            if meant is None or column.table or scope.has(column.name) or named:
                continue
            other = meant.copy()
            for part in other.walk():  # errors point to where the name stands
                text.spend(1)
                part.meta.pop("start", None)
            other.meta.update(column.this.meta)
            if column is node:
                node = other
            else:
                column.replace(exp.Paren(this=other))
        nodes.append(node)
    return nodes


class NotComputed(Exception):
    """An expression that is more than arithmetic over estimates."""


class AnswerReader(Protocol):
    """Reads the parts of an expression over the answer that are not scalar."""

    def estimate(self, node: exp.Expression) -> Expression:
        """An aggregate."""

    def running(self, node: exp.Expression) -> Expression | None:
        """A running total of counts, or its share; None for other windows and quotients."""

    def named(self, node: exp.Column) -> Expression:
        """A name."""

    def grouped(self, node: exp.Expression) -> Expression | None:
        """An expression that is grouped by; None for any other."""

    def end(self, node: exp.Expression, name: str, suffix: str) -> Expression:
        """An end of the interval of a column."""

    def derived(self, value: RealFunction | WindowFunction | Lookup) -> Expression:
        """A function of answers."""

    def is_public(self, expression: Expression) -> bool:
        """Whether it reads group keys and constants alone."""


class EstimatesOnly:
    """Reads arithmetic over estimates, and collects them; anything else is NotComputed."""

    def __init__(
        self,
        aggregate: Callable[[exp.Expression], ValueColumn],
        running: Callable[[exp.Expression], ValueColumn | None],
    ) -> None:
        self._aggregate, self._running = aggregate, running
        self.inputs: dict[ValueColumn, None] = {}

    def _read(self, column: ValueColumn) -> Expression:
        self.inputs[column] = None
        return Column(column.name, column.type)

    def estimate(self, node: exp.Expression) -> Expression:
        return self._read(self._aggregate(node))

    def running(self, node: exp.Expression) -> Expression | None:
        column = self._running(node)
        return None if column is None else self._read(column)

    def named(self, node: exp.Column) -> Expression:
        raise NotComputed

    def grouped(self, node: exp.Expression) -> Expression | None:
        return None

    def end(self, node: exp.Expression, name: str, suffix: str) -> Expression:
        raise NotComputed

    def derived(self, value: RealFunction | WindowFunction | Lookup) -> Expression:
        raise NotComputed

    def is_public(self, expression: Expression) -> bool:
        return False


class AnswerColumns:
    """The columns of an answer: those that are selected, and hidden ones that others are derived from."""

    def __init__(
        self,
        text: Text,
        scalars: Scalars,
        items: Items,
        grouping: Grouping,
        aggregate: Callable[[exp.Expression], ValueColumn],
        running: Callable[[exp.Expression], ValueColumn | None],
        lookup: PublicLookup,
    ) -> None:
        self.text, self.scalars, self.items, self.grouping = text, scalars, items, grouping
        self.lookup = lookup
        self.aggregate, self.running = aggregate, running
        self.columns: list[AnswerColumn] = []
        self.groups = [key.expression for key in grouping.keys]

    @property
    def shown(self) -> list[AnswerColumn]:
        return [column for column in self.columns if column.shown]

    def hidden(self, column: AnswerColumn) -> Expression:
        """A reference to a new column that is not shown."""
        taken = {known.name for known in self.columns} | {name for name, _ in self.items}
        number = len(self.columns)
        while f"#{number}" in taken:
            number += 1
        column = replace(column, name=f"#{number}", shown=False)
        self.columns.append(column)
        return self.reference(column)

    def reference(self, column: AnswerColumn) -> Column:
        kind = self.groups[column.key].type if isinstance(column, KeyColumn) else column.type
        return Column(column.name, kind)

    def key(self, index: int) -> Expression:
        """A reference to a group key."""
        for column in self.columns:
            if isinstance(column, KeyColumn) and column.key == index:
                return self.reference(column)
        return self.hidden(KeyColumn("", index))

    def value(self, column: ValueColumn, *, with_shown: bool) -> Expression:
        """A reference to an estimate; not to a shown one where an interval is derived from it, at a confidence of its own."""
        for known in self.columns:
            if not isinstance(known, ValueColumn) or (known.shown and not with_shown):
                continue
            if (known.aggregate, known.argument) == (column.aggregate, column.argument):
                return self.reference(known)
        return self.hidden(column)

    def derived(self, value: RealFunction | WindowFunction | Lookup) -> Expression:
        for known in self.columns:
            if isinstance(known, DerivedColumn) and not known.shown and known.value == value:
                return self.reference(known)
        return self.hidden(DerivedColumn("", value))

    def is_public(self, expression: Expression) -> bool:
        """Whether an expression reads group keys, constants and rankings of keys alone."""
        return all(self.standings.of(column.name) is Standing.PUBLIC for column in columns_of(expression))

    @property
    def standings(self) -> Standings:
        """The standing of the columns so far."""
        plan = Group(self.rows, self.grouping.keys, (), self.grouping.sets)
        return Standings(self.columns, AS_IT_IS, plan)

    @property
    def rows(self) -> Rows:
        return self.scalars.scope.rows  # type: ignore[return-value]

    def grouped(self, node: exp.Expression) -> Expression | None:
        """A reference to the key that an expression, other than a name, is grouped by; None for any other."""
        if isinstance(node, exp.Column) or all(isinstance(group, Column) for group in self.groups):
            return None
        if node.find(exp.AggFunc, exp.Window, exp.Subquery) or not node.find(exp.Column):
            return None
        try:
            expression = Scalars(self.text, self.scalars.scope, {}).key(node)
        except Error:
            return None
        return self.key(self.groups.index(expression)) if expression in self.groups else None

    def key_named(self, node: exp.Column) -> Expression | None:
        """A reference to the group key that is a column of the table, or to what is looked up by one; None for any other."""
        expression = self.scalars.key(node)
        if expression in self.groups:
            return self.key(self.groups.index(expression))
        for index, group in enumerate(self.groups):
            values = determined(self.scalars.scope, self.lookup, expression, group)
            if values is not None:
                return self.derived(Lookup(self.key(index), tuple(values.items()), expression.type))
        return None

    def labelled(self, name: str) -> AnswerColumn | None:
        """The column of the answer so far that has this name."""
        return next((column for column in self.shown if column.name.casefold() == name.casefold()), None)

    def has_interval(self, column: AnswerColumn) -> bool:
        """Whether the answer shows an interval beside a column, where it has no HAVING."""
        return self.standings.has_interval(column)

    def end(self, node: exp.Expression, name: str, suffix: str) -> Expression:
        column = self.labelled(name)
        if column is None or not self.has_interval(column):
            raise BadQuery(
                "unknown-column",
                f"{name} is not a column of the answer that has an interval",
                fix=f"name the column first: SELECT COUNT(*) AS n, {self.text.called(node)}(n)",
                place=self.text.place(node),
            )
        return replace(self.reference(column), name=column.name + suffix)


class Selected:
    """Reads a selected expression: its names are group keys."""

    def __init__(self, answer: AnswerColumns) -> None:
        self.answer = answer
        self.grouped, self.derived = answer.grouped, answer.derived
        self.end, self.is_public = answer.end, answer.is_public

    def estimate(self, node: exp.Expression) -> Expression:
        return self.answer.value(self.answer.aggregate(node), with_shown=False)

    def running(self, node: exp.Expression) -> Expression | None:
        column = self.answer.running(node)
        return None if column is None else self.answer.value(column, with_shown=False)

    def named(self, node: exp.Column) -> Expression:
        key = self.answer.key_named(node)
        if key is None:
            raise not_grouped(self.answer.text, node)
        return key


def not_grouped(text: Text, node: exp.Column) -> BadQuery:
    """The refusal of a column that is neither in GROUP BY nor in an aggregate, as in SQL itself."""
    written = text.written(node)
    return BadQuery(
        "not-grouped",
        f"{written} is neither in GROUP BY nor in an aggregate",
        why="rows of one group may differ in it",
        fix=f"leave {written} out, or GROUP BY it",
        place=text.place(node),
    )


class Afterwards:
    """Reads HAVING, QUALIFY and ORDER BY. A name that is both a key and an alias means the key, as in SQL; a bare name in
    ORDER BY means the alias (`shown_first`)."""

    def __init__(
        self,
        answer: AnswerColumns,
        row_level: Callable[[exp.Expression], Error],
        *,
        shown_first: bool = False,
    ) -> None:
        self.answer, self.row_level, self.shown_first = answer, row_level, shown_first
        self.grouped, self.derived = answer.grouped, answer.derived
        self.end, self.is_public = answer.end, answer.is_public

    def estimate(self, node: exp.Expression) -> Expression:
        return self.answer.value(self.answer.aggregate(node), with_shown=True)

    def running(self, node: exp.Expression) -> Expression | None:
        column = self.answer.running(node)
        return None if column is None else self.answer.value(column, with_shown=True)

    def named(self, node: exp.Column) -> Expression:
        shown = self.alias(node)
        if shown is not None and (self.shown_first or not self.answer.scalars.scope.has(node.name)):
            return shown
        key = self.answer.key_named(node) or shown
        if key is None:
            raise self.row_level(node)
        return key

    def alias(self, node: exp.Column) -> Expression | None:
        if node.table:
            return None
        for column in self.answer.columns:
            for suffix in ("", "_low", "_high") if not isinstance(column, KeyColumn) else ("",):
                if (column.name + suffix).casefold() == node.name.casefold():
                    return replace(self.answer.reference(column), name=column.name + suffix)
        return None


class AnswerScalars(Scalars):
    """Translates expressions over the answer: names refer to its columns, aggregates to their estimates."""

    def __init__(self, text: Text, scope: NameScope, notes: dict[str, None], reader: AnswerReader) -> None:
        super().__init__(text, scope, notes, reader.estimate)
        self.reader = reader

    def named(self, node: exp.Column, mode: ColumnMeaning) -> Expression:
        return self.reader.named(node)

    def scalar(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        """As for rows, plus group keys, windows over the answer, real functions and decimals."""
        while isinstance(node, exp.Paren):
            (node,) = self.parts(node, "this")
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
            (node,) = self.parts(node.this, "this")  # of a group there is one value of its key
        grouped = self.reader.grouped(node)
        if grouped is not None:
            return grouped
        if isinstance(node, exp.Window) or is_quotient(node):
            running = self.reader.running(node)
            if running is not None:
                return running
        if isinstance(node, exp.Window):
            return self.window(node)
        if isinstance(node, exp.Null):
            return _null(Type.INTEGER)
        if isinstance(node, exp.Grouping):
            return self.is_total(node)
        if isinstance(node, exp.Anonymous) and str(node.this).upper() in _ENDS and len(node.expressions) == 1:
            return self.reader.end(node, node.expressions[0].name, _ENDS[str(node.this).upper()])
        if isinstance(node, (exp.Round, exp.Trunc)) and node.args.get("decimals") is not None:
            this, decimals = self.text.consume(node, "this", "decimals")
            return self.decimal(node, this, decimals, mode)  # type: ignore[arg-type]
        if isinstance(node, (exp.Cast, exp.TryCast)):
            cast = self.answer_cast(node, mode)
            if cast is not None:
                return cast
        real = self.real(node, mode)
        if real is not None:
            return self.reader.derived(real)
        expression = super().scalar(node, mode)
        is_whole = isinstance(expression, (Arithmetic, Absolute)) and self.is_whole(expression)
        return replace(expression, type=Type.INTEGER) if is_whole else expression

    def is_whole(self, expression: Arithmetic | Absolute) -> bool:
        """Whether it is computed from public integers: an integer, and NULL where it does not fit."""
        operands = (
            (expression.operand,) if isinstance(expression, Absolute) else (expression.left, expression.right)
        )
        if isinstance(expression, Arithmetic) and expression.op == "/":
            return False
        return all(operand.type is Type.INTEGER for operand in operands) and self.reader.is_public(expression)

    # -------------------------------------------------------------------------------------------- numbers

    def decimal(
        self, node: exp.Expression, this: exp.Expression, decimals: exp.Expression, mode: ColumnMeaning
    ) -> Expression:
        """ROUND(x, 2), TRUNC(x, 2): only for display. ROUND(x, -2) rounds to hundreds."""
        digits = self.constant(decimals).value
        if not isinstance(digits, int) or abs(digits) > MAX_DIGITS:
            raise self.mismatch(
                decimals,
                f"decimals are a number from {-MAX_DIGITS} to {MAX_DIGITS}",
                "",
                f"ROUND({self.text.quoted(this)}, 2)",
            )
        operand = self.number(this, mode)
        factor = Literal(float(10 ** abs(digits)), Type.FLOAT)
        there, back = ("*", "/") if digits >= 0 else ("/", "*")
        shifted = Arithmetic(there, operand, factor, Type.FLOAT)  # type: ignore[arg-type]
        whole: Expression = Rounded("round", shifted)
        if isinstance(node, exp.Trunc):
            positive = Compare(">=", operand, Literal(0, Type.INTEGER))
            whole = Case(((positive, Rounded("floor", shifted)),), Rounded("ceil", shifted), Type.INTEGER)
        return Arithmetic(back, whole, factor, Type.FLOAT)  # type: ignore[arg-type]

    def answer_cast(self, node: exp.Expression, mode: ColumnMeaning) -> Expression | None:
        """CAST(x AS DECIMAL(10, 2)) as ROUND(x, 2), and CAST(NULL AS DOUBLE); None for the casts that rows have too."""
        to = node.args["to"]
        sizes = [size.this for size in to.expressions]
        if isinstance(node.this, exp.Null) and not sizes:
            return _null(self.type_of(node, to))
        if not sizes or self.type_of(node, to) is not Type.FLOAT:
            return None
        scale = sizes[1] if len(sizes) > 1 else exp.Literal.number(0)
        return self.decimal(node, node.this, scale, mode)

    def real(self, node: exp.Expression, mode: ColumnMeaning) -> RealFunction | None:
        """SQRT, LN, LOG, EXP, POWER, and remainders that are not of a whole number by a constant; None for others."""
        if type(node) in _REAL:
            return RealFunction(_REAL[type(node)], (self.number(self.inner(node), mode),))  # type: ignore[arg-type]
        if isinstance(node, exp.Pow):
            base, power = (self.number(part, mode) for part in self.parts(node, "this", "expression"))
            return RealFunction("power", (base, power))
        if isinstance(node, exp.Log):
            first, second = self.text.consume(node, "this", "expression")
            operand = first if second is None else second
            name = "log10" if second is None else _BASES.get(str(first.this))  # type: ignore[attr-defined]
            if name is None or not isinstance(operand, exp.Expression):
                raise self.text.unsupported(
                    node,
                    "LOG to another base",
                    f"LN({self.text.quoted(second)}) / LN({self.text.quoted(first)})",  # type: ignore[arg-type]
                )
            return RealFunction(name, (self.number(operand, mode),))  # type: ignore[arg-type]
        if isinstance(node, exp.Mod):
            this, by = (self.number(part, mode) for part in self.parts(node, "this", "expression"))
            if this.type is not Type.INTEGER or not isinstance(by, Literal) or by.type is not Type.INTEGER:
                return RealFunction("mod", (this, by))
        return None

    def is_total(self, node: exp.Expression) -> Expression:
        """GROUPING(key): 1 in the totals over a key, where it is NULL; else 0."""
        (keys,) = self.text.consume(node, "expressions")
        if not isinstance(keys, list) or len(keys) != 1:
            raise self.text.unsupported(node, "GROUPING of several keys", "GROUPING(key), one for each key")
        return Cast(IsNull(self.scalar(keys[0], ColumnMeaning.RAW)), Type.INTEGER)

    # -------------------------------------------------------------------------------------------- windows

    def window(self, node: exp.Window) -> Expression:
        call, parts, order, spec, over = self.text.consume(
            node, "this", "partition_by", "order", "spec", "over"
        )
        if str(over).upper() != "OVER" or not isinstance(call, exp.Expression):
            raise self.no_window(node)
        if isinstance(call, exp.Anonymous) and str(call.this).upper() == "RATIO_TO_REPORT":
            return self.ratio(node, call)
        function = self.window_call(node, call)
        partition = (
            tuple(self.scalar(part, ColumnMeaning.RAW) for part in parts) if isinstance(parts, list) else ()
        )
        keys = []
        if isinstance(order, exp.Expression):
            (nodes,) = self.text.consume(order, "expressions")
            assert isinstance(nodes, list)
            for item in nodes:
                this, descending, nulls_first = self.text.consume(item, "this", "desc", "nulls_first")
                keys.append(Order(self.scalar(this, ColumnMeaning.RAW), bool(descending), bool(nulls_first)))  # type: ignore[arg-type]
        frame = frame_of(self.text, spec, ordered=bool(keys)) if type(call) in OF_VALUES else WHOLE
        if function.name in ("lag", "lead"):
            frame = WHOLE
        return self.reader.derived(replace(function, parts=partition, order=tuple(keys), frame=frame))

    def window_call(self, node: exp.Window, call: exp.Expression) -> WindowFunction:
        """The function of a window, without its rows."""
        if type(call) in RANKINGS:
            number = 1
            if isinstance(call, exp.Ntile):
                number = self.whole_number(*self.parts(call, "this"), least=1)
            else:
                self.text.consume(call, "expressions")
            kind = Type.FLOAT if isinstance(call, (exp.PercentRank, exp.CumeDist)) else Type.INTEGER
            return WindowFunction(RANKINGS[type(call)], None, kind, number=number)  # type: ignore[arg-type]
        name = OF_VALUES.get(type(call))
        if name is None:
            raise self.no_window(node)
        if isinstance(call, exp.Count) and isinstance(call.this, exp.Star):
            return WindowFunction("count", None, Type.INTEGER)
        this, offset, default = self.text.consume(call, "this", "offset", "default")
        if not isinstance(this, exp.Expression) or isinstance(this, exp.Distinct):
            raise self.no_window(node)
        try:
            operand = (self.number if name in ("sum", "avg") else self.scalar)(this, ColumnMeaning.RAW)
        except BadQuery as refusal:
            raise self.over_rows(node) if refusal.code == "not-grouped" else refusal from None
        kind = {"avg": Type.FLOAT, "count": Type.INTEGER}.get(name, operand.type)
        number = 1 if offset is None else self.whole_number(offset, least=1 if name == "nth_value" else 0)  # type: ignore[arg-type]
        other = None
        if isinstance(default, exp.Expression) and not isinstance(default, exp.Null):
            other = self.fitted(node, self.scalar(default, ColumnMeaning.RAW), operand.type)
            if kind is Type.INTEGER and other.type is Type.FLOAT:
                operand, kind = Cast(operand, Type.FLOAT), Type.FLOAT
        return WindowFunction(name, operand, kind, number=number, default=other)  # type: ignore[arg-type]

    def ratio(self, node: exp.Window, call: exp.Anonymous) -> Expression:
        """RATIO_TO_REPORT(x) OVER (…) as x / SUM(x) OVER (…)."""
        if len(call.expressions) != 1:
            raise self.text.missing(node)
        total = node.copy()
        total.set("this", exp.Sum(this=call.expressions[0].copy()))
        return self.scalar(exp.Div(this=call.expressions[0].copy(), expression=total), ColumnMeaning.RAW)

    def whole_number(self, node: exp.Expression, *, least: int) -> int:
        number = self.constant(node).value
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number < 2**31:
            raise self.mismatch(node, f"a whole number from {least} is expected", "", str(least or 1))
        return number

    def no_window(self, node: exp.Expression) -> BadQuery:
        return self.text.unsupported(
            node,
            f"the window function {self.text.quoted(node)}",
            "SUM(COUNT(*)) OVER (), of the groups of the answer",
        )

    def over_rows(self, node: exp.Window) -> BadQuery:
        """The refusal of a window function over the rows of a table."""
        return self.text.unsupported(
            node,
            "a window function over rows",
            f"GROUP BY, for a number for each group; SUM({self.text.quoted(node.this)}) OVER () adds up the groups",
        )


def _null(kind: Type) -> Expression:
    """NULL: a CASE without cases."""
    return Case((), None, kind)
