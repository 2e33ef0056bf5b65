"""Desks for transcripts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lapcat.ledger import SQLiteLedger
from lapcat.ledger.guards import Guards
from lapcat.ledger.store_urls import state_witness
from tests.e2e.kit import CATALOGUE, REFRESHED, Desk, write_rows


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deployment on which nothing was asked yet; made once, copied for every test."""
    folder = tmp_path_factory.mktemp("template")
    write_rows(folder)
    (folder / "lapcat.toml").write_text(CATALOGUE, encoding="utf-8")
    for table in REFRESHED:
        done = Desk(folder).run("refresh", table)
        assert done.code == 0, done
    return folder


@pytest.fixture
def make_desk(template: Path, tmp_path: Path) -> Callable[[str], Desk]:
    def make(name: str) -> Desk:
        shutil.copytree(template, tmp_path / name)
        ledger = tmp_path / name / "lapcat.ledger"
        watched = Guards(witness=state_witness(ledger))  # as one that was made here
        SQLiteLedger(ledger, guards=watched).close()
        return Desk(tmp_path / name)

    return make


@pytest.fixture
def desk(make_desk: Callable[[str], Desk]) -> Desk:
    """A deployment of one's own."""
    return make_desk("desk")


@pytest.fixture(scope="session")
def shared_desk(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """For tests that spend nothing."""
    folder = tmp_path_factory.mktemp("shared") / "desk"
    shutil.copytree(template, folder)
    return Desk(folder)
