"""Budgets for display: a gauge for every budget, with its history, and the state of each table."""

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
    """A limit, the amount spent and the amount left."""

    cap: SpendingLimit
    spent: Amount
    left: Amount
    burn_down: tuple[Point, ...] = ()
    """The amount left after each entry, if the entries were read (`db.budget()`)."""
    pace: Pace | None = None
    blocks: Mapping[str, Gauge] = field(default_factory=dict)
    """For a table in blocks: the gauge of each block. The table's own gauge is that of the block that has spent most."""

    @property
    def most(self) -> Fraction:
        """The cap in its own kind."""
        cap = self.cap.epsilon if self.cap.rho is None else self.cap.rho
        return cap or Fraction(0)

    def as_json(self) -> dict[str, object]:
        fields: dict[str, object] = {
            "cap": loss_json(self.cap),
            "spent": loss_json(self.spent),
            "left": loss_json(self.left),
        }
        if self.burn_down:
            fields["burn_down"] = [point.as_json() for point in self.burn_down]
        if self.pace is not None:
            fields["pace"] = self.pace.as_json()
        if self.blocks:
            fields["blocks"] = {name: gauge.as_json() for name, gauge in self.blocks.items()}
        return fields


@dataclass(frozen=True, slots=True)
class Budget:
    """Gauges by table, by population, and by analyst and table.

    A table's gauge counts the privacy loss to all analysts together, should they collude; an analyst's gauge counts the loss to
    that analyst alone.
    """

    tables: Mapping[str, Gauge]
    populations: Mapping[str, Gauge]
    analysts: Mapping[str, Mapping[str, Gauge]]
    note: str = ""
    paused: Mapping[str, str] = field(default_factory=dict)
    """The paused tables, and why."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Number of analysts who have failed on a table since it was last resumed; for the steward only."""
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The analysts paused on a table by a failed question; for the steward only."""

    @property
    def burn_down(self) -> dict[str, tuple[Point, ...]]:
        """The amount left of each budget after each ledger entry that charged it."""
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
        fields: dict[str, object] = {
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
            fields["populations"] = {name: gauge.as_json() for name, gauge in self.populations.items()}
        return fields

    def _table_json(self, name: str, gauge: Gauge) -> dict[str, object]:
        fields = gauge.as_json()
        if name in self.paused:
            fields["paused"] = self.paused[name]
        if name in self.failures:
            fields["failures"] = self.failures[name]
        if name in self.failed:
            fields["failed"] = list(self.failed[name])
        return fields

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
