"""Public limits on the work that one question may cause: what the catalogue says under [limits].

Whether a question fails is an output too. A question that stays within these limits does a bounded amount of work for
each unit and each row, so that no single unit decides whether it fails. Every limit is public: a question beyond one is
refused before it is paid for, by its text and the catalogue alone.
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
    """The most rows that one unit may become at any node of a plan."""
    max_length: int = 4_096
    """The most characters of a text; a longer one does not fit its type and is NULL. No expression makes a text longer than
    the columns and constants that it reads (plan/expressions.py), and longer constants are refused."""
    like_wildcards: int = 8
    """The most `%` in the pattern of one LIKE; `%%` counts as one."""
    like_length: int = 256
    """The most characters of the pattern of one LIKE: matching takes up to its length times that of the text."""
    expression_depth: int = 100
    """The most levels of an expression."""
    expression_size: int = 2_000
    """The most operators, columns and constants of one expression."""
    aggregates: int = 200
    """The most aggregates of one question."""
    predicates: int = 500
    """The most conditions of one question."""
    tables: int = 100
    """The most tables that one question reads, each as often as it is named: joins, unions and sub-queries."""
    groups: int = 1_000_000
    """The most groups of one question."""
    min_epsilon: Fraction = Fraction(1, 10_000)
    """The least price of a question that reads rows; where the budget is rho, half its square."""

    @property
    def min_rho(self) -> Fraction:
        return self.min_epsilon**2 / 2


LONGEST_INTEGER = len(str(-(2**63)))
"""Characters of the longest text that a number becomes."""
DEFAULT_LIMITS = WorkLimits()
