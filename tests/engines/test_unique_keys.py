"""Every engine refuses a version in which two rows agree on a key of several columns, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from lapcat.errors import Refused
from lapcat.plan.schema import ColumnSpec, PublicTable, Type

TYPES = {"a": Type.INTEGER, "b": Type.TEXT, "d": Type.DATE}
TABLE = PublicTable(
    "t", "t", {name: ColumnSpec(name, kind) for name, kind in TYPES.items()}, None, (("b", "a"),)
)
FITS = [
    {"a": a, "b": b, "d": None}
    for a, b in [(1, "x"), (1, "y"), (2, "x"), (None, "x"), (None, "x"), (2, None), (2, None), (None, None)]
]


def test_a_key_of_several_columns_is_checked(bench: Any) -> None:
    bench.over({"t": (FITS, TABLE, TYPES)})
    with pytest.raises(Refused, match="b, a together are declared unique, and 2 rows repeat") as refusal:
        bench.over({"t": ([*FITS, FITS[0], FITS[0]], TABLE, TYPES)})
    assert refusal.value.code == "key-not-unique"
