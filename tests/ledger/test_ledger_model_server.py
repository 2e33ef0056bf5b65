"""The ledger on a server against the same model: any sequence of acts, with sessions that are cut in between."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import rule, run_state_machine_as_test
from ledger_kit import open_ledger
from test_ledger_model import LedgerAgainstModel
from tests.postgres_cluster import Cluster


def machine(cluster: Cluster) -> type[LedgerAgainstModel]:
    class OnAServer(LedgerAgainstModel):
        def __init__(self) -> None:
            super().__init__()
            self.ledger.close()
            self.ledger = open_ledger(cluster.emptied())

        @rule()
        def reopen(self) -> None:
            self.ledger.close()
            self.ledger = open_ledger(cluster.url())

        @rule()
        def lose_the_process(self) -> None:
            """Its session ends, and whatever was under way in it; another process goes on."""
            cluster.cut()
            self.ledger = open_ledger(cluster.url())

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
