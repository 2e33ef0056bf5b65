"""Numbers of rows and groups as sentences say them, and names as the catalogue and SQL write them."""

from __future__ import annotations

import json
import re


def many_rows(count: int) -> str:
    """So many rows.

    >>> many_rows(1), many_rows(5)
    ('one row', '5 rows')
    """
    return "one row" if count == 1 else f"{count} rows"


def many_groups(count: int) -> str:
    """So many groups.

    >>> many_groups(1), many_groups(2)
    ('one group', '2 groups')
    """
    return "one group" if count == 1 else f"{count} groups"


def shown_margin(margin: float) -> str:
    """A margin for people: three digits are enough to decide by.

    >>> shown_margin(0.51234), shown_margin(22_187.4), shown_margin(31.0)
    ('0.512', '22 187', '31')
    """
    return f"{margin:.3g}" if margin < 100 else f"{margin:,.0f}".replace(",", " ")


def sql_name(name: str) -> str:
    """A name as SQL writes it whatever it is: in double quotes, with those inside doubled.

    >>> sql_name('a" FROM b --')
    '"a"" FROM b --"'
    """
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text as SQL writes it: in single quotes, with those inside doubled.

    >>> print(sql_text("O'Hara"))
    'O''Hara'
    """
    return "'" + text.replace("'", "''") + "'"


def toml_key(name: str) -> str:
    """A name as the catalogue writes it before a `=`: bare where that is enough, else in double quotes.

    >>> print(toml_key("salary"), toml_key("Fee (EUR)"))
    salary "Fee (EUR)"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(text: str) -> str:
    """A TOML basic string; JSON's escapes are a part of TOML's (but for DEL, which JSON leaves as it is)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
