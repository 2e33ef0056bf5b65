"""Questions for a declared table: every aggregate it can have, alone, by its keys, together and at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from lapcat.plan.schema import Interval, ListedKeys, PrivateKeys, RangeKeys, Table, Type

MOST_KEYS = 64
"""Groups of a question of the audit; columns with more keys are not grouped by."""
SUMS = ("COUNT(*)", "COUNT({x})", "SUM({x})", "AVG({x})", "VAR_POP({x})", "STDDEV({x})")
PAIRS = ("CORR({x}, {y})", "REGR_SLOPE({x}, {y})")
CHOICES = ("MEDIAN({x})", "MIN({x})", "MAX({x})")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and what it is an example of."""

    aggregate: str
    text: str


def numbers_of(table: Table) -> list[str]:
    """Columns that can be added up."""
    return [
        name
        for name, spec in table.columns.items()
        if isinstance(spec.bounds, Interval) and spec.type.is_number
    ]


def keys_of(table: Table) -> list[str]:
    """Columns with few public keys."""
    found = []
    for name, spec in table.columns.items():
        match spec.keys:
            case ListedKeys(values) if len(values) <= MOST_KEYS:
                found.append(name)
            case RangeKeys(low, high) if high - low < MOST_KEYS:
                found.append(name)
    return found


def private_keys_of(table: Table) -> list[str]:
    return [name for name, spec in table.columns.items() if isinstance(spec.keys, PrivateKeys)]


def sums_of(table: Table, at_random: int, seed: int = 1) -> list[Asked]:
    """Questions whose answers are computed from noisy sums."""
    dice = Random(seed)
    found = list(_systematic(table))
    wheres = list(_conditions(table))
    numbers, keys = numbers_of(table), keys_of(table)
    for _ in range(at_random):
        forms = dice.sample(SUMS, dice.randint(1, 3)) if numbers else ["COUNT(*)"]
        parts = [form.format(x=_quoted(dice.choice(numbers))) if numbers else form for form in forms]
        if dice.random() < 0.4 and wheres:
            parts.append(f"COUNT(*) FILTER (WHERE {dice.choice(wheres)})")
        where = f" WHERE {dice.choice(wheres)}" if wheres and dice.random() < 0.5 else ""
        by = f" GROUP BY {_quoted(dice.choice(keys))}" if keys and dice.random() < 0.5 else ""
        listed = ", ".join(f"{part} AS v{i}" for i, part in enumerate(parts))
        found.append(Asked("at random", f"SELECT {listed} FROM {_quoted(table.name)}{where}{by}"))
    return found


def choices_of(table: Table) -> list[Asked]:
    """Questions whose answers are chosen by ranks or counts."""
    source = _quoted(table.name)
    found = []
    for x in numbers_of(table):
        for form in CHOICES:
            text = f"SELECT {form.format(x=_quoted(x))} AS v FROM {source}"
            found.append(Asked(form.partition("(")[0], text))
    found += [Asked("MODE", f"SELECT MODE({_quoted(k)}) AS v FROM {source}") for k in keys_of(table)[:1]]
    return found


def private_of(table: Table) -> list[tuple[str, Asked]]:
    """Questions by a column whose keys are private, and the column."""
    return [
        (
            name,
            Asked(
                "private groups",
                f"SELECT {_quoted(name)}, COUNT(*) AS n FROM {_quoted(table.name)} GROUP BY {_quoted(name)}",
            ),
        )
        for name in private_keys_of(table)
    ]


def _systematic(table: Table) -> Iterator[Asked]:
    source, numbers, keys = _quoted(table.name), numbers_of(table), keys_of(table)
    yield Asked("COUNT", f"SELECT COUNT(*) AS n FROM {source}")
    for k in keys:
        yield Asked("COUNT", f"SELECT COUNT(*) AS n FROM {source} GROUP BY {_quoted(k)}")
        yield Asked("COUNT DISTINCT", f"SELECT COUNT(DISTINCT {_quoted(k)}) AS n FROM {source}")
    if len(keys) > 1:
        both = ", ".join(map(_quoted, keys[:2]))
        yield Asked("ROLLUP", f"SELECT COUNT(*) AS n FROM {source} GROUP BY ROLLUP ({both})")
    elif keys:
        yield Asked("ROLLUP", f"SELECT COUNT(*) AS n FROM {source} GROUP BY ROLLUP ({_quoted(keys[0])})")
    for x in numbers:
        for form in SUMS[1:]:
            yield Asked(form.partition("(")[0], f"SELECT {form.format(x=_quoted(x))} AS v FROM {source}")
            if keys:
                by = _quoted(keys[0])
                yield Asked(
                    form.partition("(")[0],
                    f"SELECT {form.format(x=_quoted(x))} AS v FROM {source} GROUP BY {by}",
                )
    if len(numbers) > 1:
        for form in PAIRS:
            text = form.format(x=_quoted(numbers[0]), y=_quoted(numbers[1]))
            yield Asked(form.partition("(")[0], f"SELECT {text} AS v FROM {source}")
    conditions = list(_conditions(table))
    if conditions:
        listed = ", ".join(f"COUNT(*) FILTER (WHERE {c}) AS v{i}" for i, c in enumerate(conditions[:6]))
        yield Asked("COUNT FILTER", f"SELECT {listed} FROM {source}")


def _conditions(table: Table) -> Iterator[str]:
    """Disjoint and overlapping conditions on columns of every kind."""
    for x in numbers_of(table):
        bounds = table.columns[x].bounds
        assert isinstance(bounds, Interval)
        middle = float((bounds.low + bounds.high) / 2)
        cut = f"{round(middle)}" if table.columns[x].type is Type.INTEGER else f"{middle}"
        yield f"{_quoted(x)} < {cut}"
        yield f"{_quoted(x)} >= {cut}"
        yield f"{_quoted(x)} IS NULL"
    for k in keys_of(table):
        match table.columns[k].keys:
            case ListedKeys(values) if isinstance(values[0], str):
                for value in values[:2]:
                    yield f"{_quoted(k)} = '{value.replace(chr(39), chr(39) * 2)}'"
            case ListedKeys(values) if isinstance(values[0], int):
                yield f"{_quoted(k)} = {int(values[0])}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
