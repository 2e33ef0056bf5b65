"""Commas with nothing on one side of them, which the parser would pass over as if they were not there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

OPENS = frozenset(
    {
        TokenType.COMMA,
        TokenType.L_PAREN,
        TokenType.L_BRACKET,
        TokenType.SELECT,
        TokenType.DISTINCT,
        TokenType.FROM,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.PARTITION_BY,
    }
)
"""After these something must come before a comma may."""
CLOSES = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


def stray_comma(tokens: Sequence[Token]) -> Token | None:
    """The first of them, or None. A last comma before FROM, or at the end of a clause, is as DuckDB has it: it may stay.

    >>> from sqlglot import tokenize
    >>> stray_comma(tokenize("SELECT f(x,, 1), FROM t")).start
    11
    """
    for one, other in pairwise(tokens):
        if other.token_type is TokenType.COMMA and one.token_type in OPENS:
            return other
        if one.token_type is TokenType.COMMA and other.token_type in CLOSES:
            return one
    return None
