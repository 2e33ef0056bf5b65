"""The scope of a budget in a ledger, and its stored name.

    table:staff.csv             a table
    block:visits.csv#2024-01    a block of a table
    population:shoppers         a population, over all its tables
    analyst:ana@staff.csv       an analyst's own limit on a table; analyst:ana@visits.csv#2024-01 on a block of it

The name of a source may contain a `#` itself (`shop.db#orders`), and so may a block: callers that know the sources pass
them, so that the name is split in the right place.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class ScopeKind(StrEnum):
    """The kind of a scope; accounts are listed in this order."""

    TABLE = "table"
    BLOCK = "block"
    POPULATION = "population"
    ANALYST = "analyst"


@dataclass(frozen=True, slots=True)
class Scope:
    """One budget of a ledger.

    >>> Scope.read("analyst:ana@visits.csv#2024-01", ["visits.csv"])
    Scope(kind=<ScopeKind.ANALYST: 'analyst'>, name='visits.csv', block='2024-01', analyst='ana')
    >>> str(Scope.read("block:shop.db#orders#7", ["shop.db#orders"]))
    'block:shop.db#orders#7'
    """

    kind: ScopeKind
    name: str
    """The source of the table, or the population."""
    block: str | None = None
    analyst: str | None = None

    @classmethod
    def table(cls, source: str) -> Scope:
        return cls(ScopeKind.TABLE, source)

    @classmethod
    def of_block(cls, source: str, block: object) -> Scope:
        return cls(ScopeKind.BLOCK, source, str(block))

    @classmethod
    def population(cls, name: str) -> Scope:
        return cls(ScopeKind.POPULATION, name)

    @classmethod
    def of_analyst(cls, analyst: str, source: str, block: object = None) -> Scope:
        return cls(ScopeKind.ANALYST, source, None if block is None else str(block), analyst)

    @classmethod
    def read(cls, text: str, sources: Collection[str] = ()) -> Scope:
        """The scope with this stored name; sources: the known sources of tables."""
        word, _, rest = text.partition(":")
        kind, analyst = ScopeKind(word), None
        if kind is ScopeKind.ANALYST:
            analyst, _, rest = rest.partition("@")
        if kind in (ScopeKind.TABLE, ScopeKind.POPULATION) or rest in sources:
            return cls(kind, rest, None, analyst)
        known = [source for source in sources if rest.startswith(f"{source}#")]
        if known:
            source = max(known, key=len)
            return cls(kind, source, rest[len(source) + 1 :], analyst)
        source, mark, block = rest.rpartition("#")
        return cls(kind, source if mark else rest, block if mark else None, analyst)

    def __str__(self) -> str:
        who = "" if self.analyst is None else f"{self.analyst}@"
        return f"{self.kind}:{who}{self.name}" + ("" if self.block is None else f"#{self.block}")

    def is_of(self, source: str) -> bool:
        """Whether it is a budget of this table: of the table, a block or an analyst."""
        return self.kind is not ScopeKind.POPULATION and self.name == source
