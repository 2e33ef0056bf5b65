"""What a raw cell is worth as its declared type, and the text that a row is hashed by."""

from __future__ import annotations

import datetime
import math
import uuid
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.engines.reference import rank_rows
from lapcat.engines.values import canonical_text, coerce
from lapcat.plan.schema import Type
from tests.engines.holding import KEY
from tests.engines.hostile import TYPES, hostile_rows, rows_of_any_kind

INT, FLOAT, TEXT, BOOL, DATE, MOMENT = Type
TOKYO = datetime.timezone(datetime.timedelta(hours=9))


@pytest.mark.parametrize(
    ("raw", "kind", "worth"),
    [
        (3.0, INT, 3),
        (3.7, INT, None),
        (Decimal("3.00"), INT, 3),
        (Decimal("3.01"), INT, None),
        (Decimal("sNaN"), FLOAT, None),
        (2**63, INT, None),
        (math.inf, INT, None),
        (True, INT, 1),
        (np.int64(4), INT, 4),
        (10**400, FLOAT, None),
        (Decimal("0.1"), FLOAT, 0.1),
        ("1e999", FLOAT, math.inf),
        (7, TEXT, "7"),
        (True, TEXT, "true"),
        (0.5, TEXT, None),
        (b"bytes", TEXT, None),
        ("\ud800", TEXT, None),
        (uuid.UUID(int=1), TEXT, "00000000-0000-0000-0000-000000000001"),
        (datetime.date(2020, 1, 2), TEXT, "2020-01-02"),
        (1, BOOL, True),
        (2, BOOL, None),
        (0.0, BOOL, False),
        (datetime.datetime(2020, 1, 2, 23), DATE, datetime.date(2020, 1, 2)),
        (datetime.datetime(2020, 1, 2, 3, tzinfo=TOKYO), DATE, datetime.date(2020, 1, 1)),
        (datetime.datetime(1, 1, 1, 3, tzinfo=TOKYO), MOMENT, None),
        (datetime.date(2020, 1, 2), MOMENT, datetime.datetime(2020, 1, 2)),
        (5, DATE, None),
        (None, TEXT, None),
    ],
)
def test_a_cell_is_worth_what_fits_its_type(raw: object, kind: Type, worth: object) -> None:
    value = coerce(raw, kind)
    assert (value, type(value)) == (worth, type(worth))


@given(st.lists(rows_of_any_kind.filter(len).map(lambda rows: rows[0]), min_size=2, max_size=2))
def test_different_rows_have_different_texts(rows: list[dict[str, object]]) -> None:
    worth = [[coerce(row[name], kind) for name, kind in TYPES.items()] for row in rows]
    texts = [canonical_text(row, TYPES) for row in rows]
    assert (worth[0] == worth[1]) == (texts[0] == texts[1])


def test_null_and_separators_cannot_be_forged() -> None:
    columns = {"a": TEXT, "b": TEXT}
    rows = [{"a": a, "b": b} for a in (None, "", ";", "0:", "1:;") for b in (None, "", ";", "0:", "1:;")]
    assert len({canonical_text(row, columns) for row in rows}) == len(rows)


@given(rows_of_any_kind, st.randoms(use_true_random=False))
def test_a_rank_does_not_depend_on_where_a_row_stands(rows: list[dict[str, object]], coins: object) -> None:
    order = list(range(len(rows)))
    coins.shuffle(order)  # type: ignore[attr-defined]
    here = rank_rows(rows, "who", TYPES, KEY)
    there = rank_rows([rows[n] for n in order], "who", TYPES, KEY)

    def kept(ranks: list[int | None], shown: list[dict[str, object]]) -> list[tuple[str, int]]:
        pairs = zip(ranks, shown, strict=True)
        return sorted((canonical_text(row, TYPES), rank) for rank, row in pairs if rank is not None)

    assert kept(here, rows) == kept(there, [rows[n] for n in order])


def test_a_rank_depends_on_the_units_own_rows_alone() -> None:
    rows = hostile_rows(80)
    ranks = rank_rows(rows, "who", TYPES, KEY)
    alone = [row for row in rows if row["who"] == "crowd"]
    assert rank_rows(alone, "who", TYPES, KEY) == [
        r for r, row in zip(ranks, rows, strict=True) if row["who"] == "crowd"
    ]
    assert all((rank is None) == (row["who"] is None) for rank, row in zip(ranks, rows, strict=True))
    assert rank_rows(rows, "who", TYPES, bytes(32)) != ranks
