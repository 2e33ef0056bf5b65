"""The ledger on a server against the same model: any sequence of acts, with sessions that are cut and attacks in between."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import settings
from hypothesis.stateful import rule, run_state_machine_as_test
from ledger_kit import open_ledger
from test_ledger_model import LedgerUnderAttack
from tests.postgres_cluster import Cluster

from lapcat.ledger import SQLLedger
from lapcat.ledger.postgres.schema import SCHEMA

COPIES = ("attacked", "kept")
"""Databases for copies: one that is attacked, while the other may be a backup."""
TABLES = [line.split()[2] for line in SCHEMA if line.startswith("CREATE TABLE")]


def make_databases(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        there = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
        for name in COPIES:
            if name not in there:
                connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]


def copy(source: str, target: str) -> None:
    """All that a ledger has, as a backup of its schema holds it."""
    with psycopg.connect(source) as here, psycopg.connect(target) as there:
        for statement in ("DROP SCHEMA IF EXISTS lapcat CASCADE", *SCHEMA):
            there.execute(statement)  # type: ignore[call-overload]
        there.execute("SET session_replication_role = replica")
        here.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for name in TABLES:
            with (
                here.cursor().copy(f"COPY {name} TO STDOUT") as rows,  # type: ignore[call-overload]
                there.cursor().copy(f"COPY {name} FROM STDIN") as into,  # type: ignore[call-overload]
            ):
                for some in rows:
                    into.write(some)


def machine(cluster: Cluster) -> type[LedgerUnderAttack]:
    make_databases(cluster)

    class OnAServer(LedgerUnderAttack):
        def __init__(self) -> None:
            super().__init__()
            self.ledger.close()
            self.ledger = self.told = self.opened(cluster.emptied())

        def opened(self, address: str) -> SQLLedger:
            return open_ledger(address)

        def copied(self) -> str:
            kept = None if self.kept is None else self.kept[0]
            free = next(address for address in map(cluster.url, COPIES) if address != kept)
            copy(cluster.url(), free)
            return free

        @rule()
        def reopen(self) -> None:
            self.ledger.close()
            self.ledger = self.opened(cluster.url())

        @rule()
        def lose_the_process(self) -> None:
            """Its session ends, and whatever was under way in it; another process goes on."""
            cluster.cut()
            self.ledger = self.opened(cluster.url())

        @rule()
        def lose_the_session(self) -> None:
            cluster.cut()

    return OnAServer


def test_any_sequence_of_acts_agrees_with_the_model(cluster: Cluster) -> None:
    bounded = settings(max_examples=12, stateful_step_count=25, deadline=None, derandomize=True)
    run_state_machine_as_test(machine(cluster), settings=bounded)


@pytest.mark.slow
def test_any_long_sequence_of_acts_agrees_with_the_model(cluster: Cluster) -> None:
    run_state_machine_as_test(
        machine(cluster), settings=settings(max_examples=200, stateful_step_count=60, deadline=None)
    )
