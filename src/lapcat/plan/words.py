"""Numbers of rows and groups, as sentences say them."""

from __future__ import annotations


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
