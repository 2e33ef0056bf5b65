"""Counts of rows and groups in sentences, and names quoted for the catalogue and SQL."""

from __future__ import annotations

import json
import re


def many_rows(count: int) -> str:
    """A number of rows, in words.

    >>> many_rows(1), many_rows(5)
    ('one row', '5 rows')
    """
    return "one row" if count == 1 else f"{count} rows"


def rows_worth(count: int) -> str:
    """The weight of a number of rows, in words.

    >>> rows_worth(1), rows_worth(5)
    ("one row's worth", "5 rows' worth")
    """
    return "one row's worth" if count == 1 else f"{count} rows' worth"


def many_groups(count: int) -> str:
    """A number of groups, in words.

    >>> many_groups(1), many_groups(2)
    ('one group', '2 groups')
    """
    return "one group" if count == 1 else f"{count} groups"


def shown_margin(margin: float) -> str:
    """A margin rounded for display to three significant digits, or a whole number from 100 on.

    >>> shown_margin(0.51234), shown_margin(22_187.4), shown_margin(31.0)
    ('0.512', '22 187', '31')
    """
    return f"{margin:.3g}" if margin < 100 else f"{margin:,.0f}".replace(",", " ")


def sql_name(name: str) -> str:
    """A name as a quoted SQL identifier.

    >>> sql_name('a" FROM b --')
    '"a"" FROM b --"'
    """
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text as an SQL string literal.

    >>> print(sql_text("O'Hara"))
    'O''Hara'
    """
    return "'" + text.replace("'", "''") + "'"


def toml_key(name: str) -> str:
    """A name as a TOML key: bare if possible, else quoted.

    >>> print(toml_key("salary"), toml_key("Fee (EUR)"))
    salary "Fee (EUR)"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(text: str) -> str:
    """A TOML basic string. JSON's escapes are a subset of TOML's, except that JSON does not escape DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
