"""A ledger in a file of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lapcat.ledger import SQLiteLedger


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lapcat.ledger")


@pytest.fixture
def ledger(path: str) -> Iterator[SQLiteLedger]:
    with SQLiteLedger(path) as opened:
        yield opened
        opened.verify()  # whatever a test did, the book and what was derived from it agree
