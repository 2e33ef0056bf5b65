"""A budget's name in the ledger is written and read in one place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.stored.scopes import Scope, ScopeKind
from tests.e2e.kit import Desk
from tests.stored.test_stored import copied

NAMES = st.text(alphabet="ab.#:/-é", min_size=1, max_size=8)


@given(NAMES, NAMES, st.text(alphabet="an", min_size=1, max_size=3))
def test_a_scope_is_read_as_it_was_written(source: str, block: str, analyst: str) -> None:
    scopes = [
        Scope.table(source),
        Scope.population(source),
        Scope.of_block(source, block),
        Scope.of_analyst(analyst, source),
        Scope.of_analyst(analyst, source, block),
    ]
    for scope in scopes:
        assert Scope.read(str(scope), [source]) == scope


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("table:shop.db#orders", Scope.table("shop.db#orders")),
        ("block:shop.db#orders#2024", Scope.of_block("shop.db#orders", 2024)),
        ("analyst:ana@shop.db#orders", Scope.of_analyst("ana", "shop.db#orders")),
        ("analyst:ana@shop.db#orders#2024", Scope.of_analyst("ana", "shop.db#orders", "2024")),
        ("block:shop.db#2024", Scope.of_block("shop.db", "2024")),
    ],
)
def test_sources_with_the_mark_of_a_block_in_their_name_are_told_from_blocks(text: str, scope: Scope) -> None:
    assert Scope.read(text, ["shop.db", "shop.db#orders"]) == scope
    assert str(scope) == text


def test_an_unknown_kind_is_no_scope() -> None:
    with pytest.raises(ValueError):
        Scope.read("staff.csv")
    assert [*ScopeKind] == ["table", "block", "population", "analyst"], "they are stored"


def test_budgets_of_blocks_are_accounted_and_listed(tmp_path: Path) -> None:
    desk = Desk(copied("shop", tmp_path))
    accounts = desk.here("ledger", "account", "--json").json()
    assert {"visits 2024-01", "ana on visits 2024-01", "stays 2"} <= {a["name"] for a in accounts["accounts"]}
    listed = desk.here("ledger", "list", "--table", "visits", "--json").json()["entries"]
    assert any("visits" in line["tables"] for line in listed)
