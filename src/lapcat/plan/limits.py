"""Public limits on the work of one question: the catalogue's [limits].

Whether a question fails is an output too. A question within these limits does a bounded amount of work per unit and per
row, so no single unit decides whether it fails. Every limit is public: a question beyond one is refused before it is
charged, by its text and the catalogue alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapcat.stored.declarations import declared


@declared(
    "joined_rows",
    "max_length",
    "like_wildcards",
    "like_length",
    "expression_depth",
    "expression_size",
    "aggregates",
    "predicates",
    "tables",
    "groups",
    "min_epsilon",
)
@dataclass(frozen=True, slots=True)
class WorkLimits:
    """The limits of a deployment. The defaults are beyond what an honest question needs."""

    joined_rows: int = 10_000
    """Maximum rows that one unit may produce at any node of a plan."""
    max_length: int = 4_096
    """Maximum characters of a text; a longer one does not fit its type and is NULL. Expressions that would make a longer one
    give NULL (plan/expressions.py), and longer constants are refused."""
    like_wildcards: int = 8
    """Maximum number of `%` in the pattern of one LIKE; `%%` counts as one."""
    like_length: int = 256
    """Maximum characters of the pattern of one LIKE: matching takes up to its length times that of the text."""
    expression_depth: int = 100
    """Maximum nesting depth of an expression."""
    expression_size: int = 2_000
    """Maximum number of operators, columns and constants in one expression."""
    aggregates: int = 200
    """Maximum number of aggregates in one question."""
    predicates: int = 500
    """Maximum number of conditions in one question."""
    tables: int = 100
    """Maximum number of table references in one question: joins, unions and sub-queries."""
    groups: int = 1_000_000
    """Maximum number of groups in one question."""
    min_epsilon: Fraction = Fraction(1, 10_000)
    """Minimum price of a question that reads rows; where the budget is rho, half its square."""

    @property
    def min_rho(self) -> Fraction:
        return self.min_epsilon**2 / 2


LONGEST_INTEGER = len(str(-(2**63)))
"""Characters of the longest integer as text."""
DEFAULT_LIMITS = WorkLimits()
