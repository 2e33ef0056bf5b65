"""The query context: the analyst, the plan for the declared versions, the tables read and the budgets charged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lapcat.core.answers import Group
from lapcat.core.event import Event
from lapcat.ledger.base import Charge
from lapcat.plan.aggregates import Estimates
from lapcat.plan.blocks import blocks_read
from lapcat.plan.compile import Prepared, Program, Query, prepare
from lapcat.plan.nodes import private_scans, scans_of
from lapcat.plan.released import ReleasedTable, tabulate
from lapcat.plan.schema import Table
from lapcat.session.deployment import Deployment
from lapcat.session.strategies import paid_program
from lapcat.session.work import require_within
from lapcat.stored.digest import identity_of
from lapcat.workload.workload import Workload
from lapcat.workload.workload_query import WorkloadQuery, asked_for, workload_query

BLOCKS_SHOWN = 6

Tables = Callable[[Prepared, Mapping[str, Estimates], "tuple[Group, ...] | None"], list[ReleasedTable]]
"""Builds the tables of an answer from the estimates and the private groups shown."""


def whole_table(
    prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
) -> list[ReleasedTable]:
    """A single table with all columns."""
    asked = prepared.asked
    if asked.union is not None:
        return [asked.union(estimates, keys)]
    return [tabulate(prepared.plan, asked.columns, estimates, keys, asked.after)]


class QueryContext:
    """One analyst's query to one deployment, before pricing."""

    def __init__(
        self,
        deployment: Deployment,
        analyst: str | None,
        text: str,
        asks: Callable[[], Query],
        tables: Tables,
        written: Workload | None,
    ) -> None:
        self.deployment, self.analyst, self.text = deployment, analyst, text
        self.asks, self.shown_as = asks, tables
        self.written = written
        """The workload over the counts, if the question is not the counts themselves."""
        self._latest: Prepared | None = None
        self._workload: tuple[Prepared, WorkloadQuery | None] | None = None

    def prepared(self) -> Prepared:
        """The plan for the declared versions; parsed again only when a new version is declared."""
        if self._latest is not None and all(map(self.deployment.current, scans_of(self._latest.plan))):
            return self._latest
        asked = self.asks()
        require_within(asked, self.deployment.catalogue.limits, listed=self.written is None)
        self._latest = prepare(asked)
        return self._latest

    def workload_query(self) -> WorkloadQuery | None:
        """The question as a workload, if it is one."""
        prepared = self.prepared()
        if self._workload is None or self._workload[0] is not prepared:
            written = self.written
            self._workload = (
                prepared,
                workload_query(prepared) if written is None else asked_for(prepared, written),
            )
        return self._workload[1]

    def tables(self, prepared: Prepared) -> list[Table]:
        """The private tables that the question reads."""
        names = dict.fromkeys(scan.table for scan in private_scans(prepared.plan))
        return [self.deployment.catalogue.tables[name] for name in names]

    def charges(self, prepared: Prepared) -> tuple[Charge, ...]:
        return self.deployment.charges(self.tables(prepared), self.analyst, self.blocks(prepared))

    def blocks(self, prepared: Prepared) -> dict[str, tuple[int | str, ...]]:
        """The blocks that the question can read, for tables in blocks: derived from its plans, never from rows."""
        plans = (prepared.plan, *prepared.executed_plans)
        return {
            table.name: blocks_read(plans, self.deployment.identity(table), table.blocks)
            for table in self.tables(prepared)
            if table.blocks is not None
        }

    def block_notes(self, prepared: Prepared) -> Iterator[str]:
        """Notes on the blocks charged."""
        for name, read in self.blocks(prepared).items():
            blocks = self.deployment.catalogue.tables[name].blocks
            assert blocks is not None
            if len(read) == len(blocks.values):
                yield f"it can read all {len(read)} blocks of {name}, and is charged to each"
                continue
            shown = ", ".join(map(str, read[:BLOCKS_SHOWN]))
            more = f" and {len(read) - BLOCKS_SHOWN} more" if len(read) > BLOCKS_SHOWN else ""
            yield f"it can read {name} only where {blocks.column} is {shown}{more}, and is charged there"

    def paid(self, event: Event) -> Program:
        """The program of a stored debit of this question, with its noise."""
        return paid_program(self.prepared(), self.workload_query(), event)

    def identity(self, prepared: Prepared) -> str:
        """The question's identity in the ledger."""
        if self.written is None:
            return prepared.identity
        return identity_of((prepared.plan, self.written.terms))
