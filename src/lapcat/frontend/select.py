"""SQL generation: the parts of a SELECT as values, printed with one clause per line.

Inner queries select only the columns that the outer query mentions, so that the text stays readable over a table of a
hundred columns. Every word of the outer query counts as a mention, so no needed column is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lapcat.frontend.words import identifier, is_disjunction, mentioned
from lapcat.plan.schema import Unit

_WIDE = 100


@dataclass(frozen=True, slots=True)
class SelectItem:
    """One column of a SELECT: an expression, and its alias if it has one."""

    text: str
    name: str | None

    @property
    def written(self) -> str:
        if self.name is None or f".{self.text}".endswith(f".{identifier(self.name)}"):
            return self.text
        return f"{self.text} AS {identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class FromClause:
    """An item of FROM: a table of the catalogue, or sub-queries joined by UNION ALL."""

    alias: str
    columns: tuple[str, ...]
    unit: Unit | None
    """The privacy unit of the rows; None if no column identifies it."""
    table: str | None = None
    queries: tuple[Select, ...] = ()
    """One sub-query, or several for UNION ALL."""

    def lines(self, wanted: frozenset[str]) -> list[str]:
        if self.table is not None:
            own = self.table.casefold() == self.alias.casefold()
            return [identifier(self.table) + ("" if own else f" AS {identifier(self.alias)}")]
        lines = ["("]
        for number, query in enumerate(self.queries):
            lines += ["    UNION ALL"] if number else []
            lines += ["    " + line for line in query.lines(wanted)]
        return [*lines, f") AS {identifier(self.alias)}"]


@dataclass(frozen=True, slots=True)
class Joined:
    """The right side of a JOIN: USING common columns, or ON pairs of columns."""

    source: FromClause
    outer: bool
    using: tuple[str, ...] = ()
    on: tuple[tuple[str, str], ...] = ()

    @property
    def condition(self) -> str:
        if self.using:
            return f"USING ({', '.join(identifier(name) for name in self.using)})"
        return "ON " + " AND ".join(f"{left} = {right}" for left, right in self.on)

    def lines(self, wanted: frozenset[str]) -> list[str]:
        first, *rest = self.source.lines(wanted)
        lines = [f"{'LEFT JOIN' if self.outer else 'JOIN'} {first}", *rest]
        return [*lines[:-1], f"{lines[-1]} {self.condition}"]


@dataclass(frozen=True, slots=True)
class Select:
    """The clauses of one SELECT."""

    source: FromClause
    joins: tuple[Joined, ...] = ()
    where: tuple[str, ...] = ()
    items: tuple[SelectItem, ...] = ()
    group: str = ""
    """The text after GROUP BY."""
    carries: bool = False
    """Whether items that the outer query does not mention may be left out."""
    having: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    limit: int | None = None
    offset: int | None = None
    distinct: bool = False
    options: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.lines(None))

    def lines(self, wanted: frozenset[str] | None) -> list[str]:
        items = self.shown(wanted)
        inner = mentioned(self.texts(items))
        lines = [*self.head(items), *_prefixed("FROM ", self.source.lines(inner))]
        for join in self.joins:
            lines += join.lines(inner)
        lines += [*_conditions("WHERE", self.where), *([f"GROUP BY {self.group}"] if self.group else [])]
        lines += _conditions("HAVING", self.having)
        lines += [f"ORDER BY {', '.join(self.order)}"] if self.order else []
        lines += [f"LIMIT {self.limit}"] if self.limit is not None else []
        lines += [f"OFFSET {self.offset}"] if self.offset is not None else []
        return lines

    def shown(self, wanted: frozenset[str] | None) -> tuple[SelectItem, ...]:
        """The items that the outer query mentions; at least one, since a SELECT cannot be empty."""
        if wanted is None or not self.carries:
            return self.items
        kept = tuple(item for item in self.items if item.name is not None and item.name.casefold() in wanted)
        return kept or self.items[-1:]

    def head(self, items: Sequence[SelectItem]) -> list[str]:
        word = "SELECT DISTINCT" if self.distinct else "SELECT"
        if self.options:
            listed = ", ".join(f"{name}={value}" for name, value in self.options)
            clause = f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({listed})"
            return [clause, *_listed("    DISTINCT" if self.distinct else "   ", items)]
        return _listed(word, items)

    def texts(self, items: Sequence[SelectItem]) -> Iterator[str]:
        """All texts that could mention a column of the sources."""
        yield from (item.text for item in items)
        yield from self.where
        yield self.group
        yield from self.having
        yield from self.order
        yield from (join.condition for join in self.joins)


def _listed(word: str, items: Sequence[SelectItem]) -> list[str]:
    line = f"{word} {', '.join(item.written for item in items)}"
    if len(line) <= _WIDE:
        return [line]
    head = [word] if word.strip() else []
    return [*head, *(f"    {item.written}," for item in items[:-1]), f"    {items[-1].written}"]


def _conditions(word: str, conditions: Sequence[str]) -> list[str]:
    several = len(conditions) > 1
    texts = [f"({text})" if several and is_disjunction(text) else text for text in conditions]
    return [f"{'  AND' if number else word} {text}" for number, text in enumerate(texts)]


def _prefixed(word: str, lines: Sequence[str]) -> list[str]:
    return [word + lines[0], *lines[1:]]
