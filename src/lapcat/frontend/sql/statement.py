"""Translates one SELECT into a query: its rows, groups, aggregates and post-processing.

Clauses that read rows go into the plan. Clauses that read only the released answer (HAVING, ORDER BY, LIMIT, DISTINCT,
arithmetic over aggregates) are post-processing: free, and kept apart from the plan.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from lapcat.core.exact import exact
from lapcat.errors import BadQuery, Bug, Error, Refused
from lapcat.frontend.sql.answer_unions import union_of_answers
from lapcat.frontend.sql.calls import CALLS
from lapcat.frontend.sql.instead import SAME_AGGREGATE
from lapcat.frontend.sql.keys import Grouping, Items, public_values, read_grouping
from lapcat.frontend.sql.mismatch import a, as_condition
from lapcat.frontend.sql.naming import referred, require_bounds
from lapcat.frontend.sql.options import PUBLIC
from lapcat.frontend.sql.per_group import with_contributions
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import ColumnMeaning, NameScope, is_unit
from lapcat.frontend.sql.sources import Sources, TableVersions
from lapcat.frontend.sql.text import Text
from lapcat.frontend.sql.windows import counts_of, is_quotient, read_window
from lapcat.frontend.words import identifier
from lapcat.plan.aggregates import AGGREGATES, Aggregate, Argument, SelectionAggregate
from lapcat.plan.aggregates.mode import Mode as ModeOf
from lapcat.plan.aggregates.mode import TopK
from lapcat.plan.aggregates.running import RunningCount, RunningShare
from lapcat.plan.bounding import Limits
from lapcat.plan.choices import MAX_COUNTS
from lapcat.plan.columns import AnswerColumn, ComputedColumn, KeyColumn, ValueColumn
from lapcat.plan.compile import Query
from lapcat.plan.declaring import Declaring
from lapcat.plan.expressions import Arithmetic, Column, Expression, Literal, Rounded
from lapcat.plan.nodes import GroupKey, Public, Scan, private_scans
from lapcat.plan.released import After, Order
from lapcat.plan.released.enclosures import foreign
from lapcat.plan.released.vectors import afterwards
from lapcat.plan.schema import Catalogue, PublicTable, Table, Type, Value
from lapcat.plan.work import room_of

_NAMES: Mapping[str, Aggregate | SelectionAggregate] = {aggregate.name: aggregate for aggregate in AGGREGATES}
_CLAUSES = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
)


def understand(
    text: str,
    catalogue: Catalogue,
    scan: Callable[[Table], Scan],
    public: Callable[[PublicTable], Public],
) -> Query:
    """The query that the text asks of the catalogue's tables; `scan` and `public` give a table's declared version."""
    source = Text(
        text, next(iter(catalogue.tables), "table"), catalogue.limits, Declaring(catalogue.in_python)
    )
    try:
        tables, statement = TableVersions(catalogue, scan, public), source.parse()
        if isinstance(statement, exp.SetOperation):
            return union_of_answers(source, statement, lambda part: _Statement(source, tables, part).asked())
        return _Statement(source, tables, statement).asked()
    except RecursionError:
        raise BadQuery(
            "too-deep",
            "the question nests too deeply",
            fix="leave out brackets and sub-queries that nest, or ask for less at once",
        ) from None
    except Error:
        raise
    except Exception as mistake:
        raise Bug(
            "front-end",
            f"internal error while reading the question ({type(mistake).__name__}); nothing was charged",
            fix="please report the question; another way to write it may work",
        ) from mistake


class _Statement:
    def __init__(self, text: Text, tables: TableVersions, select: exp.Select) -> None:
        self.text, self.tables, self.select = text, tables, select
        self.notes: dict[str, None] = {}
        self.consume_clauses()
        self.by_unit = with_contributions(text, tables, self.select)
        """Whether rows are aggregated for each unit and group first, by the contribution bounds of the aggregates."""
        if not self.select.expressions:
            raise text.missing(self.select)
        sources = Sources(text, tables, self.notes)
        self.scope, _ = sources.read(self.select, {})
        sources.require_all_read()
        self.rows = sources.private(self.scope, self.select.args["from_"])
        sources.same_people(self.select, [self.rows])
        self.scalars = Scalars(text, self.scope, self.notes)
        self.items: Items = [sources.item(node) for node in self.select.expressions]
        self.columns: list[AnswerColumn] = []
        self.grouped = Grouping()

    def consume_clauses(self) -> None:
        """Refuses every clause that has no rule."""
        for key, value in self.select.args.items():
            if key in (*_CLAUSES, "with_") or value in (None, False, []):
                continue
            raise self.text.left_over(key, value, self.select)

    # -------------------------------------------------------------------------------------------- the question

    def asked(self) -> Query:
        self.grouped = grouped = self.grouping()
        groups = [key.expression for key in grouped.keys]
        for name, node in self.items:
            self.columns.append(self.renamed(self.column(name, node, groups)))
        self.check_names()
        after = self.after(groups)
        private = any(key.is_private for key in grouped.keys)
        if not private and all(isinstance(column, KeyColumn) for column in self.columns):
            raise self.keys_alone()
        keys = tuple(replace(key, name=self.key_name(n, key)) for n, key in enumerate(grouped.keys))
        limits = self.limits()
        offer = None
        own = self.text.options
        if own.epsilon is not None or own.delta is not None:

            def offer(epsilon: object, delta: object, otherwise: bool) -> tuple[object, object]:
                return own.price(epsilon, delta, otherwise=otherwise)

        room = room_of(self.tables.catalogue)
        return Query(
            self.rows,
            keys,
            tuple(self.columns),
            tuple(self.notes),
            after,
            grouped.sets,
            limits,
            offer,
            room,
            self.text.objection,
        )

    def grouping(self) -> Grouping:
        group = self.select.args.get("group")
        distinct = self.select.args.get("distinct")
        if group is None and distinct is not None and not any(n.find(exp.AggFunc) for _, n in self.items):
            group = exp.Group(
                expressions=[node for _, node in self.items]
            )  # SELECT DISTINCT city: its groups
        return read_grouping(self.text, self.scalars, group, self.items)

    def limits(self) -> Limits:
        """The contribution bounds in OPTIONS; the unit named there must be the declared one."""
        options = self.text.options
        scans = private_scans(self.rows)
        named = options.privacy_unit_column
        units = {scan.unit.column.casefold() for scan in scans if scan.unit.column is not None}
        if named is not None and named.casefold() not in units:
            declared = ", ".join(sorted(units)) or "each row"
            raise Refused(
                "unit-differs",
                f"privacy_unit_column is {named}, but the declared privacy unit is {declared}",
                why="the steward declares the privacy unit, and it holds for every question",
                fix="leave privacy_unit_column out of OPTIONS",
                place=options.place("privacy_unit_column"),
            )
        strategy = options.group_selection_strategy
        private = any(key.is_private for key in self.grouped.keys)
        if strategy is not None and self.grouped.keys and private is (strategy == PUBLIC):
            kind = "private" if private else "public"
            raise Refused(
                "groups-differ",
                f"group_selection_strategy is {strategy}, but the declared keys of these groups are {kind}",
                why="the steward declares which groups are public; only private ones need a threshold",
                fix="leave group_selection_strategy out of OPTIONS",
                place=options.place("group_selection_strategy"),
            )
        if not self.by_unit:
            return Limits(options.max_rows_contributed, options.max_groups_contributed)
        if options.max_rows_contributed is not None:
            raise BadQuery(
                "option-value",
                "max_rows_contributed beside contribution bounds per group",
                why="a unit's rows become one row of each group, whose total the bounds limit",
                fix="leave max_rows_contributed out of OPTIONS",
                place=options.place("max_rows_contributed"),
            )
        return Limits(options.max_groups_contributed, options.max_groups_contributed)  # one row per group

    # -------------------------------------------------------------------------------------------- columns

    def column(self, name: str | None, node: exp.Expression, groups: list[Expression]) -> AnswerColumn:
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
            (node,) = self.text.required(node.this, "this")  # of a group there is one value of its key
        value = self.aggregate(name, node)
        if value is not None:
            return value
        if isinstance(node, (exp.Star, exp.Subquery)) or node.find(exp.Subquery):
            raise self.row_level(node)
        if node.find(exp.AggFunc, exp.Window):
            return self.computed(name, node)
        expression = self.scalars.key(node)
        if expression not in groups:
            raise self.computed_of_keys(node, groups) or self.row_level(node)
        called = node.name if isinstance(node, exp.Column) else self.text.written(node)
        return KeyColumn(name or called, groups.index(expression))

    def computed(self, name: str | None, node: exp.Expression) -> ComputedColumn:
        """Arithmetic over aggregates."""
        inputs: dict[ValueColumn, None] = {}

        def input_of(part: exp.Expression) -> Expression:
            column = self.aggregate(None, part)
            if column is None:
                raise self.row_level(part)
            inputs[column] = None
            return Column(column.name, column.type)

        scalars = AnswerScalars(self.text, self.scope, self.notes, input_of, self.is_share)
        expression = scalars.scalar(node, ColumnMeaning.RAW)
        part = foreign(expression)
        if part is not None:
            raise self.text.unsupported(
                node,
                f"{self.text.quoted(node)} as a column of the answer",
                "select the aggregates, and compute with the answer",
            )
        if not expression.type.is_number:
            raise scalars.mismatch(
                node,
                "a column computed from aggregates is a number",
                f"a {expression.type}",
                "select the aggregates, and compute with the answer",
            )
        return ComputedColumn(name or self.text.written(node), expression, tuple(inputs))

    def keys_alone(self) -> Refused:
        """The refusal of a question that selects public group keys and no aggregate."""
        keys = ", ".join(self.text.written(node) for _, node in self.items)
        span = self.text.spans.of(self.select.expressions[-1])
        fix = f"SELECT {keys}, COUNT(*) AS n, and GROUP BY {keys}, without DISTINCT"
        if self.select.args.get("distinct") is None and span is not None:
            fix = f"{self.text.text[: span[1]]}, COUNT(*) AS n{self.text.text[span[1] :]}"
        return Refused(
            "row-level",
            f"{keys} alone selects public group keys and no number",
            why="an answer has a noisy number for each group; a number in ORDER BY must be selected too",
            fix=fix,
            place=self.text.place(self.select.expressions[0]),
        )

    def computed_of_keys(self, node: exp.Expression, groups: list[Expression]) -> Refused | None:
        """The refusal of an expression over group keys or constants; None if the expression depends on rows."""
        columns = list(node.find_all(exp.Column))
        if any(self.scalars.key(column) not in groups for column in columns):
            return None
        written = self.text.quoted(node)
        if not columns:
            what, fix = f"{written} is a constant", f"leave it out: {written}"
            if len(self.items) == 1:
                fix = self.text.example
        else:
            names = ", ".join(dict.fromkeys(self.text.written(column) for column in columns))
            what = f"{written} is computed from {names}, but not grouped by"
            fix = (
                f"leave it out, and compute it from {names} in the answer; or GROUP BY {self.text.written(node)} "
                "instead, which makes other groups"
            )
        return Refused(
            "row-level",
            what,
            why="the columns of an answer are group keys and aggregates",
            fix=fix,
            place=self.text.place(node),
        )

    def row_level(self, node: exp.Expression) -> Refused:
        return Refused(
            "row-level",
            f"{self.text.written(node)} would return single rows",
            why="only aggregates are released; a row is about one person",
            fix=f"ask for an aggregate, for example {self.text.count_of(private_scans(self.rows)[0].table)}",
            place=self.text.place(node),
        )

    def key_name(self, index: int, key: GroupKey) -> str:
        for column in self.columns:
            if isinstance(column, KeyColumn) and column.key == index:
                return column.name
        return key.name

    def renamed(self, column: AnswerColumn) -> AnswerColumn:
        """A second column of one name gets a number, as DuckDB numbers them: n, n_1."""
        taken = {known.name for known in self.columns}
        names = itertools.chain([column.name], (f"{column.name}_{number}" for number in itertools.count(1)))
        return replace(column, name=next(name for name in names if name not in taken))

    def check_names(self) -> None:
        taken: set[str] = set()
        for column, (_, node) in zip(self.columns, self.items, strict=True):
            names = [column.name]
            if not isinstance(column, KeyColumn):
                names += [f"{column.name}_low", f"{column.name}_high"]
            for name in names:
                if name in taken:
                    raise BadQuery(
                        "name-taken",
                        f"two columns of the answer would be named {name!r}",
                        fix=f"give it another name: {self.text.written(node)} AS {identifier(column.name.split('(')[0] + '_2')}",
                        place=self.text.place(node),
                    )
                taken.add(name)

    # -------------------------------------------------------------------------------------------- aggregates

    def aggregate(self, name: str | None, node: exp.Expression) -> ValueColumn | None:
        if isinstance(node, exp.Window) or is_quotient(node):
            return self.running(name, node)
        condition, shown = None, ""
        if isinstance(node, exp.Filter):
            inner, where = self.text.consume(node, "this", "expression")
            assert isinstance(inner, exp.Expression) and isinstance(where, exp.Where)
            (test,) = self.text.consume(where, "this")
            condition = self.scalars.predicate(test)  # type: ignore[arg-type]
            shown = self.text.written(test)  # type: ignore[arg-type]
            node = inner
        if isinstance(node, exp.WithinGroup):
            node = self.within_group(node)
        if not isinstance(node, exp.AggFunc):
            if condition is not None:
                raise self.text.unsupported(
                    node, "FILTER on something other than an aggregate", "COUNT(*) FILTER (WHERE …)"
                )
            return None
        call = CALLS.get(node.key)
        aggregate = None if call is None else _NAMES.get(call.aggregate)
        if call is None or aggregate is None:
            raise BadQuery(
                "unknown-aggregate",
                f"{self.text.called(node)} is not a supported aggregate",
                fix=self.other_aggregate(node),
                place=self.text.place(node),
            )
        parts = ["this", *(part for part in (call.second, call.parameter) if part is not None)]
        this, *more = self.text.required(node, *parts)
        if isinstance(this, exp.Distinct):
            aggregate, argument, unnamed = self.distinct(node, this)
        elif aggregate.name == "count" and isinstance(this, (exp.Star, exp.Literal)):
            self.text.consume(this, "this")
            argument, unnamed = Argument("*", None, None, None), "count_star()"
        else:
            argument = Argument(self.text.written(this), self.argument(aggregate, node, this), None, None)
            unnamed = f"{aggregate.name}({argument.text})"
            if call.parameter is not None:
                (constant,) = more
                argument = replace(argument, parameter=self.parameter(aggregate, node, constant))
                unnamed = f"{aggregate.name}({argument.text}, {self.text.written(constant)})"
            if isinstance(aggregate, ModeOf):
                argument = replace(argument, candidates=self.candidates(node, this, argument))
            if call.second is not None:
                (other,) = more
                second = self.argument(aggregate, node, other)
                argument = replace(argument, second=second, second_text=self.text.written(other))
                unnamed = f"{aggregate.name}({argument.text}, {argument.second_text})"
        argument = replace(argument, filter=condition, condition=shown)
        called = name or unnamed + (f" FILTER (WHERE {shown})" if shown else "")
        return ValueColumn(called, aggregate, argument)

    def other_aggregate(self, node: exp.Expression) -> str:
        """The supported equivalent of an unsupported aggregate; else the list of supported ones."""
        this = node.args.get("this")
        same = SAME_AGGREGATE.get(self.text.called(node))
        if same and isinstance(this, exp.Expression):
            return same.format(self.text.written(this))
        return f"one of: {', '.join(a.name.upper() for a in AGGREGATES if a.name != 'count_distinct')}"

    def running(self, name: str | None, node: exp.Expression) -> ValueColumn | None:
        """SUM(COUNT(*)) OVER (ORDER BY key), or its share of SUM(COUNT(*)) OVER (); None for any other quotient."""
        windows = []
        for window in [node] if isinstance(node, exp.Window) else [node.this, node.expression]:
            counts = self.aggregate(None, counts_of(self.text, window, self.grouped))
            assert counts is not None
            windows.append((counts.argument, read_window(self.text, window, self.grouped, self.place_of)))
        (argument, window), *over = windows
        aggregate: Aggregate = RunningCount(window)
        if over:
            if over != [(argument, window.whole)]:
                return None
            aggregate = RunningShare(window)
        return ValueColumn(name or self.text.written(node), aggregate, argument)

    def is_share(self, node: exp.Expression) -> bool:
        return is_quotient(node) and self.running(None, node) is not None

    def place_of(self, node: exp.Expression) -> int | None:
        """The position of the group key that a column, an alias or an expression refers to."""
        known = {name.name.casefold() for name in self.scope.names}
        meant = referred(self.text, node, self.items, lambda column: column.name.casefold() in known)
        expression = self.scalars.key(meant)
        places = (n for n, key in enumerate(self.grouped.keys) if key.expression == expression)
        return next(places, None)

    def within_group(self, node: exp.WithinGroup) -> exp.Expression:
        """PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x) as QUANTILE_CONT(x, 0.9)."""
        inner, order = self.text.consume(node, "this", "expression")
        assert isinstance(inner, exp.Expression)
        (ordered,) = self.ordering(order)  # type: ignore[arg-type]
        this, descending, _ = self.text.consume(ordered, "this", "desc", "nulls_first")
        if isinstance(inner, exp.Mode) and inner.args.get("this") is None:
            return exp.Mode(this=this)
        if not isinstance(inner, (exp.PercentileCont, exp.PercentileDisc)):
            raise self.text.unsupported(node, "WITHIN GROUP", "QUANTILE_CONT(x, 0.9)")
        (share,) = self.text.consume(inner, "this")
        if descending:
            raise self.text.unsupported(node, "WITHIN GROUP (ORDER BY … DESC)", "QUANTILE_CONT(x, 0.1)")
        return exp.PercentileCont(this=this, expression=share)

    def parameter(
        self, aggregate: Aggregate | SelectionAggregate, node: exp.Expression, constant: exp.Expression
    ) -> Fraction:
        """The share of QUANTILE_CONT, or the k of APPROX_TOP_K."""
        given = None
        if isinstance(constant, exp.Literal) and not constant.args.get("is_string"):
            given = exact(str(constant.this))
        if isinstance(aggregate, TopK):
            if given is not None and given.denominator == 1 and 1 <= given <= 1000:
                return given
            raise BadQuery(
                "top-k-range",
                "k in APPROX_TOP_K(x, k) is a whole number from 1 to 1000",
                fix=f"APPROX_TOP_K({self.text.written(node.this)}, 3)",
                place=self.text.place(node),
            )
        if given is not None and 0 < given < 1 and given.denominator <= 10**6:
            return given
        raise BadQuery(
            "quantile-range",
            "a quantile takes one share between 0 and 1",
            why="write one column per quantile: several quantiles of a column are charged once; MIN and MAX are the ends",
            fix=self.quantiles(node, constant),
            place=self.text.place(node),
        )

    def most_frequent(self, written: str) -> str:
        """MODE rewritten as a GROUP BY, over the same FROM and WHERE."""
        start = self.text.spans.of(self.select.args["from_"].this)
        source = "…"
        if start and not any(self.select.args.get(clause) for clause in _CLAUSES[4:] if clause != "distinct"):
            source = f"FROM {self.text.text[start[0] :].strip().rstrip(';')}"
        return f"SELECT {written}, COUNT(*) AS n {source} GROUP BY {written} ORDER BY n DESC LIMIT 1"

    def quantiles(self, node: exp.Expression, constant: exp.Expression) -> str:
        """One column per share of a list; an example if there is no list."""
        shares = constant.expressions if isinstance(constant, exp.Array) else []
        listed = [str(share.this) for share in shares if isinstance(share, exp.Literal)]
        of = self.text.written(node.this)
        if listed:
            return ", ".join(f"QUANTILE_CONT({of}, {share})" for share in listed)
        return f"give a share between 0 and 1, such as QUANTILE_CONT({of}, 0.9)"

    def candidates(self, node: exp.Expression, this: exp.Expression, argument: Argument) -> tuple[Value, ...]:
        """The public values that MODE selects among: the keys of a GROUP BY the same expression."""
        assert argument.value is not None and isinstance(node, exp.Func)
        key = public_values(self.text, self.scalars, this, argument.value)
        values = key.values
        if values is None:
            raise Refused(
                "mode-of-private",
                f"{self.text.called(node)}({argument.text}) selects among public values, but the keys of {argument.text} are private",
                why="a value that few people have must not be shown, so private keys need a threshold",
                fix=self.most_frequent(argument.text),
                place=self.text.place(node),
            )
        if key.size > MAX_COUNTS:  # before they are listed
            more = "" if argument.parameter is None else f", {int(argument.parameter)}"
            raise Refused(
                "choice-too-wide",
                f"{self.text.called(node)}({argument.text}) would select among {key.size} values",
                why=f"each value is counted, and one question may count at most {MAX_COUNTS} of them",
                fix=f"{self.text.called(node)}(BUCKETS({argument.text}){more}), which counts buckets",
                place=self.text.place(node),
            )
        picks = 1 if argument.parameter is None else int(argument.parameter)
        if picks > len(values):
            raise BadQuery(
                "top-k-range",
                f"APPROX_TOP_K asks for {picks} values, but {argument.text} has only {len(values)} public ones",
                fix=f"APPROX_TOP_K({argument.text}, {len(values)})",
                place=self.text.place(node),
            )
        return tuple(values)

    def argument(
        self, aggregate: Aggregate | SelectionAggregate, node: exp.Expression, this: exp.Expression
    ) -> Expression:
        """The argument of an aggregate."""
        if isinstance(aggregate, ModeOf):
            return self.scalars.key(this)
        value = self.scalars.value(this)
        if aggregate.needs_bounds:
            require_bounds(self.text, self.scalars, node, this, value)
        return value

    def distinct(
        self, node: exp.Expression, this: exp.Distinct
    ) -> tuple[Aggregate | SelectionAggregate, Argument, str]:
        """COUNT(DISTINCT x); on the unit column it counts units."""
        (values,) = self.text.consume(this, "expressions")
        if not isinstance(values, list) or not values:
            raise self.text.missing(node)
        if node.key == "count" and len(values) > 1:
            fix = f"COUNT(DISTINCT {self.text.written(values[0])}), of one column"
            raise self.text.unsupported(this, "COUNT(DISTINCT …) of several columns", fix)
        if node.key != "count" or len(values) != 1 or isinstance(values[0], exp.Tuple):
            raise self.text.unsupported(
                this,
                f"DISTINCT in {self.text.called(node)}",
                f"COUNT(DISTINCT {self.text.quoted(values[0])}), which counts the values",
            )
        written = self.text.written(values[0])
        value = (
            None
            if is_unit(self.text, self.scope, values[0])
            else self.scalars.scalar(values[0], ColumnMeaning.RAW)
        )
        return _NAMES["count_distinct"], Argument(written, value, None, None), f"count(DISTINCT {written})"

    # -------------------------------------------------------------------------------------------- the answer

    def after(self, groups: list[Expression]) -> After:
        having, order = self.select.args.get("having"), self.select.args.get("order")
        if having is not None and self.select.find(exp.Window):  # SQL adds up only what HAVING leaves
            raise self.text.unsupported(having, "HAVING with a running total", "leave one of them out")
        condition = None
        if having is not None:
            (test,) = self.text.consume(having, "this")
            condition = self.of_answer(test, groups)  # type: ignore[arg-type]
            if condition.type is not Type.BOOLEAN:
                fix = as_condition(self.text.quoted(test), condition.type)  # type: ignore[arg-type]
                raise self.scalars.mismatch(test, "a condition is true or false", a(condition.type), fix)  # type: ignore[arg-type]
        distinct = self.select.args.get("distinct")
        if distinct is not None:
            self.text.consume(distinct)
        return After(
            condition,
            distinct is not None,
            tuple(self.ordered(node, groups) for node in self.ordering(order)),
            self.text.whole_number(self.select.args.get("limit"), "LIMIT"),
            self.text.whole_number(self.select.args.get("offset"), "OFFSET") or 0,
        )

    def ordering(self, order: exp.Expression | None) -> list[exp.Expression]:
        if order is None:
            return []
        (nodes,) = self.text.consume(order, "expressions")
        assert isinstance(nodes, list)
        return nodes

    def ordered(self, node: exp.Expression, groups: list[Expression]) -> Order:
        this, descending, nulls_first = self.text.consume(node, "this", "desc", "nulls_first")
        assert isinstance(this, exp.Expression)
        if isinstance(this, exp.Literal) and not this.args.get("is_string"):
            position = int(this.this) if str(this.this).isdigit() else 0
            shown = [column for column in self.columns if column.shown]
            if not 1 <= position <= len(shown):
                raise BadQuery(
                    "order-position",
                    f"ORDER BY {this.this} is not the position of a column",
                    fix=f"ORDER BY a column from 1 to {len(shown)}, such as ORDER BY 1",
                    place=self.text.place(this),
                )
            chosen = shown[position - 1]
            return Order(self.column_of(chosen, groups), bool(descending), bool(nulls_first))
        alone = isinstance(this, exp.Column)
        return Order(self.of_answer(this, groups, shown_first=alone), bool(descending), bool(nulls_first))

    def of_answer(
        self, node: exp.Expression, groups: list[Expression], *, shown_first: bool = False
    ) -> Expression:
        """An expression over the answer's columns; aggregates and keys that are not selected become hidden columns.

        A name that is both a key and an alias means the key, as in SQL; a bare name in ORDER BY means the alias
        (`shown_first`)."""

        def hidden(part: exp.Expression) -> Expression:
            column = self.aggregate(None, part)
            if column is None:
                raise self.row_level(part)
            for known in self.columns:
                if isinstance(known, ValueColumn) and (known.aggregate, known.argument) == (
                    column.aggregate,
                    column.argument,
                ):
                    return Column(known.name, known.type)
            column = replace(column, name=f"#{len(self.columns)}", shown=False)
            self.columns.append(column)
            return Column(column.name, column.type)

        def alias(part: exp.Column) -> Expression | None:
            for column in self.columns:
                for suffix in ("", "_low", "_high") if not isinstance(column, KeyColumn) else ("",):
                    if not part.table and (column.name + suffix).casefold() == part.name.casefold():
                        return replace(self.column_of(column, groups), name=column.name + suffix)
            return None

        def named(part: exp.Column) -> Expression:
            shown = alias(part)
            if shown is not None and (shown_first or not self.scope.has(part.name)):
                return shown
            expression = self.scalars.key(part)
            if expression not in groups:
                if shown is not None:
                    return shown
                raise self.row_level(part)
            index = groups.index(expression)
            for column in self.columns:
                if isinstance(column, KeyColumn) and column.key == index:
                    return self.column_of(column, groups)
            key = KeyColumn(f"#{len(self.columns)}", index, shown=False)
            self.columns.append(key)
            return self.column_of(key, groups)

        expression = AnswerScalars(self.text, self.scope, self.notes, hidden, self.is_share, named).scalar(
            node, ColumnMeaning.RAW
        )
        if afterwards(expression) is not None:
            raise self.text.unsupported(node, "CAST of a text in HAVING or ORDER BY", "compare it as a text")
        return expression

    def column_of(self, column: AnswerColumn, groups: list[Expression]) -> Column:
        kind = groups[column.key].type if isinstance(column, KeyColumn) else column.type
        return Column(column.name, kind)


class AnswerScalars(Scalars):
    """Translates expressions over the answer: names refer to its columns, aggregates to their estimates."""

    def __init__(
        self,
        text: Text,
        scope: NameScope,
        notes: dict[str, None],
        aggregate: Callable[[exp.Expression], Expression],
        share: Callable[[exp.Expression], bool],
        column: Callable[[exp.Column], Expression] | None = None,
    ) -> None:
        super().__init__(text, scope, notes, aggregate)
        self.share, self.column = share, column

    def named(self, node: exp.Column, mode: ColumnMeaning) -> Expression:
        if self.column is None:
            raise Refused(
                "row-level",
                f"{self.text.written(node)} is not an aggregate",
                why="aggregates can be combined only with constants and other aggregates",
                fix=f"select {self.text.written(node)} as a column of its own, and GROUP BY it",
                place=self.text.place(node),
            )
        return self.column(node)

    def scalar(self, node: exp.Expression, mode: ColumnMeaning) -> Expression:
        """As for rows, plus windows over the answer and ROUND(x, 2), which is only for display."""
        assert self.aggregate is not None
        while isinstance(node, exp.Paren):
            (node,) = self.parts(node, "this")
        if isinstance(node, exp.Window) or self.share(node):
            return self.aggregate(node)
        if isinstance(node, (exp.Cast, exp.TryCast)) and len(node.args["to"].expressions) == 2:
            scale = node.args["to"].expressions[1].this  # DECIMAL(10, 2) of a result
            node = exp.Round(this=node.this.copy(), decimals=scale.copy())
        if isinstance(node, exp.Round) and node.args.get("decimals") is not None:
            this, decimals = self.text.consume(node, "this", "decimals")
            digits = self.constant(decimals).value  # type: ignore[arg-type]
            if isinstance(digits, int) and 0 <= digits <= 15:
                factor = Literal(float(10**digits), Type.FLOAT)
                shifted = Arithmetic("*", self.number(this, mode), factor, Type.FLOAT)  # type: ignore[arg-type]
                return Arithmetic("/", Rounded("round", shifted), factor, Type.FLOAT)
        return super().scalar(node, mode)
