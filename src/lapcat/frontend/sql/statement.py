"""Translates one SELECT into a query: its rows, groups, aggregates and post-processing.

Clauses that read rows go into the plan. Clauses that read only the released answer (HAVING, QUALIFY, ORDER BY, LIMIT,
DISTINCT, expressions over keys and aggregates) are post-processing: free, and kept apart from the plan.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadQuery, Bug, Error, Refused
from lapcat.frontend.sql.answer_unions import union_of_answers
from lapcat.frontend.sql.answers import (
    Afterwards,
    AnswerColumns,
    AnswerScalars,
    EstimatesOnly,
    NotComputed,
    Selected,
    not_grouped,
    without_aliases,
    without_own_ends,
)
from lapcat.frontend.sql.calls import PARAMETERS, aggregate_of
from lapcat.frontend.sql.contributions import columns_of_quantiles
from lapcat.frontend.sql.instead import OF_SINGLE_ROWS, SAME_AGGREGATE
from lapcat.frontend.sql.keys import Grouping, Items, public_values, read_grouping
from lapcat.frontend.sql.lookups import PublicLookup, no_lookup
from lapcat.frontend.sql.mismatch import a, as_condition
from lapcat.frontend.sql.naming import referred, require_bounds
from lapcat.frontend.sql.options import PUBLIC
from lapcat.frontend.sql.per_group import with_contributions
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.scopes import ColumnMeaning, DeclaredColumn, is_unit
from lapcat.frontend.sql.sources import Sources, TableVersions
from lapcat.frontend.sql.text import Text
from lapcat.frontend.sql.today import DateOf, today_of
from lapcat.frontend.sql.windows import counts_of, is_quotient, named_windows, running_window
from lapcat.frontend.words import identifier
from lapcat.plan.aggregates import AGGREGATES, Aggregate, Argument, SelectionAggregate
from lapcat.plan.aggregates.mode import ApproxTopK
from lapcat.plan.aggregates.mode import Mode as ModeOf
from lapcat.plan.aggregates.running import RunningCount, RunningShare
from lapcat.plan.bounding import Limits
from lapcat.plan.choices import MAX_COUNTS
from lapcat.plan.columns import AnswerColumn, ComputedColumn, DerivedColumn, KeyColumn, ValueColumn
from lapcat.plan.compile import Query
from lapcat.plan.declaring import Declaring
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import Group, GroupKey, Public, Scan, private_scans
from lapcat.plan.released import After, Order
from lapcat.plan.released.derived import Standing, Standings, with_statements
from lapcat.plan.released.enclosures import foreign
from lapcat.plan.released.vectors import afterwards
from lapcat.plan.schema import Catalogue, PublicTable, Table, Type, Value
from lapcat.plan.work import room_of

_CLAUSES = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "qualify",
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
    today: DateOf = lambda table: None,
    lookup: PublicLookup = no_lookup,
) -> Query:
    """The query that the text asks of the catalogue's tables; `scan` and `public` give a table's declared version, `today` the
    date that the steward gave with it, `lookup` values of a public table by a unique column."""
    source = Text(
        text, next(iter(catalogue.tables), "table"), catalogue.limits, Declaring(catalogue.in_python)
    )
    try:
        tables, statement = TableVersions(catalogue, scan, public, lookup), source.parse()
        source.today = today_of(statement, source, catalogue, today)
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
        named_windows(self.select)
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
        self.items: Items = without_own_ends([sources.item(node) for node in self.select.expressions])
        self.grouped = self.grouping()
        self.answer = AnswerColumns(
            text, self.scalars, self.items, self.grouped, self.estimate, self.running, tables.lookup
        )

    def consume_clauses(self) -> None:
        """Refuses every clause that has no rule."""
        for key, value in self.select.args.items():
            if key in (*_CLAUSES, "with_") or value in (None, False, []):
                continue
            raise self.text.left_over(key, value, self.select)

    # -------------------------------------------------------------------------------------------- the question

    def asked(self) -> Query:
        grouped = self.grouped
        nodes = without_aliases(self.text, self.scope, self.items)
        for (name, item), node in zip(self.items, nodes, strict=True):
            self.columns.append(self.renamed(self.column(name, item, node)))
        self.check_names()
        after = self.after()
        plan = Group(self.rows, grouped.keys, (), grouped.sets)
        standings = Standings(self.columns, after, plan)
        private = any(key.is_private for key in grouped.keys)
        if not private and all(standings.of(column.name) is Standing.PUBLIC for column in self.columns):
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
            with_statements(self.columns, after, plan),
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
            keys = [node for _, node in self.items if node.find(exp.Column)]
            group = exp.Group(expressions=keys) if keys else None  # SELECT DISTINCT city: its groups
        return read_grouping(self.text, self.scalars, group, self.items, self.tables.lookup)

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
                fix="leave privacy_unit_column out of OPTIONS, which asks the same of the declared unit",
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

    @property
    def columns(self) -> list[AnswerColumn]:
        return self.answer.columns

    def column(self, name: str | None, item: exp.Expression, node: exp.Expression) -> AnswerColumn:
        """The column of a selected item; `node` is the same without names of other items."""
        called = name or (item.name if isinstance(item, exp.Column) else self.text.written(item))
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
            (node,) = self.text.required(node.this, "this")  # of a group there is one value of its key
        value = self.aggregate(name, node)
        if value is not None:
            return value
        if isinstance(node, (exp.Star, exp.Subquery)) or node.find(exp.Subquery):
            raise self.row_level(node)
        if node.find(exp.AggFunc, exp.Window):
            try:
                return self.computed(called, node)
            except NotComputed:
                return self.derived(called, node)
        key = self.place_of(node, in_select=True)
        if key is not None:
            own = node.name if isinstance(node, exp.Column) else self.text.written(node)
            return KeyColumn(name or own, key)
        try:
            return self.derived(called, node)
        except BadQuery as refusal:
            if refusal.code != "not-grouped":
                raise
            self.scalars.key(node)  # what cannot be read at all is refused for that reason
            is_part = not isinstance(node, exp.Column) and self.aggregates()
            raise (refusal if is_part else self.row_level(node)) from None

    def computed(self, name: str, node: exp.Expression) -> ComputedColumn:
        """Arithmetic over aggregates."""
        reader = EstimatesOnly(self.estimate, self.running)
        expression = AnswerScalars(self.text, self.scope, self.notes, reader).scalar(node, ColumnMeaning.RAW)
        if foreign(expression) is not None or not expression.type.is_number:
            raise NotComputed
        return ComputedColumn(name, expression, tuple(reader.inputs))

    def derived(self, name: str, node: exp.Expression) -> DerivedColumn:
        """An expression over keys, constants and aggregates."""
        scalars = AnswerScalars(self.text, self.scope, self.notes, Selected(self.answer))
        expression = scalars.scalar(node, ColumnMeaning.RAW)
        self.require_released(node, expression)
        return DerivedColumn(name, expression)

    def require_released(self, node: exp.Expression, expression: Expression) -> None:
        if afterwards(expression) is not None:
            raise self.text.unsupported(node, "CAST of a text of the answer", "compare it as a text")

    def estimate(self, node: exp.Expression) -> ValueColumn:
        """An aggregate inside an expression."""
        column = self.aggregate(None, node)
        if column is None:
            raise self.row_level(node)
        return column

    def keys_alone(self) -> Refused | BadQuery:
        """The refusal of a question that selects public group keys and no aggregate."""
        keys = ", ".join(self.text.written(node) for _, node in self.items)
        if not self.grouped.keys:
            return self.constants_alone()
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

    def constants_alone(self) -> Refused | BadQuery:
        """The refusal of SELECT 1 FROM staff, or of a window over its rows: SQL returns a row for every row."""
        (_, node), *_ = self.items
        if node.find(exp.Column, exp.Window):
            return self.row_level(node)
        return Refused(
            "row-level",
            f"{self.text.quoted(node)} is a constant",
            why="an answer has a noisy number; constants may stand beside it",
            fix=self.text.example,
            place=self.text.place(node),
        )

    def row_level(self, node: exp.Expression) -> Refused | BadQuery:
        means = self.scope.find(self.text, node).means if isinstance(node, exp.Column) else None
        if isinstance(means, DeclaredColumn) and means.table in self.tables.catalogue.public:
            written = self.text.written(node)
            return Refused(
                "row-level",
                f"{written} is a column of a public table, and the question does not group by it",
                why="the columns of an answer are group keys and aggregates",
                fix=f"leave {written} out, and look it up in {means.table}, which is public; or GROUP BY {written} instead, "
                "which makes other groups",
                place=self.text.place(node),
            )
        if isinstance(node, exp.Column) and self.aggregates():
            return not_grouped(self.text, node)
        return Refused(
            "row-level",
            f"{self.text.written(node)} would return single rows",
            why="only aggregates are released; a row is about one person",
            fix=f"ask for an aggregate, for example {self.text.count_of(private_scans(self.rows)[0].table)}",
            place=self.text.place(node),
        )

    def aggregates(self) -> bool:
        """Whether the answer has a row for each group, or one for all rows."""
        return bool(self.grouped.keys) or any(node.find(exp.AggFunc) for _, node in self.items)

    def key_name(self, index: int, key: GroupKey) -> str:
        for column in self.columns:
            if isinstance(column, KeyColumn) and column.key == index and column.shown:
                return column.name
        return key.name

    def renamed(self, column: AnswerColumn) -> AnswerColumn:
        """A second column of one name gets a number, as DuckDB numbers them: n, n_1."""
        taken = {known.name for known in self.columns}
        names = itertools.chain([column.name], (f"{column.name}_{number}" for number in itertools.count(1)))
        return replace(column, name=next(name for name in names if name not in taken))

    def check_names(self) -> None:
        taken: set[str] = set()
        for column, (_, node) in zip(self.answer.shown, self.items, strict=True):
            names = [column.name]
            if isinstance(column, ValueColumn | ComputedColumn) or self.answer.has_interval(column):
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
            return self.running(node, name)
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
        if not isinstance(node, exp.AggFunc) or isinstance(node, exp.Grouping):
            if condition is not None:
                raise self.text.unsupported(
                    node, "FILTER on something other than an aggregate", "COUNT(*) FILTER (WHERE …)"
                )
            return None
        aggregate = aggregate_of(node.key)
        if aggregate is None:
            raise BadQuery(
                "unknown-aggregate",
                f"{self.text.called(node)} is not a supported aggregate",
                why=self.no_aggregate(node),
                fix=self.other_aggregate(node),
                place=self.text.place(node),
            )
        parameter, second = PARAMETERS.get(node.key), "expression" if aggregate.arguments == 2 else None
        parts = ["this", *(part for part in (second, parameter) if part is not None)]
        this, *more = self.text.required(node, *parts)
        if isinstance(this, exp.Distinct):
            aggregate, argument, unnamed = self.distinct(node, this)
        elif aggregate.name == "count" and isinstance(this, (exp.Star, exp.Literal)):
            self.text.consume(this, "this")
            argument, unnamed = Argument("*", None, None, None), "count_star()"
        else:
            argument = Argument(self.text.written(this), self.argument(aggregate, node, this), None, None)
            unnamed = f"{aggregate.name}({argument.text})"
            if parameter is not None:
                (constant,) = more
                argument = replace(argument, parameter=self.parameter(aggregate, node, constant))
                unnamed = f"{aggregate.name}({argument.text}, {self.text.written(constant)})"
            if isinstance(aggregate, ModeOf):
                argument = replace(argument, candidates=self.candidates(node, this, argument))
            if second is not None:
                (other,) = more
                value = self.argument(aggregate, node, other)
                argument = replace(argument, second=value, second_text=self.text.written(other))
                unnamed = f"{aggregate.name}({argument.text}, {argument.second_text})"
        argument = replace(argument, filter=condition, condition=shown)
        called = name or unnamed + (f" FILTER (WHERE {shown})" if shown else "")
        return ValueColumn(called, aggregate, argument)

    def no_aggregate(self, node: exp.Expression) -> str:
        """Why an aggregate has no noisy form; empty if it is merely unknown."""
        if isinstance(node, (exp.LogicalAnd, exp.LogicalOr)):
            return "a single row decides it, and noise hides every single row"
        return "its result is the value of single rows" if node.key in OF_SINGLE_ROWS else ""

    def other_aggregate(self, node: exp.Expression) -> str:
        """The supported equivalent of an unsupported aggregate; else the list of supported ones."""
        this = node.args.get("this")
        same = SAME_AGGREGATE.get(self.text.called(node))
        if same and isinstance(this, exp.Expression):
            return same.format(self.text.written(this))
        if isinstance(node, (exp.LogicalAnd, exp.LogicalOr)):
            condition = self.text.written(node.this)
            return (
                f"COUNT(*) FILTER (WHERE {condition}), COUNT(*) FILTER (WHERE NOT ({condition})), which count both; "
                "or in a sub-query that is grouped by the unit"
            )
        if node.key == "approxquantiles" and isinstance(this, exp.Expression):
            return columns_of_quantiles(self.text.written(this), str(node.args["expression"]))
        if node.key in OF_SINGLE_ROWS and isinstance(this, exp.Expression):
            return f"COUNT(DISTINCT {self.text.written(this)}), which counts the values"
        return f"one of: {', '.join(name.upper() for name in AGGREGATES if name != 'count_distinct')}"

    def running(self, node: exp.Expression, name: str | None = None) -> ValueColumn | None:
        """SUM(COUNT(*)) OVER (ORDER BY key), or its share of SUM(COUNT(*)) OVER (); None for other windows and quotients.

        With HAVING a window sees the rows that are left, which only the answer knows."""
        if self.select.args.get("having") is not None:
            return None
        windows = []
        for window in [node] if isinstance(node, exp.Window) else [node.this, node.expression]:
            inside = counts_of(window)
            cells = None
            if inside is not None:
                cells = running_window(self.text, window, self.grouped, self.place_of)
            if inside is None or cells is None:
                return None
            windows.append((self.estimate(inside).argument, cells))
        (argument, cells), *over = windows
        aggregate: Aggregate = RunningCount(cells)
        if over:
            if over != [(argument, cells.whole)]:
                return None
            aggregate = RunningShare(cells)
        return ValueColumn(name or self.text.written(node), aggregate, argument)

    def place_of(self, node: exp.Expression, *, in_select: bool = False) -> int | None:
        """The position of the group key that a column, an alias or an expression refers to; None if it is not a key."""
        known = {name.name.casefold() for name in self.scope.names}
        if in_select:
            meant = node
        elif isinstance(node, exp.Literal):
            return None
        else:
            meant = referred(self.text, node, self.items, lambda column: column.name.casefold() in known)
        try:
            expression = Scalars(self.text, self.scope, {}).key(meant)
        except Error:
            return None
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
        if descending and isinstance(share, exp.Literal) and not share.args.get("is_string"):
            share = exp.Literal.number(exact_text(1 - exact(str(share.this))))  # from the largest down
        elif descending:
            raise self.text.unsupported(node, "WITHIN GROUP (ORDER BY … DESC)", "QUANTILE_CONT(x, 0.1)")
        return exp.PercentileCont(this=this, expression=share)

    def parameter(
        self, aggregate: Aggregate | SelectionAggregate, node: exp.Expression, constant: exp.Expression
    ) -> Fraction:
        """The share of QUANTILE_CONT, or the k of APPROX_TOP_K."""
        given = None
        if isinstance(constant, exp.Literal) and not constant.args.get("is_string"):
            given = exact(str(constant.this))
        if isinstance(aggregate, ApproxTopK):
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
        source = self.source() or "…"
        return f"SELECT {written}, COUNT(*) AS n {source} GROUP BY {written} ORDER BY n DESC LIMIT 1"

    def source(self) -> str:
        """FROM and WHERE as written; empty where other clauses follow."""
        start = self.text.spans.of(self.select.args["from_"].this)
        if start is None or any(self.select.args.get(c) for c in _CLAUSES[4:] if c != "distinct"):
            return ""
        return f"FROM {self.text.text[start[0] :].strip().rstrip(';')}"

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
                fix=f"APPROX_TOP_K({argument.text}, {len(values)}), which is all of them",
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
        several = values[0].expressions if isinstance(values[0], exp.Tuple) and len(values) == 1 else values
        if node.key == "count" and len(several) > 1:
            fix = f"COUNT(DISTINCT {self.text.written(several[0])}), of one column"
            if any(is_unit(self.text, self.scope, value) for value in several) and self.source():
                columns = ", ".join(self.text.written(value) for value in several)
                fix = f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT {columns} {self.source()})"
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
        return (
            AGGREGATES["count_distinct"],
            Argument(written, value, None, None),
            f"count(DISTINCT {written})",
        )

    # -------------------------------------------------------------------------------------------- the answer

    def after(self) -> After:
        having, qualify = self.select.args.get("having"), self.select.args.get("qualify")
        order, distinct = self.select.args.get("order"), self.select.args.get("distinct")
        if having is not None and having.find(exp.Window):
            raise self.text.unsupported(
                having, "a window function in HAVING", "write QUALIFY in place of HAVING"
            )
        if distinct is not None:
            self.text.consume(distinct)
        return After(
            self.condition(having),
            distinct is not None,
            tuple(self.ordered(node) for node in self.ordering(order)),
            self.text.whole_number(self.select.args.get("limit"), "LIMIT"),
            self.text.whole_number(self.select.args.get("offset"), "OFFSET") or 0,
            self.condition(qualify),
        )

    def condition(self, clause: exp.Expression | None) -> Expression | None:
        """The condition of HAVING or QUALIFY."""
        if clause is None:
            return None
        (test,) = self.text.required(clause, "this")
        condition = self.of_answer(test)
        if condition.type is not Type.BOOLEAN:
            fix = as_condition(self.text.quoted(test), condition.type)
            raise self.scalars.mismatch(test, "a condition is true or false", a(condition.type), fix)
        return condition

    def ordering(self, order: exp.Expression | None) -> list[exp.Expression]:
        if order is None:
            return []
        (nodes,) = self.text.consume(order, "expressions")
        assert isinstance(nodes, list)
        return nodes

    def ordered(self, node: exp.Expression) -> Order:
        this, descending, nulls_first = self.text.consume(node, "this", "desc", "nulls_first")
        assert isinstance(this, exp.Expression)
        if isinstance(this, exp.Literal) and not this.args.get("is_string"):
            position = int(this.this) if str(this.this).isdigit() else 0
            shown = self.answer.shown
            if not 1 <= position <= len(shown):
                raise BadQuery(
                    "order-position",
                    f"ORDER BY {this.this} is not the position of a column",
                    fix=f"ORDER BY a column from 1 to {len(shown)}, such as ORDER BY 1",
                    place=self.text.place(this),
                )
            chosen = shown[position - 1]
            return Order(self.answer.reference(chosen), bool(descending), bool(nulls_first))
        alone = isinstance(this, exp.Column)
        return Order(self.of_answer(this, shown_first=alone), bool(descending), bool(nulls_first))

    def of_answer(self, node: exp.Expression, *, shown_first: bool = False) -> Expression:
        """An expression over the answer's columns."""
        reader = Afterwards(self.answer, self.row_level, shown_first=shown_first)
        expression = AnswerScalars(self.text, self.scope, self.notes, reader).scalar(node, ColumnMeaning.RAW)
        self.require_released(node, expression)
        return expression
