"""Splits a script into its statements."""

from __future__ import annotations

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lapcat.frontend.sql.text import Text


def statements(text: str) -> list[str]:
    """The statements of a script, split at semicolons, each as written.

    Semicolons in quotes and comments do not split. A text that cannot be tokenised is returned as one statement; its
    error is raised when it is parsed.

    >>> statements("SELECT COUNT(*) FROM cats; SELECT COUNT(*) FROM cats WHERE name = ';' ;")
    ['SELECT COUNT(*) FROM cats', "SELECT COUNT(*) FROM cats WHERE name = ';'"]
    """
    try:
        tokens = Text(text).tokens
    except TokenError:
        return [text]
    parts: list[str] = []
    first: int | None = None
    last = 0
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            parts += [] if first is None else [text[first:last]]
            first = None
        else:
            first, last = token.start if first is None else first, token.end + 1
    parts += [] if first is None else [text[first:last]]
    return parts if len(parts) > 1 else [text]
