"""Column names of a file in error messages: quoted only if they are known to be names.

In a file without a header the first line is a row, and an error that lists "the columns" would print it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

_DATA = re.compile(r"[-+.,:/\d\s%€$£]*\d[-+.,:/\d\s%€$£eETZ]*|true|false|null|na|n/a|nan", re.IGNORECASE)
"""Numbers, dates, times and words for a missing value."""


def missing_column(
    name: str, declared: Iterable[str], available: Collection[str], where: str
) -> tuple[str, str, str]:
    """Message, reason and fix for a declared column that the source does not have.

    The source's own names are quoted only if it has most of the declared ones.

    >>> missing_column("dya", ["dya", "ward", "note"], ["day", "ward", "note"], "visits.csv")
    ("visits.csv has no column 'dya'; did you mean day?", '', 'write day instead')
    >>> missing_column("day", ["day", "ward", "note"], ["2024-05-05", "heart", "weak"], "visits.csv")[0]
    "visits.csv has no column 'day'"
    """
    what = f"{where} has no column {name!r}"
    wanted = {*declared}
    known = wanted & {*available}
    if 2 * len(known) <= len(wanted):
        many = "1 column" if len(available) == 1 else f"{len(available)} columns"
        why = (
            f"it has {many}, and only {len(known)} of the {len(wanted)} declared columns are among them; if the header is "
            "missing, the first line is a row, so it is not shown"
        )
        return what, why, f"check the first line of {where}; add the header, or correct the names"
    close = difflib.get_close_matches(name, [*available], 1)
    if close:
        return f"{what}; did you mean {close[0]}?", "", f"write {close[0]} instead"
    return what, "", f"one of: {', '.join(available)}; or remove it"


def looks_like_data(name: str) -> bool:
    """Whether a name in a file's first line looks like a value.

    >>> [looks_like_data(name) for name in ("2024-05-05", "-1.5", "12 %", "n/a", "age", "q1", "person_id")]
    [True, True, True, True, False, False, False]
    """
    return _DATA.fullmatch(name.strip()) is not None
