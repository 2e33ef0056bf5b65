"""Stray commas: commas with nothing on one side, which the parser would silently ignore."""

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
"""Tokens that a comma cannot follow."""
CLOSES = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


def stray_comma(tokens: Sequence[Token]) -> Token | None:
    """The first stray comma, or None. A trailing comma before FROM, or at the end of a clause, is allowed, as in DuckDB.

    >>> from sqlglot import tokenize
    >>> stray_comma(tokenize("SELECT f(x,, 1), FROM t")).start
    11
    """
    for before, token in pairwise(tokens):
        if token.token_type is TokenType.COMMA and before.token_type in OPENS:
            return token
        if before.token_type is TokenType.COMMA and token.token_type in CLOSES:
            return before
    return None
