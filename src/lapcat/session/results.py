"""What people get back: previews, answers, receipts, sensitivities, budgets. Each has the JSON form of the contract."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lapcat.core.exact import exact_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument, BadQuery
from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import KeyColumn, Prepared, ValueColumn
from lapcat.plan.nodes import Key
from lapcat.plan.schema import Limit


def loss_json(loss: Loss | Limit | Amount) -> dict[str, str]:
    """`{"epsilon": "0.2"}`, with exact numbers as strings."""
    match loss:
        case PureDP(epsilon):
            return {"epsilon": exact_text(epsilon)}
        case ZCDP(rho):
            return {"rho": exact_text(rho)}
        case ApproxDP(epsilon, delta):
            return {"epsilon": exact_text(epsilon), "delta": exact_text(delta)}
    found = {}
    for kind in ("epsilon", "rho", "delta"):
        value = getattr(loss, kind)
        if value is not None and not (kind == "delta" and value == 0):
            found[kind] = exact_text(value)
    return found


def loss_text(loss: Loss | Limit | Amount) -> str:
    """`epsilon 0.2`, for sentences."""
    return " and ".join(f"{kind} {value}" for kind, value in loss_json(loss).items()) or "nothing"


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of budget in the kinds that a limit has."""

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Gauge:
    """A limit, what was spent of it and what is left."""

    cap: Limit
    spent: Amount
    left: Amount

    def as_json(self) -> dict[str, object]:
        return {"cap": loss_json(self.cap), "spent": loss_json(self.spent), "left": loss_json(self.left)}


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left, by table, by population and by analyst and table."""

    tables: Mapping[str, Gauge]
    populations: Mapping[str, Gauge]
    analysts: Mapping[str, Mapping[str, Gauge]]
    note: str = ""

    def as_json(self) -> dict[str, object]:
        found: dict[str, object] = {
            "tables": {name: gauge.as_json() for name, gauge in self.tables.items()},
            "analysts": {
                name: {table: gauge.as_json() for table, gauge in gauges.items()}
                for name, gauges in self.analysts.items()
            },
        }
        if self.populations:
            found["populations"] = {name: gauge.as_json() for name, gauge in self.populations.items()}
        return found

    def __str__(self) -> str:
        lines = [f"{name}: {loss_text(g.left)} left of {loss_text(g.cap)}" for name, g in self.tables.items()]
        return "\n".join([*lines, *([self.note] if self.note else [])])

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Because:
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class StatisticReport:
    """What one unit can do to one statistic, in the column's own unit of measure."""

    label: str
    kind: str
    l1: Fraction
    l2_squared: Fraction
    because: tuple[Because, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "label": self.label,
            "kind": self.kind,
            "l1": exact_text(self.l1),
            "l2_squared": exact_text(self.l2_squared),
            "because": [{"rule": b.rule, "text": b.text} for b in self.because],
        }


@dataclass(frozen=True, slots=True)
class SensitivityReport:
    """What one unit can do to the whole question; l1 and l2_squared are None where statistics differ in unit."""

    relation: str
    unit: str
    statistics: tuple[StatisticReport, ...]
    l1: Fraction | None
    l2_squared: Fraction | None
    because: tuple[Because, ...]

    @classmethod
    def of(cls, prepared: Prepared, unit: str) -> SensitivityReport:
        reports = []
        for label, fact, own in zip(
            prepared.labels, prepared.facts.statistics, prepared.sensitivities, strict=True
        ):
            because = tuple(Because(r.rule, r.text) for r in (*prepared.facts.rows.reasons, *fact.reasons))
            reports.append(StatisticReport(label.label, "sum", own.l1, own.l2_squared, because))
        whole = prepared.sensitivity
        return cls(
            str(prepared.facts.rows.relation),
            unit,
            tuple(reports),
            whole.l1 if whole else None,
            whole.l2_squared if whole else None,
            tuple(Because(r.rule, r.text) for r in prepared.reasons),
        )

    def as_json(self) -> dict[str, object]:
        return {
            "relation": self.relation,
            "unit": self.unit,
            "statistics": [statistic.as_json() for statistic in self.statistics],
            "l1": None if self.l1 is None else exact_text(self.l1),
            "l2_squared": None if self.l2_squared is None else exact_text(self.l2_squared),
        }


@dataclass(frozen=True, slots=True)
class ForeseenColumn:
    """The error that a column of the answer will have."""

    name: str
    margin: float | None
    confidence: Fraction
    assuming: Mapping[int, float]
    variance: float | None
    """The expected squared error, where it does not depend on an unknown number of rows."""

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "margin": self.margin,
            "confidence": float(self.confidence),
            "assuming": [{"n": n, "margin": m} for n, m in self.assuming.items()] or None,
        }


@dataclass(frozen=True, slots=True)
class Preview:
    """What a question would cost and how far its answer may be off. No row was read, nothing was spent."""

    cost: Loss
    columns: tuple[ForeseenColumn, ...]
    left_after: Mapping[str, Amount]
    analyst_left_after: Amount | None
    free: bool
    groups: int
    notes: tuple[str, ...]
    statistics: tuple[str, ...]
    """What would be measured, in words: each with its noise."""

    def as_json(self) -> dict[str, object]:
        analyst = (
            None if self.analyst_left_after is None else {"left_after": loss_json(self.analyst_left_after)}
        )
        return {
            "cost": loss_json(self.cost),
            "columns": [column.as_json() for column in self.columns],
            "budget": {
                "tables": {name: {"left_after": loss_json(left)} for name, left in self.left_after.items()},
                "analyst": analyst,
            },
            "free": self.free,
        }

    def __str__(self) -> str:
        lines = ["free: it was answered before" if self.free else f"would cost {loss_text(self.cost)}"]
        for column in self.columns:
            if column.margin is not None:
                lines.append(
                    f"{column.name}: ± {column.margin:.6g} at {float(column.confidence):.4g} confidence"
                )
            else:
                shown = ", ".join(f"± {margin:.4g} if n = {n}" for n, margin in column.assuming.items())
                lines.append(f"{column.name}: {shown}, at {float(column.confidence):.4g} confidence")
        lines += [f"{name}: {loss_text(left)} left after" for name, left in self.left_after.items()]
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was released, under which guarantee: the ledger entry's number and hash, and what it says."""

    id: int
    hash: str
    fields: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "hash": self.hash, **self.fields}

    def save(self, path: str | Path) -> None:
        Path(path).write_text(
            json.dumps(self.as_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )

    def __str__(self) -> str:
        return f"{self.id}:{self.hash[:8]}…"


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of the answer. role: key, value, low or high."""

    name: str
    type: str
    role: str


@dataclass(eq=False)
class Answer:
    """Every number with its interval. Rows are built when they are looked at."""

    keys: tuple[Key, ...]
    shown: tuple[KeyColumn | ValueColumn, ...]
    estimates: tuple[Estimates, ...]
    confidence: Fraction
    cost: Loss
    free: bool
    receipt: Receipt
    budget: Budget
    notes: tuple[str, ...]

    @cached_property
    def fields(self) -> tuple[AnswerColumn, ...]:
        found: list[AnswerColumn] = []
        for column in self.shown:
            if isinstance(column, KeyColumn):
                found.append(AnswerColumn(column.name, str(self.keys[column.key].type), "key"))
                continue
            kind = "integer" if column.aggregate.is_integer else "float"
            for suffix, role in (("", "value"), ("_low", "low"), ("_high", "high")):
                found.append(AnswerColumn(column.name + suffix, kind, role))
        return tuple(found)

    @property
    def columns(self) -> list[str]:
        return [column.name for column in self.fields]

    @cached_property
    def _data(self) -> dict[str, Any]:
        """The columns, keys as lists and numbers as arrays."""
        cells = len(self)
        estimates = iter(self.estimates)
        data: dict[str, Any] = {}
        for column in self.shown:
            if isinstance(column, KeyColumn):
                data[column.name] = _key_values(self.keys, column.key, cells)
            else:
                estimate = next(estimates)
                for suffix, part in (("", estimate.value), ("_low", estimate.low), ("_high", estimate.high)):
                    data[column.name + suffix] = part
        return data

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        lists = [part.tolist() if isinstance(part, np.ndarray) else part for part in self._data.values()]
        return [dict(zip(self._data, row, strict=True)) for row in zip(*lists, strict=True)]

    def __len__(self) -> int:
        count = 1
        for key in self.keys:
            count *= key.size
        return count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._data:
            raise BadArgument(
                "unknown-column", f"the answer has no column {name!r}", fix=f"one of: {', '.join(self._data)}"
            )
        part = self._data[name]
        return part.tolist() if isinstance(part, np.ndarray) else list(part)

    def to_pandas(self) -> Any:
        return _library("pandas").DataFrame(self._data)

    def to_polars(self) -> Any:
        return _library("polars").DataFrame(self._data)

    def to_arrow(self) -> Any:
        return _library("pyarrow", "arrow").table(self._data)

    def as_json(self) -> dict[str, object]:
        return {
            "columns": [{"name": c.name, "type": c.type, "role": c.role} for c in self.fields],
            "rows": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
            "cost": loss_json(self.cost),
            "confidence": float(self.confidence),
            "receipt": self.receipt.as_json(),
            "budget": self.budget.as_json(),
            "free": self.free,
        }

    def __repr__(self) -> str:
        from lapcat.story.tables import plain_table

        rows = plain_table(self, most=20)
        paid = "free (answered before)" if self.free else f"spent {loss_text(self.cost)}"
        return f"{rows}\n{paid}; intervals at {float(self.confidence):.4g} confidence cover the noise; receipt {self.receipt}"

    def _repr_html_(self) -> str:
        from lapcat.story.tables import html_table

        return html_table(self)


def _key_values(keys: tuple[Key, ...], index: int, cells: int) -> list[Any]:
    """A key's value in each cell; the last key runs fastest."""
    values: list[Any] = list(keys[index].values)
    if keys[index].other:
        values.append("other")
    faster = 1
    for key in keys[index + 1 :]:
        faster *= key.size
    run = values if faster == 1 else list(itertools.chain.from_iterable([v] * faster for v in values))
    return run * (cells // len(run)) if run else []


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bool)) or value is None else str(value)


def _library(name: str, extra: str = "") -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise BadQuery(
            "extra-missing", f"{name} is not installed", fix=f"pip install 'lapcat[{extra or name}]'"
        ) from None
