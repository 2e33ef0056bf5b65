"""A text with several statements, taken apart."""

from __future__ import annotations

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from lapcat.frontend.sql.text import Text


def statements(text: str) -> list[str]:
    """The statements of a text that semicolons end, each as it was written; the text itself where it is but one.

    A semicolon in quotes or in a comment ends nothing. A text that cannot be taken apart is one statement, whose fault is
    told where it is read.

    >>> statements("SELECT COUNT(*) FROM cats; SELECT COUNT(*) FROM cats WHERE name = ';' ;")
    ['SELECT COUNT(*) FROM cats', "SELECT COUNT(*) FROM cats WHERE name = ';'"]
    """
    try:
        tokens = Text(text).tokens
    except TokenError:
        return [text]
    found: list[str] = []
    first: int | None = None
    last = 0
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            found += [] if first is None else [text[first:last]]
            first = None
        else:
            first, last = token.start if first is None else first, token.end + 1
    found += [] if first is None else [text[first:last]]
    return found if len(found) > 1 else [text]
