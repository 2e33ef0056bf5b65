"""What is left: a gauge for every budget, with how it was spent, and the state of each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lapcat.errors import harmless
from lapcat.plan.schema import SpendingLimit
from lapcat.session.burn_down import Pace, Point
from lapcat.session.results import Amount, cost_text, left_text, loss_json


@dataclass(frozen=True, slots=True)
class Gauge:
    """A limit, what was spent of it and what is left."""

    cap: SpendingLimit
    spent: Amount
    left: Amount
    burn_down: tuple[Point, ...] = ()
    """What was left after each entry, where the ledger was read for it: `db.budget()`."""
    pace: Pace | None = None
    blocks: Mapping[str, Gauge] = field(default_factory=dict)
    """Of a table in blocks: the gauge of each. The table's own is then that of the block that has spent most."""

    @property
    def most(self) -> Fraction:
        """The cap in its own kind."""
        cap = self.cap.epsilon if self.cap.rho is None else self.cap.rho
        return cap or Fraction(0)

    def as_json(self) -> dict[str, object]:
        found: dict[str, object] = {
            "cap": loss_json(self.cap),
            "spent": loss_json(self.spent),
            "left": loss_json(self.left),
        }
        if self.burn_down:
            found["burn_down"] = [point.as_json() for point in self.burn_down]
        if self.pace is not None:
            found["pace"] = self.pace.as_json()
        if self.blocks:
            found["blocks"] = {name: gauge.as_json() for name, gauge in self.blocks.items()}
        return found


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left, by table, by population and by analyst and table.

    A table's gauge counts what all analysts together have learnt, should they put their answers together; an analyst's
    gauge what they have learnt by themselves.
    """

    tables: Mapping[str, Gauge]
    populations: Mapping[str, Gauge]
    analysts: Mapping[str, Mapping[str, Gauge]]
    note: str = ""
    paused: Mapping[str, str] = field(default_factory=dict)
    """The tables that may not be asked about now, and why."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """How many analysts' questions about a table have failed since it was last resumed; for the steward alone."""
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The analysts who may not ask about a table until they are resumed, as a question of theirs failed; for the steward
    alone."""

    @property
    def burn_down(self) -> dict[str, tuple[Point, ...]]:
        """What was left of each budget after each entry of the ledger that charged it."""
        return {name: gauge.burn_down for name, gauge in self.gauges()}

    def gauges(self) -> Iterator[tuple[str, Gauge]]:
        """Every gauge with its name: tables, populations, then each analyst's own."""
        yield from self.tables.items()
        for name, gauge in self.populations.items():
            yield f"population {name}", gauge
        for analyst, gauges in self.analysts.items():
            for table, gauge in gauges.items():
                yield f"{analyst} on {table}", gauge

    def as_json(self) -> dict[str, object]:
        found: dict[str, object] = {
            "tables": {name: self._table_json(name, gauge) for name, gauge in self.tables.items()},
            "analysts": {
                name: {
                    table: {**gauge.as_json(), "all_together": loss_json(self.tables[table].spent)}
                    for table, gauge in gauges.items()
                }
                for name, gauges in self.analysts.items()
            },
        }
        if self.populations:
            found["populations"] = {name: gauge.as_json() for name, gauge in self.populations.items()}
        return found

    def _table_json(self, name: str, gauge: Gauge) -> dict[str, object]:
        found = gauge.as_json()
        if name in self.paused:
            found["paused"] = self.paused[name]
        if name in self.failures:
            found["failures"] = self.failures[name]
        if name in self.failed:
            found["failed"] = list(self.failed[name])
        return found

    def __str__(self) -> str:
        lines = []
        for name, gauge in self.gauges():
            pause = f"; paused {self.paused[name]}" if name in self.paused else ""
            lines.append(f"{name}: {left_text(gauge.left)} left of {cost_text(gauge.cap)}{pause}")
        return harmless("\n".join([*lines, *([self.note] if self.note else [])]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.render.budgets import html_budget

        return html_budget(self)
