"""Questions about declared tables: every possible aggregate, ungrouped, by keys, combined, over joins and unions, and at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random

from lapcat.audit.deployment.fixtures import Family
from lapcat.plan.schema import Bounds, ListedKeys, PrivateKeys, RangeKeys, Table, Type
from lapcat.plan.words import sql_name

MAX_KEYS = 64
"""The audit does not group by columns with more keys."""
MAX_COLUMNS = 3
"""Every aggregate is asked of this many columns per table; of the others, some at random."""
MISLEADING = 40
"""The number of conditions that mislead a local search."""
SUMS = ("COUNT(*)", "COUNT({x})", "SUM({x})", "AVG({x})", "VAR_POP({x})", "STDDEV({x})")
PAIRS = ("COVAR_POP({x}, {y})", "CORR({x}, {y})", "REGR_SLOPE({x}, {y})", "REGR_INTERCEPT({x}, {y})")
CHOICES = ("MEDIAN({x})", "MIN({x})", "MAX({x})")
THREE = "QUANTILE({x}, 0.25) AS a, MEDIAN({x}) AS b, QUANTILE({x}, 0.9) AS c"


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """One question, and the kind of aggregate it is an example of."""

    aggregate: str
    text: str


def numbers_of(table: Table) -> list[str]:
    """Numeric columns with bounds."""
    return [
        name
        for name, spec in table.columns.items()
        if isinstance(spec.bounds, Bounds) and spec.type.is_number
    ]


def keys_of(table: Table) -> list[str]:
    """Columns with few public keys."""
    columns = []
    for name, spec in table.columns.items():
        match spec.keys:
            case ListedKeys(values) if len(values) <= MAX_KEYS:
                columns.append(name)
            case RangeKeys(low, high) if high - low < MAX_KEYS:
                columns.append(name)
    return columns


def private_keys_of(table: Table) -> list[str]:
    return [name for name, spec in table.columns.items() if isinstance(spec.keys, PrivateKeys)]


def sums_of(family: Family, at_random: int, seed: int = 1) -> list[ExampleQuestion]:
    """Questions whose answers are computed from noisy sums."""
    dice = Random(seed)
    questions = list(
        chain(
            *(_of_blocks(table) for table in family.tables),
            _together(family),
            *(_of_units(table) for table in family.tables),
            *(_systematic(table) for table in family.tables),
        )
    )
    for _ in range(at_random):
        questions.append(_at_random(dice.choice(family.tables), dice))
    return questions


def choices_of(table: Table) -> list[ExampleQuestion]:
    """Questions answered by selection mechanisms."""
    source = sql_name(table.name)
    questions = []
    for x in map(sql_name, numbers_of(table)[:MAX_COLUMNS]):
        questions += [
            ExampleQuestion(form.partition("(")[0], f"SELECT {form.format(x=x)} AS v FROM {source}")
            for form in CHOICES
        ]
        questions.append(ExampleQuestion("QUANTILE", f"SELECT {THREE.format(x=x)} FROM {source}"))
    questions += [
        ExampleQuestion("MODE", f"SELECT MODE({sql_name(k)}) AS v FROM {source}") for k in keys_of(table)[:1]
    ]
    return questions


def private_of(table: Table) -> list[tuple[str, ExampleQuestion]]:
    """Columns with private keys, each with a question grouped by it."""
    return [
        (
            name,
            ExampleQuestion(
                "private groups",
                f"SELECT {sql_name(name)}, COUNT(*) AS n FROM {sql_name(table.name)} GROUP BY {sql_name(name)}",
            ),
        )
        for name in private_keys_of(table)
    ]


# ------------------------------------------------------------------------------------------------ one table


def _systematic(table: Table) -> Iterator[ExampleQuestion]:
    source, keys = sql_name(table.name), [sql_name(k) for k in keys_of(table)]
    numbers = [sql_name(x) for x in numbers_of(table)[:MAX_COLUMNS]]
    yield ExampleQuestion("COUNT", f"SELECT COUNT(*) AS n FROM {source}")
    for k in keys:
        yield ExampleQuestion("COUNT", f"SELECT COUNT(*) AS n FROM {source} GROUP BY {k}")
        yield ExampleQuestion("COUNT DISTINCT", f"SELECT COUNT(DISTINCT {k}) AS n FROM {source}")
    if keys:
        both = ", ".join(keys[:2])
        yield ExampleQuestion("ROLLUP", f"SELECT COUNT(*) AS n FROM {source} GROUP BY ROLLUP ({both})")
        yield ExampleQuestion("CUBE", f"SELECT COUNT(*) AS n FROM {source} GROUP BY CUBE ({both})")
    for k in keys:
        yield ExampleQuestion(
            "running totals",
            f"SELECT {k}, SUM(COUNT(*)) OVER (ORDER BY {k}) AS n FROM {source} GROUP BY {k}",
        )
    for x in numbers:
        for form in SUMS[1:]:
            yield ExampleQuestion(form.partition("(")[0], f"SELECT {form.format(x=x)} AS v FROM {source}")
            if keys:
                yield ExampleQuestion(
                    form.partition("(")[0],
                    f"SELECT {form.format(x=x)} AS v FROM {source} GROUP BY {keys[0]}",
                )
        if keys:
            sets = ", ".join([*(f"({k})" for k in keys[:2]), "()"])
            yield ExampleQuestion(
                "GROUPING SETS", f"SELECT SUM({x}) AS v FROM {source} GROUP BY GROUPING SETS ({sets})"
            )
    if len(numbers) > 1:
        for form in PAIRS:
            text = form.format(x=numbers[0], y=numbers[1])
            yield ExampleQuestion(form.partition("(")[0], f"SELECT {text} AS v FROM {source}")
    yield from _filtered(table)


def _filtered(table: Table) -> Iterator[ExampleQuestion]:
    """Statistics with different conditions."""
    source = sql_name(table.name)
    for x in numbers_of(table)[:MAX_COLUMNS]:
        low, high = list(_conditions(table, [x]))[:2]
        x = sql_name(x)
        yield ExampleQuestion(
            "SUM FILTER",
            f"SELECT SUM({x}) FILTER (WHERE {low}) AS a, SUM({x}) FILTER (WHERE {high}) AS b, "
            f"SUM({x}) FILTER (WHERE {x} IS NOT NULL) AS c FROM {source}",
        )
    conditions = list(_conditions(table))
    if conditions:
        yield ExampleQuestion("COUNT FILTER", _counts(table, conditions[:6]))


def filtered_of(table: Table) -> Iterator[ExampleQuestion]:
    """These, and conditions that mislead a local search: each holds at a different point, and all in the upper corner."""
    yield from _filtered(table)
    numbers = numbers_of(table)[:MAX_COLUMNS]
    for x, y in combinations(numbers, 2):
        points = list(zip(_spread(table, x), _spread(table, y), strict=False))
        corner = f"{sql_name(x)} >= {_top(table, x)} AND {sql_name(y)} >= {_top(table, y)}"
        yield ExampleQuestion(
            "COUNT FILTER",
            _counts(
                table, [f"({sql_name(x)} = {a} AND {sql_name(y)} = {b}) OR ({corner})" for a, b in points]
            ),
        )


def _counts(table: Table, conditions: list[str]) -> str:
    listed = ", ".join(f"COUNT(*) FILTER (WHERE {c}) AS v{i}" for i, c in enumerate(conditions))
    return f"SELECT {listed} FROM {sql_name(table.name)}"


def _spread(table: Table, name: str) -> list[str]:
    """Values of a column below its upper bound."""
    bounds = _interval(table, name)
    if table.columns[name].type is Type.INTEGER:
        return [
            f"{value}"
            for value in range(int(bounds.low), min(int(bounds.high), int(bounds.low) + MISLEADING))
        ]
    return [f"{float(bounds.low + (bounds.high - bounds.low) * i / MISLEADING)}" for i in range(MISLEADING)]


def _top(table: Table, name: str) -> str:
    high = _interval(table, name).high
    return f"{int(high)}" if table.columns[name].type is Type.INTEGER else f"{float(high)}"


def _interval(table: Table, name: str) -> Bounds:
    bounds = table.columns[name].bounds
    assert isinstance(bounds, Bounds)
    return bounds


def _of_units(table: Table) -> Iterator[ExampleQuestion]:
    """Per-unit aggregates, and self-joins on the unit."""
    if table.unit.column is None or table.unit.through is not None:
        return
    source, u = sql_name(table.name), sql_name(table.unit.column)
    yield ExampleQuestion("units", f"SELECT COUNT(DISTINCT {u}) AS n FROM {source}")
    conditions = list(_conditions(table))[:6]
    if conditions:
        listed = ", ".join(
            f"COUNT(DISTINCT {u}) FILTER (WHERE {c}) AS v{i}" for i, c in enumerate(conditions)
        )
        yield ExampleQuestion("units", f"SELECT {listed} FROM {source}")
    max_rows = table.rows_per_unit
    yield ExampleQuestion(
        "rows of each unit",
        f"SELECT COUNT(*) AS n, SUM(CLAMP(m, 0, {2 * max_rows})) AS v "
        f"FROM (SELECT {u}, COUNT(*) AS m FROM {source} GROUP BY {u})",
    )
    pairs = f"{source} AS a JOIN {source} AS b ON a.{u} = b.{u}"
    yield ExampleQuestion("self-join", f"SELECT COUNT(*) AS n FROM {pairs}")
    for k in keys_of(table)[:2]:
        yield ExampleQuestion(
            "units", f"SELECT COUNT(DISTINCT {u}) AS n FROM {source} GROUP BY {sql_name(k)}"
        )
        yield ExampleQuestion("self-join", f"SELECT COUNT(*) AS n FROM {pairs} GROUP BY b.{sql_name(k)}")
        yield ExampleQuestion(
            "self-join", f"SELECT COUNT(DISTINCT a.{u}) AS n FROM {pairs} GROUP BY b.{sql_name(k)}"
        )
        inner = f"SELECT {u}, {sql_name(k)}, COUNT(*) AS m FROM {source} GROUP BY {u}, {sql_name(k)}"
        yield ExampleQuestion(
            "rows of each unit", f"SELECT COUNT(*) AS n FROM ({inner}) GROUP BY {sql_name(k)}"
        )
    for x in numbers_of(table)[:1]:
        yield ExampleQuestion("self-join", f"SELECT SUM(a.{sql_name(x)}) AS v FROM {pairs}")


def joined_of(table: Table) -> Iterator[ExampleQuestion]:
    """Questions that multiply a unit's rows, at the top of a plan and inside it."""
    source = sql_name(table.name)
    columns = [sql_name(name) for name in (*keys_of(table), *numbers_of(table))]
    for x in columns[:1]:
        twice = f"SELECT {x} FROM {source} UNION ALL SELECT {x} FROM {source}"
        yield ExampleQuestion("union", f"SELECT COUNT(*) AS n FROM ({twice})")
    if table.unit.column is None or table.unit.through is not None:
        return
    u = sql_name(table.unit.column)
    pairs = f"{source} AS a JOIN {source} AS b ON a.{u} = b.{u}"
    per_unit = f"SELECT a.{u}, COUNT(*) AS m FROM {pairs} GROUP BY a.{u}"
    yield ExampleQuestion("self-join", f"SELECT COUNT(*) AS n FROM {pairs}")
    yield ExampleQuestion("self-join", f"SELECT COUNT(DISTINCT a.{u}) AS n FROM {pairs}")
    yield ExampleQuestion("self-join of each unit", f"SELECT COUNT(*) AS n FROM ({per_unit})")
    yield ExampleQuestion(
        "self-join of each unit",
        f"SELECT COUNT(*) AS n FROM {source} WHERE {u} IN (SELECT a.{u} FROM {pairs})",
    )
    for x in columns[:1]:
        by = f"SELECT {u}, {x}, COUNT(*) AS m FROM {source} GROUP BY {u}, {x}"
        groups = (
            f"SELECT a.{u}, COUNT(*) AS m FROM ({by}) AS a JOIN {source} AS b ON a.{u} = b.{u} GROUP BY a.{u}"
        )
        yield ExampleQuestion("self-join of each unit", f"SELECT COUNT(*) AS n FROM ({groups})")


def chain_of(table: Table, joined_rows: int) -> ExampleQuestion | None:
    """A chain of self-joins in which one unit could produce more than `joined_rows` rows; None if there is none."""
    if table.unit.column is None or table.unit.through is not None or table.rows_per_unit == 1:
        return None
    source, u, rows, sides = sql_name(table.name), sql_name(table.unit.column), table.rows_per_unit, 1
    while rows <= joined_rows:
        rows, sides = rows * table.rows_per_unit, sides + 1
    chain = "".join(f" JOIN {source} AS t{n} ON t0.{u} = t{n}.{u}" for n in range(1, max(sides, 2)))
    return ExampleQuestion("self-join", f"SELECT COUNT(*) AS n FROM {source} AS t0{chain}")


def _of_blocks(table: Table) -> Iterator[ExampleQuestion]:
    """Questions that read some blocks of a table, and questions that only seem to."""
    if table.blocks is None:
        return
    source, b = sql_name(table.name), sql_name(table.blocks.column)
    first = _literal(table.blocks.values[0])
    others = [c for c in _conditions(table) if b not in c][:2]
    yield ExampleQuestion("blocks", f"SELECT COUNT(*) AS n FROM {source} WHERE {b} = {first}")
    for c in others:
        yield ExampleQuestion("blocks", f"SELECT COUNT(*) AS n FROM {source} WHERE {b} = {first} OR {c}")
        yield ExampleQuestion("blocks", f"SELECT COUNT(*) AS n FROM {source} WHERE {b} = {first} AND {c}")
    if table.unit.column is not None and table.unit.through is None:
        u = sql_name(table.unit.column)
        yield ExampleQuestion(
            "blocks",
            f"SELECT COUNT(*) AS n FROM {source} AS a JOIN {source} AS b ON a.{u} = b.{u} WHERE a.{b} = {first}",
        )
        yield ExampleQuestion(
            "blocks",
            f"SELECT COUNT(*) AS n FROM {source} AS a LEFT JOIN (SELECT {u}, {b} FROM {source} WHERE {b} = {first}) AS c "
            f"ON a.{u} = c.{u}",
        )


def _at_random(table: Table, dice: Random) -> ExampleQuestion:
    wheres = list(_conditions(table))
    numbers, keys = numbers_of(table), keys_of(table)
    forms = dice.sample(SUMS, dice.randint(1, 3)) if numbers else ["COUNT(*)"]
    parts = [form.format(x=sql_name(dice.choice(numbers))) if numbers else form for form in forms]
    if dice.random() < 0.4 and wheres:
        parts.append(f"COUNT(*) FILTER (WHERE {dice.choice(wheres)})")
    where = f" WHERE {dice.choice(wheres)}" if wheres and dice.random() < 0.5 else ""
    by = f" GROUP BY {sql_name(dice.choice(keys))}" if keys and dice.random() < 0.5 else ""
    listed = ", ".join(f"{part} AS v{i}" for i, part in enumerate(parts))
    return ExampleQuestion("at random", f"SELECT {listed} FROM {sql_name(table.name)}{where}{by}")


def meanings_of(table: Table) -> Iterator[ExampleQuestion]:
    """Questions that plain SQL answers as well; their keys are named k0, k1."""
    source, keys = sql_name(table.name), [sql_name(k) for k in keys_of(table)[:2]]
    numbers = [sql_name(x) for x in numbers_of(table) if table.columns[x].nullable][:2]
    forms = [*SUMS, *(PAIRS if len(numbers) > 1 else ())] if numbers else SUMS[:1]
    x, y = (numbers * 2)[:2] if numbers else ("", "")
    for form in forms:
        yield ExampleQuestion(form.partition("(")[0], f"SELECT {form.format(x=x, y=y)} AS v FROM {source}")
    if not keys:
        return
    shown = ", ".join(f"{k} AS k{i}" for i, k in enumerate(keys))
    both, first = ", ".join(keys), keys[0]
    for form in forms:
        text = f"SELECT {first} AS k0, {form.format(x=x, y=y)} AS v FROM {source} GROUP BY {first}"
        yield ExampleQuestion(form.partition("(")[0], text)
    for sets in ("ROLLUP", "CUBE"):
        yield ExampleQuestion(sets, f"SELECT {shown}, COUNT(*) AS n FROM {source} GROUP BY {sets} ({both})")
    yield ExampleQuestion(
        "running totals",
        f"SELECT {first} AS k0, SUM(COUNT(*)) OVER (ORDER BY {first}) AS n FROM {source} GROUP BY {first}",
    )


def pairs_of(table: Table) -> list[ExampleQuestion]:
    """Questions about the same rows with different conditions."""
    counted = f"SELECT COUNT(*) AS n FROM {sql_name(table.name)}"
    return [ExampleQuestion("asked together", f"{counted} WHERE {c}") for c in list(_conditions(table))[:4]]


# ------------------------------------------------------------------------------------------------ several tables


def _together(family: Family) -> Iterator[ExampleQuestion]:
    """Joins along foreign keys, on the unit and with public tables, and unions."""
    for table in family.tables:
        here = sql_name(table.name)
        for public in family.public:
            for name, spec in public.columns.items():
                if spec.unique and name in table.columns:
                    by = [k for k, own in public.columns.items() if isinstance(own.keys, ListedKeys)][:1]
                    grouped = f" GROUP BY b.{sql_name(by[0])}" if by else ""
                    pair = f"{here} AS a JOIN {sql_name(public.name)} AS b ON a.{sql_name(name)} = b.{sql_name(name)}"
                    yield ExampleQuestion(
                        "join with a public table", f"SELECT COUNT(*) AS n FROM {pair}{grouped}"
                    )
        if table.unit.through is not None:
            before, key = table.unit.through
            pair = f"{here} AS a JOIN {sql_name(before)} AS b ON a.{sql_name(table.unit.column or '')} = b.{sql_name(key)}"
            yield from _of_pairs("join along keys", pair, table, family.named(before))
            outer = pair.replace(" JOIN ", " LEFT JOIN ", 1)
            yield ExampleQuestion("join along keys", f"SELECT COUNT(*) AS n FROM {outer}")
    own = [table for table in family.tables if table.unit.through is None and table.unit.column is not None]
    for left, right in [(a, b) for a in own for b in own if a is not b]:
        u, v = sql_name(left.unit.column or ""), sql_name(right.unit.column or "")
        here, there = sql_name(left.name), sql_name(right.name)
        yield from _of_pairs(
            "join on the unit", f"{here} AS a JOIN {there} AS b ON a.{u} = b.{v}", left, right
        )
        yield ExampleQuestion(
            "who has a row elsewhere",
            f"SELECT COUNT(*) AS n FROM {here} WHERE {u} IN (SELECT {v} FROM {there})",
        )
        for c in list(_conditions(right))[:1]:
            union = f"SELECT {u} FROM {here} UNION ALL SELECT {v} FROM {there} WHERE {c}"
            yield ExampleQuestion("union", f"SELECT COUNT(*) AS n FROM ({union})")
            yield ExampleQuestion("union", f"SELECT COUNT(DISTINCT {u}) AS n FROM ({union})")


def _of_pairs(kind: str, pair: str, left: Table, right: Table) -> Iterator[ExampleQuestion]:
    yield ExampleQuestion(kind, f"SELECT COUNT(*) AS n FROM {pair}")
    for k in keys_of(right)[:1]:
        yield ExampleQuestion(kind, f"SELECT COUNT(*) AS n FROM {pair} GROUP BY b.{sql_name(k)}")
    for x in numbers_of(left)[:1]:
        yield ExampleQuestion(kind, f"SELECT SUM(a.{sql_name(x)}) AS v FROM {pair}")


# ------------------------------------------------------------------------------------------------ conditions


def _conditions(table: Table, numbers: list[str] | None = None) -> Iterator[str]:
    """Disjoint and overlapping conditions on columns of every type."""
    for x in numbers_of(table) if numbers is None else numbers:
        bounds = _interval(table, x)
        middle = float((bounds.low + bounds.high) / 2)
        cut = f"{round(middle)}" if table.columns[x].type is Type.INTEGER else f"{middle}"
        yield f"{sql_name(x)} < {cut}"
        yield f"{sql_name(x)} >= {cut}"
        yield f"{sql_name(x)} IS NULL"
    for k in keys_of(table) if numbers is None else ():
        match table.columns[k].keys:
            case ListedKeys(values) if isinstance(values[0], str):
                for value in values[:2]:
                    yield f"{sql_name(k)} = {_literal(value)}"
                yield f"{sql_name(k)} < {_literal(values[-2])}"  # in code point order, whatever the collation
            case ListedKeys(values) if isinstance(values[0], int):
                yield f"{sql_name(k)} = {_literal(values[0])}"


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else f"{int(value)}"  # type: ignore[call-overload]
