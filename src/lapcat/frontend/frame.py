"""Query builder in the style of Polars and Ibis, which generates SQL.

    db.table("staff").where("age >= 30").group_by("region").agg(pay=lapcat.mean("salary")).run(epsilon=0.5)

The SQL goes through the SQL front-end, so there is one way to a plan. Builders are immutable; each method returns a new
one. `Rows` become `Groups` by group_by and an `Outcome` by agg; only an outcome can be run, since rows are never
released. Misuse is refused here where an error about the generated SQL would be less clear.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from lapcat.errors import BadArgument, BadQuery
from lapcat.frontend.measures import Measure
from lapcat.frontend.select import FromClause, Joined, Select, SelectItem
from lapcat.frontend.words import expression, identifier, mentioned
from lapcat.plan.schema import Catalogue, Unit

if TYPE_CHECKING:
    from lapcat.session.question import Question
    from lapcat.session.results import Answer, Preview, SensitivityReport

_LATER = {
    **dict.fromkeys(
        ("run", "preview", "explain", "sensitivity", "sql"),
        "a question needs agg: single rows are never released",
    ),
    **dict.fromkeys(
        ("having", "order_by", "limit", "offset", "distinct"), "it applies to the answer, after agg"
    ),
}
_SOONER = dict.fromkeys(
    (
        "where",
        "with_columns",
        "select",
        "join",
        "union",
        "per_unit",
        "group_by",
        "rollup",
        "cube",
        "grouping_sets",
        "agg",
        "histogram",
        "cdf",
    ),
    "it applies to rows, before agg; to filter the answer use having",
)


@dataclass(frozen=True, slots=True)
class Desk:
    """The catalogue, and the function that makes a question of SQL."""

    catalogue: Catalogue
    asks: Callable[[str], Question]

    def table(self, name: str) -> FromClause:
        """A declared table by its name, in any case."""
        known = {each.casefold(): each for each in (*self.catalogue.tables, *self.catalogue.public)}
        if not isinstance(name, str) or name.casefold() not in known:
            close = difflib.get_close_matches(str(name), list(known.values()), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise BadQuery(
                "unknown-table", f"no table {name!r}{hint}", fix=f"one of: {', '.join(known.values())}"
            )
        declared = known[name.casefold()]
        if declared in self.catalogue.public:
            return FromClause(declared, tuple(self.catalogue.public[declared].columns), None, table=declared)
        table = self.catalogue.tables[declared]
        own = () if table.unit.column is None or table.unit.column in table.columns else (table.unit.column,)
        return FromClause(declared, (*own, *table.columns), table.unit, table=declared)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table after some steps. They can be aggregated, never shown."""

    desk: Desk
    source: FromClause
    joins: tuple[Joined, ...] = ()
    conditions: tuple[str, ...] = ()
    options: tuple[tuple[str, int], ...] = ()

    # -------------------------------------------------------------------------------------------- which rows

    def where(self, *conditions: str) -> Rows:
        """The rows for which every condition is true."""
        if not conditions:
            raise _missing("where", '.where("age >= 30")')
        return replace(self, conditions=(*self.conditions, *map(self._read, conditions)))

    def with_columns(self, **named: str) -> Rows:
        """The same rows with computed columns; an existing column of the same name is replaced."""
        if not named:
            raise _missing("with_columns", '.with_columns(monthly="salary / 12")')
        new = {name.casefold() for name in named}
        carried = [item for item in self._carried() if item.name is None or item.name.casefold() not in new]
        return self._nested(Select(*self._body, (*carried, *self._named(named)), carries=True))

    def select(self, *columns: str, **named: str) -> Rows:
        """The same rows with only these columns."""
        if not columns and not named:
            raise _missing("select", '.select("region", monthly="salary / 12")')
        plain = [self._column_item(column) for column in columns]
        return self._nested(Select(*self._body, (*plain, *self._named(named)), carries=True))

    def join(
        self, other: str | Rows, on: str | Sequence[str] | Mapping[str, str], *, how: str = "inner"
    ) -> Rows:
        """Joins the matching rows of another table.

        `on` is a common column, several of them, or pairs {"left": "right"}. In a self-join the right side is named
        name_2.
        """
        if how not in ("inner", "left"):
            raise BadArgument("join-how", f"how is 'inner' or 'left', not {how!r}", fix='how="left"')
        right = Rows(self.desk, self.desk.table(other)) if isinstance(other, str) else other
        if not isinstance(right, Rows):
            raise BadArgument(
                "rows-wanted",
                f"join takes a table's name or rows, not {type(other).__name__}",
                fix='.join("regions", on="region")',
            )
        right._refuse_options("join")
        source = right._as_source(self._free_alias(right.source.alias))
        if isinstance(on, Mapping):
            pairs = tuple((self._qualified(left), _theirs(source, theirs)) for left, theirs in on.items())
            joined = Joined(source, how == "left", on=pairs)
        else:
            names = (on,) if isinstance(on, str) else tuple(on)
            joined = Joined(source, how == "left", using=tuple(self._shared(name, source) for name in names))
        if not joined.using and not joined.on:
            raise BadArgument("join-on", "a join needs a column to match on", fix='on="person_id"')
        # A condition from before the join refers to our columns only, so it goes into a sub-query if names clash.
        foreign = {name.casefold() for name in source.columns} - {name.casefold() for name in joined.using}
        left = self if not mentioned(self.conditions) & foreign else self._inside()
        return replace(left, joins=(*left.joins, joined))

    def union(self, *others: Rows) -> Rows:
        """All rows of both (UNION ALL); the columns must have the same names."""
        if not others:
            raise _missing("union", '.union(db.table("archive"))')
        names = [item.name for item in self._carried()]
        queries = []
        for rows in (self, *others):
            if not isinstance(rows, Rows):
                raise BadArgument(
                    "rows-wanted",
                    f"union takes rows, not {type(rows).__name__}",
                    fix='.union(db.table("archive"))',
                )
            if rows is not self:
                rows._refuse_options("union")
            query = rows._as_query()
            items = {item.name: item for item in query.items}
            if set(items) != set(names):
                common = ", ".join(f'"{name}"' for name in names if name in items) or '"…"'
                raise BadArgument(
                    "union-columns",
                    f"{self.source.alias} and {rows.source.alias} have different columns",
                    fix=f".select({common}) on both sides first",
                )
            queries.append(replace(query, items=tuple(items[name] for name in names)))
        same = all(rows._unit() == self._unit() for rows in others)
        source = FromClause(
            self.source.alias, _named_only(names), self._unit() if same else None, queries=tuple(queries)
        )
        return replace(self, source=source, joins=(), conditions=())

    def per_unit(self, *keys: str, **measures: Measure | str) -> Rows:
        """Per-unit aggregates, such as each person's total: one row for each unit (and combination of keys)."""
        if not measures:
            raise _missing("per_unit", '.per_unit(total=lapcat.sum("cost"))')
        column = self._unit_column()
        items = [SelectItem(column, _name_of(column)), *(self._column_item(key) for key in keys)]
        group = ", ".join(item.text for item in items)
        made = [SelectItem(self._measured(measure), name) for name, measure in measures.items()]
        return self._nested(Select(*self._body, (*items, *made), group))

    def bound(self, *, rows: int | None = None, groups: int | None = None) -> Rows:
        """Sets the contribution bounds of this question, in rows or groups per unit: lower means less noise and more bias."""
        return replace(self, options=_options(self.options, rows, groups))

    # -------------------------------------------------------------------------------------------- groups

    def group_by(self, *keys: str, **named: str) -> Groups:
        """One group for each combination of the keys' values."""
        items = self._keys("group_by", keys, named)
        return Groups(self, items, ", ".join(item.text for item in items))

    def rollup(self, *keys: str, **named: str) -> Groups:
        """The groups, and sub-totals over ever shorter prefixes of the keys."""
        items = self._keys("rollup", keys, named)
        return Groups(self, items, f"ROLLUP ({_each(items)})")

    def cube(self, *keys: str, **named: str) -> Groups:
        """The groups, and sub-totals over every subset of the keys."""
        items = self._keys("cube", keys, named)
        return Groups(self, items, f"CUBE ({_each(items)})")

    def grouping_sets(self, *sets: Sequence[str]) -> Groups:
        """The groups of several lists of keys; () is the total."""
        wrong = next((each for each in sets if isinstance(each, str)), None)
        if wrong is not None:
            raise BadArgument(
                "keys-list", "a grouping set is a list of keys", fix=f".grouping_sets([{wrong!r}], [])"
            )
        keys = tuple(dict.fromkeys(key for each in sets for key in each))
        items = self._keys("grouping_sets", keys, {})
        written = [f"({', '.join(self._read(key) for key in each)})" for each in sets]
        return Groups(self, items, f"GROUPING SETS ({', '.join(written)})")

    def agg(self, *unnamed: Measure | str, **named: Measure | str) -> Outcome:
        """Aggregates over all rows together."""
        return Groups(self, (), "").agg(*unnamed, **named)

    def histogram(self, of: str, *, by: str | Sequence[str] = (), buckets: int | None = None) -> Outcome:
        """Counts rows in about `buckets` public buckets of a number or date; `by` gives a histogram for each group."""
        return self._bucketed(of, by, buckets, {})

    def cdf(self, of: str, *, by: str | Sequence[str] = (), buckets: int | None = None) -> Outcome:
        """The histogram with cumulative counts and shares, which are free."""
        bucket, groups = self._bucket(of, buckets), [self._read(key) for key in _several(by)]
        parts = f"PARTITION BY {', '.join(groups)}" if groups else ""
        upto = f"SUM(COUNT(*)) OVER ({f'{parts} ' if parts else ''}ORDER BY {bucket})"
        return self._bucketed(
            of, by, buckets, {"upto": upto, "share": f"{upto} / SUM(COUNT(*)) OVER ({parts})"}
        )

    def __getattr__(self, name: str) -> NoReturn:
        _misplaced(name, _LATER, ".agg(n=lapcat.count())")

    def __repr__(self) -> str:
        return f"<rows of {self.source.alias}: {', '.join(self._columns())}; .agg(n=lapcat.count()) makes a question>"

    # -------------------------------------------------------------------------------------------- inside

    @property
    def _body(self) -> tuple[FromClause, tuple[Joined, ...], tuple[str, ...]]:
        return self.source, self.joins, self.conditions

    def _columns(self) -> dict[str, list[str]]:
        """The visible columns, each with the sources that have it; a USING column has one source."""
        columns = {name: [self.source.alias] for name in self.source.columns}
        for join in self.joins:
            shared = {name.casefold() for name in join.using}
            for name in join.source.columns:
                known = next((each for each in columns if each.casefold() == name.casefold()), name)
                if name.casefold() not in shared:
                    columns.setdefault(known, []).append(join.source.alias)
        return columns

    def _read(self, text: str) -> str:
        return expression(text, self._columns())

    def _measured(self, measure: Measure | str) -> str:
        return measure.written(self._read) if isinstance(measure, Measure) else self._read(measure)

    def _named(self, named: Mapping[str, str]) -> list[SelectItem]:
        return [SelectItem(self._read(text), name) for name, text in named.items()]

    def _column_item(self, text: str) -> SelectItem:
        """A column of an inner query, which needs a name in the outer query."""
        read = self._read(text)
        name = text if text in self._columns() else _name_of(text)
        if name is None:
            raise BadArgument(
                "name-empty",
                f"{text!r} has no name that a later step could use",
                fix=f".with_columns(x={text!r}) first, then x",
            )
        return SelectItem(read, name)

    def _keys(self, method: str, keys: Sequence[str], named: Mapping[str, str]) -> tuple[SelectItem, ...]:
        if not keys and not named:
            raise _missing(method, f'.{method}("region"), or .agg(…) alone for all rows together')
        return (*(SelectItem(self._read(key), None) for key in keys), *self._named(named))

    def _bucket(self, of: str, buckets: int | None) -> str:
        wanted = "" if buckets is None else f", {_whole('buckets', buckets, 1)}"
        return f"BUCKETS({self._read(of)}{wanted})"

    def _bucketed(
        self, of: str, by: str | Sequence[str], buckets: int | None, more: Mapping[str, str]
    ) -> Outcome:
        """Counts by bucket, and columns computed from them."""
        bucket = SelectItem(
            self._bucket(of, buckets), of if of in self._columns() else _name_of(of) or "bucket"
        )
        keys = (*(SelectItem(self._read(key), None) for key in _several(by)), bucket)
        items = (*keys, SelectItem("COUNT(*)", "n"), *(SelectItem(text, name) for name, text in more.items()))
        group = ", ".join(key.text for key in keys)
        return Outcome(self.desk, Select(*self._body, items, group, options=self.options))

    def _carried(self) -> list[SelectItem]:
        """Every column, unchanged. An ambiguous name is left out."""
        shared = {name.casefold() for join in self.joins for name in join.using}
        items = []
        for name, aliases in self._columns().items():
            plain = not self.joins or name.casefold() in shared
            if len(aliases) == 1:
                text = identifier(name) if plain else f"{identifier(aliases[0])}.{identifier(name)}"
                items.append(SelectItem(text, name))
        return items

    def _nested(self, select: Select) -> Rows:
        names = _named_only([item.name for item in select.items])
        unit = self._unit()
        kept = unit is not None and unit.column is not None and unit.column in names
        source = FromClause(
            self.source.alias, names, unit if kept or (unit and unit.is_row) else None, queries=(select,)
        )
        return replace(self, source=source, joins=(), conditions=())

    def _inside(self) -> Rows:
        return self._nested(self._as_query())

    def _as_query(self) -> Select:
        """A query that returns these rows."""
        plain = not self.joins and not self.conditions
        if plain and len(self.source.queries) == 1 and self.source.queries[0].carries:
            return self.source.queries[0]
        return Select(*self._body, tuple(self._carried()), carries=True)

    def _as_source(self, alias: str) -> FromClause:
        """These rows as an item of FROM."""
        plain = not self.joins and not self.conditions
        return replace(self.source if plain else self._inside().source, alias=alias)

    def _free_alias(self, wanted: str) -> str:
        taken = {self.source.alias.casefold(), *(join.source.alias.casefold() for join in self.joins)}
        names = [wanted, *(f"{wanted}_{number}" for number in range(2, len(taken) + 2))]
        return next(name for name in names if name.casefold() not in taken)

    def _qualified(self, name: str) -> str:
        """A column of the left side, qualified by its source: `orders.id`."""
        columns = self._columns()
        alias, _, column = name.rpartition(".")
        if alias and name not in columns:
            return f"{identifier(alias)}.{identifier(column)}"
        match = _column(name, list(columns), self.source.alias)
        if len(columns[match]) > 1:
            raise BadArgument(
                "column-ambiguous",
                f"{match} is a column of {' and of '.join(columns[match])}",
                fix=f'on={{"{columns[match][0]}.{match}": "…"}}',
            )
        return f"{identifier(columns[match][0])}.{identifier(match)}"

    def _shared(self, name: str, source: FromClause) -> str:
        if not isinstance(name, str):
            raise BadArgument("join-on", f"a column's name is a text, not {name!r}", fix='on="person_id"')
        _column(name, list(self._columns()), self.source.alias)
        return _column(name, list(source.columns), source.alias)

    def _unit(self) -> Unit | None:
        """The first unit that has a column of its own; else the first unit."""
        units = [
            each.unit for each in (self.source, *(j.source for j in self.joins)) if each.unit is not None
        ]
        direct = [unit for unit in units if unit.column is not None and unit.through is None]
        return next(iter((*direct, *units)), None)

    def _unit_column(self) -> str:
        unit = self._unit()
        if unit is not None and unit.column is not None and unit.through is None:
            columns = self._columns()
            if len(columns.get(unit.column, [])) == 1:
                return identifier(unit.column)
            owner = next(e for e in (self.source, *(j.source for j in self.joins)) if e.unit == unit)
            return f"{identifier(owner.alias)}.{identifier(unit.column)}"
        if unit is not None and unit.is_row:
            raise BadArgument(
                "unit-column",
                f"the unit of {self.source.alias} is the row, so there is nothing to aggregate per unit",
                fix=".agg(…) without per_unit",
            )
        through = "" if unit is None or unit.through is None else unit.through[0]
        raise BadArgument(
            "unit-column",
            f"these rows of {self.source.alias} have no unit column",
            fix=f'.join("{through}", on=…) first, which has it'
            if through
            else "keep the unit's column in .select(…)",
        )

    def _refuse_options(self, step: str) -> None:
        if self.options:
            raise BadArgument(
                "step-order",
                f"bound applies to the whole question, not to rows inside a {step}",
                fix=f".{step}(…).bound(rows=3)",
            )


@dataclass(frozen=True, slots=True)
class Groups:
    """Grouped rows, to be aggregated."""

    rows: Rows
    keys: tuple[SelectItem, ...]
    group: str

    def agg(self, *unnamed: Measure | str, **named: Measure | str) -> Outcome:
        """Aggregates each group; names become columns of the answer."""
        if not unnamed and not named:
            raise _missing("agg", ".agg(n=lapcat.count())")
        measures = [(None, measure) for measure in unnamed] + list(named.items())
        for _, measure in measures:
            if not isinstance(measure, (Measure, str)):
                raise BadArgument(
                    "measure-unknown",
                    f"agg takes measures, not {type(measure).__name__}",
                    fix='.agg(pay=lapcat.mean("salary"))',
                )
        items = tuple(SelectItem(self.rows._measured(measure), name) for name, measure in measures)
        select = Select(*self.rows._body, (*self.keys, *items), self.group, options=self.rows.options)
        return Outcome(self.rows.desk, select)

    def __repr__(self) -> str:
        return f"<rows of {self.rows.source.alias} by {self.group}; .agg(n=lapcat.count()) makes a question>"

    def __getattr__(self, name: str) -> NoReturn:
        _misplaced(
            name, {**_LATER, **dict.fromkeys(_SOONER, "after group_by comes agg")}, ".agg(n=lapcat.count())"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """A complete question. Further steps are post-processing of the released answer, and free."""

    desk: Desk
    select: Select

    @property
    def sql(self) -> str:
        """The question as SQL, for `db.sql`."""
        return self.select.text

    def having(self, *conditions: str) -> Outcome:
        """The rows of the answer for which every condition is true."""
        self._before_limit("having")
        if not conditions:
            raise _missing("having", '.having("n > 10")')
        return self._with(having=(*self.select.having, *map(self._read, conditions)))

    def order_by(self, *columns: str) -> Outcome:
        """The answer sorted: "pay", "pay desc", "pay desc nulls last"."""
        self._before_limit("order_by")
        if not columns:
            raise _missing("order_by", '.order_by("n desc")')
        if self.select.order:
            raise BadArgument("step-order", "order_by is used once", fix='.order_by("region", "n desc")')
        return self._with(order=tuple(self._sorting(column) for column in columns))

    def limit(self, rows: int) -> Outcome:
        """The first rows of the answer."""
        return self._with(limit=_whole("limit", rows, 0))

    def offset(self, rows: int) -> Outcome:
        """The answer without its first rows."""
        return self._with(offset=_whole("offset", rows, 0))

    def distinct(self) -> Outcome:
        """The distinct rows of the answer."""
        self._before_limit("distinct")
        return self._with(distinct=True)

    def bound(self, *, rows: int | None = None, groups: int | None = None) -> Outcome:
        """Sets the contribution bounds of this question, in rows or groups per unit: lower means less noise and more bias."""
        return self._with(options=_options(self.select.options, rows, groups))

    # -------------------------------------------------------------------------------------------- asking

    def question(self) -> Question:
        """The question, as `db.sql` returns it."""
        return self.desk.asks(self.sql)

    def preview(self, epsilon: object = None, *, simultaneous: bool = False, **price: Any) -> Preview:
        """Price and error. Free; no row is read."""
        return self.question().preview(epsilon, simultaneous=simultaneous, **price)

    def run(self, epsilon: object = None, *, simultaneous: bool = False, **price: Any) -> Answer:
        """Debits, executes and adds noise. The same question again returns the stored answer for free."""
        return self.question().run(epsilon, simultaneous=simultaneous, **price)

    def explain(self, epsilon: object = None) -> str:
        """The question in plain words."""
        return self.question().explain(epsilon)

    def sensitivity(self) -> SensitivityReport:
        """How far one unit can change the exact answer."""
        return self.question().sensitivity()

    def __repr__(self) -> str:
        return f"<question; .preview(epsilon=…) shows its price, .run(epsilon=…) asks it\n{self.sql}>"

    def __getattr__(self, name: str) -> NoReturn:
        _misplaced(name, _SOONER, ".having(…)")

    def _with(self, **changes: object) -> Outcome:
        return replace(self, select=replace(self.select, **changes))  # type: ignore[arg-type]

    def _read(self, text: str) -> str:
        return expression(text, [item.name for item in self.select.items if item.name is not None])

    def _sorting(self, text: str) -> str:
        parts = re.fullmatch(
            r"(?is)\s*(.*?)((?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?)\s*", str(text)
        )
        assert parts is not None, "the pattern fits every text"
        return self._read(parts[1]) + " ".join(["", *parts[2].upper().split()])

    def _before_limit(self, step: str) -> None:
        if self.select.limit is not None or self.select.offset is not None:
            raise BadArgument(
                "step-order", f"{step} comes before limit and offset, as in SQL", fix=f".{step}(…).limit(10)"
            )


def _misplaced(name: str, hints: Mapping[str, str], fix: str) -> NoReturn:
    """Raises for a missing attribute: a step in the wrong place, or an unknown one."""
    if name in hints:
        raise BadArgument("step-order", f".{name} is not possible here: {hints[name]}", fix=fix)
    raise AttributeError(f"a question has no step {name!r}")


def _missing(step: str, fix: str) -> BadArgument:
    return BadArgument("step-empty", f".{step}() needs an argument", fix=fix)


def _whole(name: str, value: object, minimum: int) -> int:
    if type(value) is not int or value < minimum:
        raise BadArgument(
            "step-number", f"{name} is a whole number from {minimum}, not {value!r}", fix=f".{name}(10)"
        )
    return value


def _options(
    before: tuple[tuple[str, int], ...], rows: int | None, groups: int | None
) -> tuple[tuple[str, int], ...]:
    if rows is None and groups is None:
        raise _missing("bound", ".bound(rows=3)")
    options = dict(before)
    if rows is not None:
        options["max_rows_contributed"] = _whole("rows", rows, 1)
    if groups is not None:
        options["max_groups_contributed"] = _whole("groups", groups, 1)
    return tuple(options.items())


def _several(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _column(name: str, columns: Sequence[str], where: str) -> str:
    """A column by its name, in any case. If no columns are known, the SQL front-end checks the name."""
    known = {each.casefold(): each for each in columns}
    if name.casefold() in known or not columns:
        return known.get(name.casefold(), name)
    close = difflib.get_close_matches(name, columns, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise BadArgument(
        "unknown-column", f"no column {name!r} in {where}{hint}", fix=f"one of: {', '.join(columns)}"
    )


def _theirs(source: FromClause, name: str) -> str:
    return f"{identifier(source.alias)}.{identifier(_column(name, list(source.columns), source.alias))}"


def _name_of(text: str) -> str | None:
    """The column name in a text: `pay` for pay and staff.pay; None for an expression."""
    plain = re.fullmatch(r"(?:[^\W\d]\w*\.)?([^\W\d]\w*)", text)
    quoted = re.fullmatch(r'(?:[^\W\d]\w*\.)?"((?:[^"]|"")*)"', text)
    return plain[1] if plain else quoted[1].replace('""', '"') if quoted else None


def _named_only(names: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


def _each(items: Sequence[SelectItem]) -> str:
    """Keys inside ROLLUP and CUBE, with expressions in brackets."""
    return ", ".join(t if re.fullmatch(r'\w+|"[^"]+"', t) else f"({t})" for t in (i.text for i in items))
