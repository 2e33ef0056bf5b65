"""Names that a file gives its columns: quoted only where they are known to be names.

A file that lost its header has a row in its place, and an error that lists "the columns" would print it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

_DATA = re.compile(r"[-+.,:/\d\s%€$£]*\d[-+.,:/\d\s%€$£eETZ]*|true|false|null|na|n/a|nan", re.IGNORECASE)
"""Numbers, dates, times and the words for a missing value, however they are written."""


def missing_column(
    name: str, declared: Iterable[str], found: Collection[str], where: str
) -> tuple[str, str, str]:
    """What, why and the fix, where a source has no column of a declared name.

    The source's own names are quoted only where it has most of the declared ones.

    >>> missing_column("dya", ["dya", "ward", "note"], ["day", "ward", "note"], "visits.csv")
    ("visits.csv has no column 'dya'; did you mean day?", '', 'write day instead')
    >>> missing_column("day", ["day", "ward", "note"], ["2024-05-05", "heart", "weak"], "visits.csv")[0]
    "visits.csv has no column 'day'"
    """
    what = f"{where} has no column {name!r}"
    wanted = {*declared}
    known = wanted & {*found}
    if 2 * len(known) <= len(wanted):
        many = "1 column" if len(found) == 1 else f"{len(found)} columns"
        why = (
            f"it has {many}, and {len(known)} of the {len(wanted)} declared are among them; if its header is missing, "
            "a row stands in its place, so none of its names is shown"
        )
        return what, why, f"look at the first line of {where}; add the header, or correct the names"
    close = difflib.get_close_matches(name, [*found], 1)
    if close:
        return f"{what}; did you mean {close[0]}?", "", f"write {close[0]} instead"
    return what, "", f"one of: {', '.join(found)}; or remove it"


def looks_like_data(name: str) -> bool:
    """Whether a name in a file's first line reads like a value.

    >>> [looks_like_data(name) for name in ("2024-05-05", "-1.5", "12 %", "n/a", "age", "q1", "person_id")]
    [True, True, True, True, False, False, False]
    """
    return _DATA.fullmatch(name.strip()) is not None
