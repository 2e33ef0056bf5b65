"""A ledger of its own for each test, in each kind of store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_kit import open_ledger

from lapcat.ledger import SQLLedger


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lapcat.ledger")


@pytest.fixture(params=["path", "postgres"], ids=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> str:
    """Where a ledger is to be: the path of a file, or the address of a database."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture
def ledger(store: str) -> Iterator[SQLLedger]:
    with open_ledger(store) as opened:
        yield opened
        opened.verify()  # whatever a test did, the book and what was derived from it agree
