"""Reads lapcat.toml, the steward's file, into a Catalogue, or raises an error with the key, the line and a fix.

Numbers are exact decimals. Unknown keys are refused: a misspelt limit must not pass as no limit. Nothing here reads
rows; only if a column has no declared type is the source's own schema read, through `describe`.
"""

from __future__ import annotations

import datetime
import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

from lapcat.core.exact import exact, exact_text, ln_up, sqrt_up
from lapcat.errors import BadArgument, BadQuery, Place, Refused
from lapcat.plan.headers import missing_column
from lapcat.plan.limits import DEFAULT_LIMITS, LONGEST_INTEGER, WorkLimits
from lapcat.plan.schema import (
    Analyst,
    Blocks,
    Bounds,
    Catalogue,
    Cluster,
    ColumnSpec,
    Dates,
    Keys,
    LedgerSettings,
    ListedKeys,
    PrivateKeys,
    PublicTable,
    RangeKeys,
    ReadOptions,
    Relation,
    SpendingLimit,
    Table,
    Type,
    Unit,
    Value,
)
from lapcat.plan.words import toml_key

LARGE_EPSILON = Fraction(10)
"""Above it the guarantee is nearly void: a person thought absent with 99.9 % may be all but proved present."""
LARGE_DELTA = Fraction(1, 10**6)
"""Above it a release may simply expose somebody: publishing one random row of n is (0, 1/n)-DP."""

MAX_BLOCKS = 400
"""Maximum number of blocks of a table, since a question debits every block that it can read: the days of a year, or the
months of thirty years."""

CONNECT = re.compile(
    r"sc://(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?(/(;use_ssl=(true|false)|;user_id=[A-Za-z0-9._-]+)*)?"
)
"""The address of a Spark Connect server, and the user. Other parameters of such an address become headers of every request,
or are tokens."""

Describe = Callable[[str], Mapping[str, Type]]
"""The columns of a source and their types in its own schema; text for a CSV."""


def read_catalogue(text: str, describe: Describe) -> Catalogue:
    """The catalogue that the text declares."""
    return _Reader(text, describe).catalogue()


def read_ledger_settings(text: str) -> LedgerSettings:
    """The ledger settings alone: enough to read the ledger without the tables and their sources."""
    return _Reader(text, lambda source: {}).ledger_settings()


def read_cluster(text: str) -> Cluster:
    """The Spark settings alone, which are needed before a Spark source can be described."""
    return _Reader(text, lambda source: {}).cluster()


class _Reader:
    """Walks the parsed file; `path` is the path of the current value, for error messages."""

    def __init__(self, text: str, describe: Describe) -> None:
        self.text, self.describe = _without_passwords(text), describe
        try:
            self.root = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as problem:
            match = re.search(r"at line (\d+), column (\d+)", str(problem))
            place = Place(self.text, int(match[1]), int(match[2])) if match else None
            raise BadQuery(
                "catalogue-syntax",
                f"lapcat.toml is not valid TOML: {problem}",
                fix='a line has the form  key = "value"  and a section  [tables.staff]',
                place=place,
            ) from None

    # -------------------------------------------------------------------------------------------- sections

    def catalogue(self) -> Catalogue:
        self.only(self.root, (), ("ledger", "engine", "limits", "tables", "populations", "analysts"))
        ledger = self.ledger_settings()
        engine = self.section(self.root, (), "engine")
        self.only(engine, ("engine",), ("memory", "threads", "timeout", "spark"))
        self.cluster()
        memory = self.word(engine, ("engine",), "memory", "") or None
        if memory is not None and not re.fullmatch(r"[0-9]+(\.[0-9]+)? ?(MB|GB|MiB|GiB)", memory):
            self.bad(("engine", "memory"), f"{memory!r} is not an amount of memory", 'memory = "4GB"')
        threads = self.whole(engine, ("engine",), "threads", minimum=1)
        timeout = self.whole(engine, ("engine",), "timeout", minimum=1)
        populations = {
            name: self.limit(self.mapping(body, ("populations", name)), ("populations", name))
            for name, body in self.section(self.root, (), "populations").items()
        }
        tables: dict[str, Table] = {}
        public: dict[str, PublicTable] = {}
        for name, body in self.section(self.root, (), "tables").items():
            path = ("tables", name)
            table = self.mapping(body, path)
            if table.get("public", False) is True:
                self.only(table, path, ("public", "source", "read", "unique", "columns"))
                source = self.word(table, path, "source", None)
                read = self.read_options(table, path)
                columns = self.columns(table, path, source, read)
                unique = self.unique_keys(table, path, columns)
                public[name] = PublicTable(name, source, columns, read, unique)
            else:
                tables[name] = self.table(name, table, path, populations)
        if not tables and not public:
            self.bad((), "the catalogue declares no table", "run `lapcat init FILE` to draft one")
        tables = {name: self.resolved(table, tables, public) for name, table in tables.items()}
        analysts = {
            name: self.analyst(name, self.mapping(body, ("analysts", name)), tables)
            for name, body in self.section(self.root, (), "analysts").items()
        }
        return Catalogue(
            tables,
            public,
            populations,
            analysts,
            ledger.store,
            memory,
            threads,
            timeout,
            ledger.key,
            ledger.witness,
            self.work_limits(),
        )

    def work_limits(self) -> WorkLimits:
        """The public limits on the work of one question."""
        body, path = self.section(self.root, (), "limits"), ("limits",)
        names = tuple(field.name for field in fields(WorkLimits))
        self.only(body, path, names)
        ends = dict.fromkeys(names, 1) | {
            "max_length": LONGEST_INTEGER
        }  # the longest text that CAST(x AS TEXT) makes
        whole = {
            name: self.whole(body, path, name, minimum=ends[name]) for name in names if name != "min_epsilon"
        }
        min_epsilon = self.positive(body, path, "min_epsilon")
        given: dict[str, Any] = {name: value for name, value in whole.items() if value is not None}
        if min_epsilon is not None:
            given["min_epsilon"] = min_epsilon
        return replace(DEFAULT_LIMITS, **given)

    def ledger_settings(self) -> LedgerSettings:
        ledger, path = self.section(self.root, (), "ledger"), ("ledger",)
        self.only(ledger, path, ("store", "key", "witness"))
        store = self.word(ledger, path, "store", "sqlite:lapcat.ledger")
        if not store.startswith(("sqlite:", "postgresql://")):
            self.bad(
                (*path, "store"),
                "a ledger is a SQLite file or a PostgreSQL database",
                'store = "sqlite:lapcat.ledger", or "postgresql://user@host/database"',
            )
        key, witness = (
            self.word(ledger, path, name, None) if name in ledger else None for name in ("key", "witness")
        )
        return LedgerSettings(store, key, witness)

    def cluster(self) -> Cluster:
        path = ("engine", "spark")
        spark = self.section(self.section(self.root, (), "engine"), ("engine",), "spark")
        self.only(spark, path, ("master", "conf"))
        master = self.word(spark, path, "master", None) if "master" in spark else None
        if (master or "").lower().startswith("sc:") and not CONNECT.fullmatch(master or ""):
            raise BadQuery(  # without its place, as below
                "catalogue",
                "engine.spark.master is not a plain Spark Connect address; other parameters may be secret",
                why="the catalogue is read by many people, and kept",
                fix='master = "sc://HOST:15002", or "sc://HOST:443/;use_ssl=true", and the token in '
                "SPARK_CONNECT_AUTHENTICATE_TOKEN",
            )
        conf = self.section(spark, path, "conf")
        for name in conf:
            here = (*path, "conf", name)
            if not re.fullmatch(r"spark(\.[A-Za-z0-9_-]+)+", name):
                self.bad(
                    here,
                    f"{name!r} is not a Spark setting",
                    'conf = { "spark.executor.memory" = "8g" }, with the name in quotes',
                )
            if re.search(r"secret|password|token|credential|access.?key", name, re.IGNORECASE):
                raise BadQuery(  # without its place: the line would be shown, and the secret with it
                    "catalogue",
                    f"{'.'.join(here)} is a secret, and the catalogue is read by many people",
                    fix="put it into spark-defaults.conf in SPARK_CONF_DIR",
                )
            self.word(conf, (*path, "conf"), name, None)
        return Cluster(master, {name: str(value) for name, value in conf.items()})

    def table(
        self, name: str, body: dict[str, object], path: tuple[str, ...], populations: Iterable[str]
    ) -> Table:
        self.only(
            body,
            path,
            (
                "source",
                "read",
                "unit",
                "relation",
                "units",
                "rows_per_unit",
                "groups_per_unit",
                "blocks",
                "budget",
                "unique",
                "columns",
                "public",
                "max_timeout",
            ),
        )
        source = self.word(body, path, "source", None)
        unit = self.unit(body, path, populations)
        relation_text = self.word(body, path, "relation", "add-remove")
        if relation_text not in (*Relation, "unbounded", "bounded"):
            self.bad(
                (*path, "relation"),
                f"no relation {relation_text!r}",
                'relation = "add-remove" or "replace-one"',
            )
        relation = Relation(
            {"unbounded": "add-remove", "bounded": "replace-one"}.get(relation_text, relation_text)
        )
        units = self.whole(body, path, "units", minimum=1)
        if (units is not None) != (relation is Relation.REPLACE_ONE):
            wanted = "units = 1000  (the public number of units)" if units is None else "remove the line"
            self.bad((*path, "units"), 'units is declared if and only if relation = "replace-one"', wanted)
        rows = self.whole(body, path, "rows_per_unit", minimum=1)
        if unit.is_row and rows not in (None, 1):
            self.bad(
                (*path, "rows_per_unit"),
                "rows_per_unit needs a unit column; here the unit is the row",
                "remove it",
            )
        if not unit.is_row and rows is None:
            self.bad(
                (*path, "rows_per_unit"),
                f"the unit of {name} is {unit.column}, so it needs a bound on the rows of each",
                "rows_per_unit = 10",
            )
        groups = self.whole(body, path, "groups_per_unit", minimum=1)
        if "budget" not in body:
            self.bad((*path, "budget"), f"{name} has no budget", "budget = { epsilon = 1 }")
        limit = self.limit(self.mapping(body["budget"], (*path, "budget")), (*path, "budget"))
        read = self.read_options(body, path)
        columns = self.columns(body, path, source, read)
        blocks = self.blocks(body, path, unit, relation, columns)
        max_timeout = self.whole(body, path, "max_timeout", minimum=1)
        timeout = self.whole(self.section(self.root, (), "engine"), ("engine",), "timeout", minimum=1)
        if max_timeout is not None and timeout is not None and max_timeout < timeout:
            self.bad(
                (*path, "max_timeout"),
                f"max_timeout is below the {timeout} seconds of [engine] timeout",
                f"max_timeout = {timeout}  (or more), or leave it out",
            )
        return Table(
            name,
            source,
            unit,
            relation,
            limit,
            columns,
            units,
            rows or 1,
            groups,
            blocks,
            max_timeout,
            read,
            self.unique_keys(body, path, columns),
        )

    def unique_keys(
        self, body: dict[str, object], path: tuple[str, ...], columns: Mapping[str, ColumnSpec]
    ) -> tuple[tuple[str, ...], ...] | None:
        """Keys of several columns. The columns of a public table that declares none are not known before `refresh`."""
        if "unique" not in body:
            return None
        path = (*path, "unique")
        given, example = body["unique"], 'unique = [["part_id", "supplier_id"]]'
        keys = (
            [tuple(key) if isinstance(key, list) else () for key in given] if isinstance(given, list) else []
        )
        for key in keys or [()]:
            if len(key) < 2 or not all(isinstance(name, str) for name in key) or len({*key}) < len(key):
                self.bad(
                    path,
                    "unique lists keys of two or more columns; one column has its own `unique = true`",
                    example,
                )
            for name in key if columns else ():
                if name not in columns:
                    self.bad(path, f"{name!r} is not a declared column{_near(name, columns)}", example)
                if columns[name].type is Type.FLOAT:
                    self.bad(path, f"{name} is a float, which cannot be part of a key", example)
        return tuple(keys)

    def read_options(self, body: dict[str, object], path: tuple[str, ...]) -> ReadOptions | None:
        """How a text file is read; nothing is inferred from its values after `init`."""
        if "read" not in body:
            return None
        path = (*path, "read")
        given = self.mapping(body["read"], path)
        self.only(
            given,
            path,
            (
                "encoding",
                "delim",
                "names",
                "rename_duplicates",
                "decimal_separator",
                "dateformat",
                "timestampformat",
            ),
        )
        encoding = self.word(given, path, "encoding", "") or None
        if encoding is not None and not is_encoding(encoding):
            self.bad((*path, "encoding"), f"no encoding {encoding!r}", 'encoding = "windows-1252"')
        delim = self.word(given, path, "delim", "") or None
        if delim is not None and not re.fullmatch(r"[^\w\s\"\\] ?|\t", delim):
            self.bad((*path, "delim"), f"{delim!r} cannot be a delimiter", 'delim = ";"  (or "\\t")')
        rename = given.get("rename_duplicates", False)
        if not isinstance(rename, bool):
            self.bad(
                (*path, "rename_duplicates"), "rename_duplicates is true or false", "rename_duplicates = true"
            )
        separator = self.word(given, path, "decimal_separator", ".")
        if separator not in (".", ","):
            self.bad(
                (*path, "decimal_separator"),
                "decimal_separator is a point or a comma",
                'decimal_separator = ","',
            )
        return ReadOptions(
            encoding,
            delim,
            self.names(given, path),
            rename,
            separator,
            self.moment_format(given, path, "dateformat", "%d.%m.%Y"),
            self.moment_format(given, path, "timestampformat", "%d.%m.%Y %H:%M:%S"),
        )

    def names(self, given: dict[str, object], path: tuple[str, ...]) -> tuple[str, ...]:
        listed = given.get("names", [])
        names = (
            [name for name in listed if isinstance(name, str) and name] if isinstance(listed, list) else []
        )
        if names != listed or len({name.casefold() for name in names}) != len(names):
            self.bad(
                (*path, "names"),
                "names lists the columns in their order, each once",
                'names = ["age", "region"]',
            )
        return tuple(names)

    def moment_format(
        self, given: dict[str, object], path: tuple[str, ...], key: str, example: str
    ) -> str | None:
        written = self.word(given, path, key, "") or None
        parts = re.findall(r"%(.?)", written or "")
        if written is not None and not (
            {*parts} <= {*"YymdHMSfIpbB"} and {"d"} <= {*parts} and {*parts} & {*"Yy"} and {*parts} & {*"mbB"}
        ):
            self.bad(
                (*path, key),
                f"{written!r} needs a day, a month and a year",
                f'{key} = "{example}"',
            )
        return written

    def blocks(
        self,
        body: dict[str, object],
        path: tuple[str, ...],
        unit: Unit,
        relation: Relation,
        columns: Mapping[str, ColumnSpec],
    ) -> Blocks | None:
        """The blocks of the table, each with its own budget; refused unless parallel composition holds (plan/blocks.py)."""
        given = body["unit"]
        within = self.word(given, (*path, "unit"), "within", "") if isinstance(given, dict) else ""
        name = self.word(body, path, "blocks", "")
        if not name:
            if within:
                self.bad(
                    (*path, "unit", "within"),
                    "within needs blocks: it declares that all rows of a unit are in one block",
                    f'blocks = "{within}"',
                )
            return None
        values = self.block_values(name, path, columns)
        if relation is Relation.REPLACE_ONE:
            self.not_parallel(
                path,
                "under replace-one a unit may move from one block to another, so the spending of both counts",
                'relation = "add-remove", without units; or leave blocks out',
            )
        if unit.of is not None or unit.through is not None:
            self.not_parallel(
                path,
                "its units have rows in other tables too, which are in no block",
                "leave `of` and `through` out of the unit; or leave blocks out",
            )
        if not unit.is_row and within != name:
            self.not_parallel(
                path,
                f"one {unit.column} may have rows in several blocks, so the spending of all of them counts",
                f'unit = {{ column = "{unit.column}", within = "{name}" }}  if nobody has rows in two blocks, which '
                'refresh then checks; or unit = "row"; or leave blocks out',
            )
        return Blocks(name, values, within=not unit.is_row)

    def block_values(
        self, name: str, path: tuple[str, ...], columns: Mapping[str, ColumnSpec]
    ) -> tuple[int | str, ...]:
        """The public values of the block column."""
        place = (*path, "blocks")
        example = (
            f'{name} = {{ type = "text", keys = ["2024-01", "2024-02"] }}  under [{".".join(path)}.columns]'
        )
        if name not in columns:
            self.bad(place, f"blocks is not a declared column{_near(name, columns)}", example)
        spec = columns[name]
        if spec.type not in (Type.TEXT, Type.INTEGER) or not isinstance(spec.keys, ListedKeys | RangeKeys):
            self.bad(place, f"{name} needs public keys, text or integer: one for each block", example)
        if isinstance(spec.keys, ListedKeys):
            values = tuple(value for value in spec.keys.values if isinstance(value, int | str))
        else:
            values = tuple(range(spec.keys.low, min(spec.keys.high, spec.keys.low + MAX_BLOCKS) + 1))
        if len(values) > MAX_BLOCKS:
            self.bad(
                place,
                f"{name} has more than {MAX_BLOCKS} keys, and a question debits every block that it can read",
                "coarser blocks: a month, not a minute",
            )
        return values

    def not_parallel(self, path: tuple[str, ...], because: str, fix: str) -> NoReturn:
        raise Refused(
            "not-parallel",
            f"{'.'.join(path)}: blocks cannot have separate budgets: {because}",
            why="a unit in one block is charged only for that block (parallel composition); this holds under add-remove if "
            "each unit has rows in one block",
            fix=fix,
            place=self.place((*path, "blocks")),
        )

    def columns(
        self, body: dict[str, object], path: tuple[str, ...], source: str, read: ReadOptions | None
    ) -> Mapping[str, ColumnSpec]:
        columns_path = (*path, "columns")
        declared = self.mapping(body.get("columns", {}), columns_path)
        for name, spec in declared.items() if read is not None else ():
            if isinstance(spec, dict) and "type" not in spec:
                self.bad(
                    (*columns_path, name), "a file with `read` needs a type for each column", 'type = "text"'
                )
        types = self.types(source, declared, columns_path)
        columns = {
            column: self.column(
                column, self.mapping(spec, (*columns_path, column)), (*columns_path, column), types
            )
            for column, spec in declared.items()
        }
        casefolded = [column.casefold() for column in columns]
        for column in columns:
            if casefolded.count(column.casefold()) > 1:
                self.bad(
                    (*columns_path, column),
                    f"two columns are named {column!r} except for upper case",
                    "rename one",
                )
        return columns

    def types(self, source: str, columns: Mapping[str, object], path: tuple[str, ...]) -> Mapping[str, Type]:
        """The types in the source's own schema, if a column is declared without a type."""
        untyped = [name for name, spec in columns.items() if isinstance(spec, dict) and "type" not in spec]
        types = self.describe(source) if untyped else {}
        for name in untyped:
            if name not in types:
                what, why, fix = missing_column(name, columns, types, "the source")
                self.bad((*path, name), what, fix, why)
        return types

    def unit(self, body: dict[str, object], path: tuple[str, ...], populations: Iterable[str]) -> Unit:
        if "unit" not in body:
            self.bad(
                (*path, "unit"),
                "the privacy unit is missing; there is no default",
                'unit = "person_id"  (a column), or unit = "row"  (each row is one person)',
            )
        given = body["unit"]
        if isinstance(given, str):
            return Unit() if given == "row" else Unit(given)
        unit = self.mapping(given, (*path, "unit"))
        self.only(unit, (*path, "unit"), ("column", "of", "through", "within"))
        through = None
        if "through" in unit:
            table, _, key = self.word(unit, (*path, "unit"), "through", None).partition(".")
            if not table or not key:
                self.bad(
                    (*path, "unit", "through"),
                    "through names another table and its unique column",
                    'through = "orders.order_id"',
                )
            through = table, key
        column = self.word(unit, (*path, "unit"), "column", None)
        of = self.word(unit, (*path, "unit"), "of", "") or None
        if of is not None and of not in set(populations):
            self.bad(
                (*path, "unit"), f"no population {of!r}", f"[populations.{of}]\nbudget = {{ epsilon = 1 }}"
            )
        return Unit(column, of, through)

    def resolved(self, table: Table, tables: Mapping[str, Table], public: Iterable[str]) -> Table:
        """The table with the population and the column of its units; checks every step of the path to them."""
        end, passed = table, [table.name]
        while end.unit.through is not None:
            end = self.step(end, tables, public)
            if end.name in passed:
                self.bad(
                    ("tables", table.name, "unit", "through"),
                    f"the path to a unit is a cycle: {' → '.join([*passed, end.name])}",
                    "one of these tables needs a unit column",
                )
            passed.append(end.name)
        if table.unit.of not in (None, end.unit.of):
            self.bad(
                ("tables", table.name, "unit", "of"),
                f"its units are those of {end.name}, which are not in the population {table.unit.of!r}",
                "leave `of` out: it is taken from there",
            )
        named = None if end is table else end.unit.column
        return replace(table, unit=replace(table.unit, of=end.unit.of, named=named))

    def step(self, table: Table, tables: Mapping[str, Table], public: Iterable[str]) -> Table:
        """The next table on the path of keys to the unit, if its rows identify the unit."""
        assert table.unit.through is not None
        name, key = table.unit.through
        path = ("tables", table.name, "unit", "through")
        if name not in tables:
            known = f"{name} is public, so it has no units" if name in set(public) else f"no table {name!r}"
            self.bad(path, f"{known}{_near(name, tables)}", "through = a private table and its unique column")
        target = tables[name]
        if target.blocks is not None:
            self.bad(
                path,
                f"{name} has blocks, and a row here need not be in the same block as its row there",
                f"leave blocks out of [tables.{name}]",
            )
        if target.unit.is_row:
            self.bad(
                path,
                f"the unit of {name} is the row, so no unit can be reached through it",
                f'unit = "person_id"  under [tables.{name}]',
            )
        if key not in target.columns or not target.columns[key].unique:
            kind = target.columns[key].type if key in target.columns else Type.INTEGER
            self.bad(
                path,
                f"{name}.{key} is not declared unique, so a row might belong to two units",
                f'{toml_key(key)} = {{ type = "{kind}", unique = true }}  under [tables.{name}.columns]',
            )
        if (table.relation, table.units) != (target.relation, target.units):
            units = "" if target.units is None else f"\nunits = {target.units}"
            self.bad(
                path,
                f"{table.name} and {name} have the same units but different relations or numbers of units",
                f'relation = "{target.relation}"{units}',
            )
        return target

    def limit(
        self, body: dict[str, object], path: tuple[str, ...], *, analyst: bool = False
    ) -> SpendingLimit:
        if path[0] == "populations" and path[-1] != "budget":
            self.only(body, path, ("budget",))
            if "budget" not in body:
                self.bad(path, "a population needs a budget", "budget = { epsilon = 5 }")
            return self.limit(self.mapping(body["budget"], (*path, "budget")), (*path, "budget"))
        self.only(
            body, path, ("epsilon", "delta", "rho", "i_understand", *(("per_query",) if analyst else ()))
        )
        epsilon, rho = self.positive(body, path, "epsilon"), self.positive(body, path, "rho")
        delta, per_query = self.positive(body, path, "delta"), self.positive(body, path, "per_query")
        if (epsilon is None) == (rho is None):
            self.bad(
                path,
                "a budget has either epsilon or rho",
                "{ epsilon = 1 }  or  { rho = 0.05, delta = 1e-7 }",
            )
        if delta is not None and delta >= 1:
            self.bad((*path, "delta"), "delta is a probability well below 1", "delta = 1e-7")
        understood = self.word(body, path, "i_understand", "") or None
        limit = SpendingLimit(epsilon, delta or Fraction(0), rho, per_query, understood)
        danger = protects_nobody(limit)
        if danger and understood is None:
            raise Refused(
                "protects-nobody",
                f"{'.'.join(path)}: {danger}",
                why="a limit this large protects nobody in practice; it must be a deliberate decision",
                fix='lower it, or add the reason: i_understand = "why"',
                place=self.place(path),
            )
        return limit

    def analyst(self, name: str, body: dict[str, object], tables: Mapping[str, Table]) -> Analyst:
        path = ("analysts", name)
        self.only(body, path, ("tables",))
        limits: dict[str, SpendingLimit] = {}
        for table, given in self.mapping(body.get("tables", {}), (*path, "tables")).items():
            inner = (*path, "tables", table)
            if table not in tables:
                self.bad(inner, f"no table {table!r}{_near(table, tables)}", f"[tables.{table}]")
            limits[table] = self.limit(self.mapping(given, inner), inner, analyst=True)
        return Analyst(name, limits)

    # -------------------------------------------------------------------------------------------- columns

    def column(
        self, name: str, spec: dict[str, object], path: tuple[str, ...], types: Mapping[str, Type]
    ) -> ColumnSpec:
        self.only(spec, path, ("type", "low", "high", "null", "keys", "other", "unique"))
        if "type" in spec:
            word = self.word(spec, path, "type", None)
            if word not in list(Type):
                self.bad((*path, "type"), f"no type {word!r}", f"type = one of {', '.join(Type)}")
            kind = Type(word)
        else:
            kind = types[name]
        bounds = self.bounds(spec, path, kind)
        null = None
        if "null" in spec:
            if not isinstance(bounds, Bounds):
                self.bad((*path, "null"), "null = VALUE needs low and high", "low = 0, high = 100, null = 0")
            null = self.number(spec["null"], (*path, "null"))
            if not bounds.low <= null <= bounds.high:
                self.bad(
                    (*path, "null"),
                    "the value for NULL lies outside low..high",
                    f"null = {exact_text(bounds.low)}",
                )
            if kind is Type.INTEGER and null.denominator != 1:
                self.bad(
                    (*path, "null"), "the value for NULL of an integer is an integer", f"null = {round(null)}"
                )
        unique = spec.get("unique", False)
        if not isinstance(unique, bool):
            self.bad((*path, "unique"), "unique is true or false", "unique = true")
        return ColumnSpec(name, kind, bounds, self.keys(spec, path, kind), null, unique)

    def bounds(self, spec: dict[str, object], path: tuple[str, ...], kind: Type) -> Bounds | Dates | None:
        if ("low" in spec) != ("high" in spec):
            self.bad(path, "bounds need both low and high", "low = 0, high = 100")
        if "low" not in spec:
            return None
        low, high = spec["low"], spec["high"]
        try:
            if kind in (Type.DATE, Type.TIMESTAMP):
                if not (isinstance(low, datetime.date) and isinstance(high, datetime.date)):
                    self.bad(path, f"bounds of a {kind} are dates", "low = 2020-01-01, high = 2024-12-31")
                return Dates(_day(low), _day(high))
            if not kind.is_number:
                self.bad(path, f"a {kind} column has keys, not bounds", 'keys = ["a", "b"]')
            interval = Bounds(self.number(low, (*path, "low")), self.number(high, (*path, "high")))
        except ValueError as problem:
            self.bad(path, str(problem), "low = 0, high = 100")
        if kind is Type.INTEGER and (interval.low.denominator != 1 or interval.high.denominator != 1):
            self.bad(
                path,
                "bounds of an integer are integers",
                f"low = {interval.low // 1}, high = {-(-interval.high // 1)}",
            )
        if max(abs(interval.low), abs(interval.high)) > 2**62:
            self.bad(path, "bounds beyond 2^62 leave no room for sums", "low = 0, high = 1000000")
        return interval

    def keys(self, spec: dict[str, object], path: tuple[str, ...], kind: Type) -> Keys | None:
        other = spec.get("other", False)
        if not isinstance(other, bool):
            self.bad((*path, "other"), "other is true or false", "other = true")
        given = spec.get("keys")
        path = (*path, "keys")
        if given is None and not other:
            return None
        if given == "private":
            return PrivateKeys()
        if isinstance(given, dict):
            self.only(given, path, ("from", "to"))
            low, high = self.whole(given, path, "from"), self.whole(given, path, "to")
            if kind is not Type.INTEGER or low is None or high is None or low > high:
                self.bad(
                    path, "a range of keys is for integers, from low to high", "keys = { from = 0, to = 99 }"
                )
            return RangeKeys(low, high)
        if not isinstance(given, list) or not given:
            self.bad(path, "keys are a list of public values", 'keys = ["north", "south"]')
        if kind is Type.FLOAT:
            self.bad(path, "a float column has bounds, not keys", "low = 0, high = 100")
        values = tuple(self.key(value, path, kind) for value in given)
        if len(set(values)) != len(values):
            self.bad(path, "a key is listed twice", "remove one")
        if other and kind is not Type.TEXT:
            self.bad(path, "other = true is for text keys", "remove other, or declare the column as text")
        if other and "other" in values:
            self.bad(
                path,
                "with other = true no key may be named 'other'",
                "rename the key, or remove other",
            )
        return ListedKeys(values, other)

    def key(self, value: object, path: tuple[str, ...], kind: Type) -> Value:
        if not fits_key(value, kind):
            self.bad(path, f"the key {value!r} is not of type {kind}", "keys of the column's declared type")
        assert isinstance(value, (str, int, bool, datetime.date))
        return value

    # -------------------------------------------------------------------------------------------- values

    def section(self, body: Mapping[str, object], path: tuple[str, ...], key: str) -> dict[str, object]:
        return self.mapping(body.get(key, {}), (*path, key))

    def mapping(self, value: object, path: tuple[str, ...]) -> dict[str, object]:
        if not isinstance(value, dict):
            self.bad(path, f"{'.'.join(path)} is a section", f"{path[-1]} = {{ … }}")
        return value

    def word(self, body: Mapping[str, object], path: tuple[str, ...], key: str, default: str | None) -> str:
        value = body.get(key, default)
        if not isinstance(value, str) or (default is None and not value):
            problem = f"{key} is missing" if value is None else f"{key} must be a text in quotes"
            self.bad((*path, key), problem, f'{key} = "…"')
        return value

    def whole(
        self, body: Mapping[str, object], path: tuple[str, ...], key: str, *, minimum: int = -(2**62)
    ) -> int | None:
        value = body.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= 2**62:
            self.bad(
                (*path, key),
                f"{key} is a whole number" + (f" from {minimum}" if minimum > -1 else ""),
                f"{key} = {max(minimum, 1)}",
            )
        return value

    def number(self, value: object, path: tuple[str, ...]) -> Fraction:
        try:
            return exact(value)
        except BadArgument:
            self.bad(path, f"{value!r} is not a number", f"{path[-1]} = 1")

    def positive(self, body: Mapping[str, object], path: tuple[str, ...], key: str) -> Fraction | None:
        if key not in body:
            return None
        value = self.number(body[key], (*path, key))
        if value <= 0:
            self.bad((*path, key), f"{key} is above zero", f"{key} = {'1e-7' if key == 'delta' else 1}")
        return value

    def only(self, body: Mapping[str, object], path: tuple[str, ...], allowed: tuple[str, ...]) -> None:
        for key in body:
            if key not in allowed:
                where = ".".join(path) or "the catalogue"
                self.bad(
                    (*path, key),
                    f"{where} has no key {key!r}{_near(key, allowed)}",
                    f"one of: {', '.join(allowed)}",
                )

    # -------------------------------------------------------------------------------------------- places

    def bad(self, path: tuple[str, ...], problem: str, fix: str, why: str = "") -> NoReturn:
        where = ".".join(path)
        raise BadQuery(
            "catalogue", f"{where}: {problem}" if where else problem, why=why, fix=fix, place=self.place(path)
        )

    def place(self, path: tuple[str, ...]) -> Place | None:
        """The line of the longest part of the path that occurs in the file."""
        best: tuple[int, Place] | None = None
        section: tuple[str, ...] = ()
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := re.match(r"\s*\[([^\[\]]+)\]", line):
                section = tuple(part.strip().strip('"') for part in header[1].split("."))
                common = min(len(section), len(path))
                known = section[:common] if path[:common] == section[:common] else ()
                column, length = header.start(1) + 1, len(header[1])
            elif key := re.match(r'\s*(?:# \? )?("?)([\w.-]+)\1\s*=', line):  # or an open question of `init`
                known = (*section, *key[2].split("."))
                column, length = key.start(2) + 1, len(key[2])
                if path[: len(known)] != known:
                    continue
                for inner in path[len(known) :]:  # keys of an inline table, on the same line
                    if match := re.search(rf"\b{re.escape(inner)}\s*=", line[column:]):
                        column, length = column + match.start() + 1, len(inner)
                        known = (*known, inner)
            else:
                continue
            if known and (best is None or len(known) > best[0]):
                best = len(known), Place(self.text, number, column, length)
        return best[1] if best else None


def _without_passwords(text: str) -> str:
    """The text for error messages: the address of a ledger on a server is masked, character by character.

    >>> _without_passwords('store = "postgresql://ana:secret@db/books"')
    'store = "*********************************'
    """
    for covered in (r"\bstore[\"']?\s*=\s*[\"']+(?!sqlite:)(.+)", r"postgres(?:ql)?://(.+)"):
        text = re.sub(covered, lambda match: match[0][: -len(match[1])] + "*" * len(match[1]), text)
    return text


def is_encoding(name: str) -> bool:
    """Whether Python has a text encoding of this name."""
    try:
        return isinstance("".encode(name).decode(name), str)
    except (LookupError, ValueError):
        return False


def fits_key(value: object, kind: Type) -> bool:
    """Whether a value can be a public key of a column of this type."""
    match kind:
        case Type.TEXT:
            return isinstance(value, str) and not any(
                "\ud800" <= character <= "\udfff" for character in value
            )
        case Type.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**62
        case Type.BOOLEAN:
            return isinstance(value, bool)
        case Type.DATE:
            return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return False


def protects_nobody(limit: SpendingLimit) -> str:
    """Why a limit protects nobody, in plain words; empty if it does protect."""
    if limit.delta > LARGE_DELTA:
        return (
            f"delta = {exact_text(limit.delta)} allows publishing one random row out of {int(1 / limit.delta)}: "
            "one person would be exposed"
        )
    if limit.rho is not None:
        # Bun & Steinke 2016, Proposition 1.3 (arXiv:1605.02065): the epsilon that rho implies at delta = 1e-6.
        epsilon = limit.rho + 2 * sqrt_up(limit.rho * ln_up(Fraction(10**6)))
        words = f"rho = {exact_text(limit.rho)} is worth about epsilon {float(epsilon):.3g} at delta 1e-6"
    else:
        assert limit.epsilon is not None
        epsilon, words = limit.epsilon, f"epsilon = {exact_text(limit.epsilon)}"
    if epsilon <= LARGE_EPSILON:
        return ""
    return f"{words}: {odds_in_words(epsilon)}, which protects nobody"


def odds_in_words(epsilon: Fraction) -> str:
    """How sure an attacker can become that somebody is in the data, under this epsilon."""
    if epsilon > 40:
        return "an attacker who guessed at one in a million could become certain"
    from math import exp

    posterior = exp(float(epsilon)) / (exp(float(epsilon)) + 999_999)
    return f"an attacker who guessed at one in a million could become {posterior:.1%} sure"


def _day(value: datetime.date) -> datetime.date:
    return value.date() if isinstance(value, datetime.datetime) else value


def _near(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
