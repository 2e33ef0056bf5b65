"""The results of the API: previews, answers, receipts, sensitivities, each with its JSON form."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapcat.core.exact import exact, exact_text, rounded_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument, BadQuery, harmless
from lapcat.ledger.fixed_point import DELTAS, cost_up
from lapcat.plan.accuracy import Guarantee
from lapcat.plan.compile import Prepared
from lapcat.plan.notes import Weight, weight_of
from lapcat.plan.released import Field, ReleasedTable
from lapcat.plan.schema import Relation, SpendingLimit
from lapcat.plan.simultaneous import Simultaneous
from lapcat.plan.words import shown_margin

if TYPE_CHECKING:
    from lapcat.render.charts import Plot
    from lapcat.session.budgets import Budget


def loss_json(loss: Loss | SpendingLimit | Amount) -> dict[str, str]:
    """`{"epsilon": "0.2"}`, with exact numbers as strings."""
    match loss:
        case PureDP(epsilon):
            return {"epsilon": exact_text(epsilon)}
        case ZCDP(rho):
            return {"rho": exact_text(rho)}
        case ApproxDP(epsilon):  # delta as charged by the ledger: the exact one may have a hundred digits
            delta = Fraction(cost_up(loss).delta, DELTAS)
            return {"epsilon": exact_text(epsilon), "delta": exact_text(delta)}
    amounts = {}
    for kind in ("epsilon", "rho", "delta"):
        value = getattr(loss, kind)
        if value is not None and not (kind == "delta" and value == 0):
            amounts[kind] = exact_text(value)
    return amounts


def loss_text(loss: Loss | SpendingLimit | Amount) -> str:
    """`epsilon 0.2`, exact: for stored or guaranteed amounts."""
    return " and ".join(f"{kind} {value}" for kind, value in loss_json(loss).items()) or "nothing"


def cost_text(loss: Loss | SpendingLimit | Amount) -> str:
    """`epsilon 0.154`, rounded up for display: never less than the loss."""
    return _rounded(loss, up=True)


def left_text(left: Amount) -> str:
    """`epsilon 2.8`, rounded down for display: never more than is left."""
    return _rounded(left, up=False)


def _rounded(loss: Loss | SpendingLimit | Amount, *, up: bool) -> str:
    shown = {kind: rounded_text(exact(value), up=up) for kind, value in loss_json(loss).items()}
    return " and ".join(f"{kind} {value}" for kind, value in shown.items()) or "nothing"


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of budget in the kinds that a limit has."""

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction | None = None


def less(amount: Amount, other: Amount) -> Amount:
    """The difference of two amounts, in the kinds that both have."""

    def without(kind: str) -> Fraction | None:
        left: Fraction | None = getattr(amount, kind)
        right: Fraction | None = getattr(other, kind)
        return left if left is None or right is None else left - right

    return Amount(without("epsilon"), without("rho"), without("delta"))


def is_overdrawn(left: Amount) -> bool:
    """Whether an amount is negative."""
    return any(value is not None and value < 0 for value in (left.epsilon, left.rho, left.delta))


@dataclass(frozen=True, slots=True)
class Because:
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class StatisticReport:
    """The sensitivity of one statistic to one unit, in the column's unit of measure; for a selection, of its score in rows."""

    label: str
    kind: str
    l1: Fraction
    l2_squared: Fraction
    because: tuple[Because, ...]

    @property
    def called(self) -> str:
        """The quantity whose sensitivity is reported: for a selection its score, never the value."""
        return f"score of {self.label}" if self.kind == "choice" else self.label

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
    """The sensitivity of a whole question to one unit; l1 and l2_squared are None if the statistics differ in unit of measure."""

    relation: str
    unit: str
    statistics: tuple[StatisticReport, ...]
    l1: Fraction | None
    l2_squared: Fraction | None
    because: tuple[Because, ...]
    witness: Mapping[str, object] | None = None
    """A synthetic row that moves as many statistics at once as possible; under replace-one two rows, `one` and `other`."""

    @classmethod
    def of(cls, prepared: Prepared, unit: str) -> SensitivityReport:
        reports = []
        for label, fact, own in zip(
            prepared.labels, prepared.facts.statistics, prepared.sensitivities, strict=True
        ):
            because = tuple(Because(r.rule, r.text) for r in (*prepared.facts.rows.reasons, *fact.reasons))
            reports.append(StatisticReport(label.label, "sum", own.l1, own.l2_squared, because))
        for choice in prepared.choices:
            moved = choice.score_moved
            because = tuple(Because(r.rule, r.text) for r in choice.reasons)
            reports.append(StatisticReport(choice.label, "choice", moved, moved**2, because))
        whole = None if prepared.choices else prepared.sensitivity
        l1, l2_squared = (whole.l1, whole.l2_squared) if whole else (None, None)
        counted = _counted_units(prepared)
        if counted is not None:  # with other statistics there is no common unit of measure
            l1, l2_squared = (counted.l1, counted.l2_squared) if not reports else (None, None)
            reports.append(counted)
        return cls(
            str(prepared.facts.rows.relation),
            unit,
            tuple(reports),
            l1,
            l2_squared,
            tuple(Because(r.rule, r.text) for r in prepared.reasons),
            prepared.facts.witness,
        )

    def __str__(self) -> str:
        lines = [f"one {self.unit} can move ({self.relation})"]
        for statistic in self.statistics:
            lines.append(f"  {statistic.called}: by at most {exact_text(statistic.l1)}")
        everything = [*(b for s in self.statistics for b in s.because), *self.because]
        reasons = dict.fromkeys(b.text for b in everything)
        return harmless("\n".join([*lines, "because", *(f"  {text}" for text in reasons)]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import sensitivity_html

        return sensitivity_html(self)

    def as_json(self) -> dict[str, object]:
        return {
            "relation": self.relation,
            "unit": self.unit,
            "statistics": [statistic.as_json() for statistic in self.statistics],
            "l1": None if self.l1 is None else exact_text(self.l1),
            "l2_squared": None if self.l2_squared is None else exact_text(self.l2_squared),
            **({} if self.witness is None else {"witness": _record(self.witness)}),
        }


def _record(witness: Mapping[str, object]) -> dict[str, object]:
    """The synthetic row, or two of them, as JSON."""
    return {n: _record(v) if isinstance(v, Mapping) else _plain(v) for n, v in witness.items()}


def _counted_units(prepared: Prepared) -> StatisticReport | None:
    """The sensitivity of the unit counts that decide which private groups are shown."""
    keys = prepared.facts.keys_per_unit
    if keys is None:
        return None
    rows = prepared.facts.rows
    moved = Fraction(keys * (2 if rows.relation is Relation.REPLACE_ONE else 1))
    label = "number of units by " + ", ".join(key.name for key in prepared.plan.private_keys)
    reasons = (*rows.reasons, *(r for r in prepared.facts.reasons if r.rule == "private-keys"))
    return StatisticReport(label, "sum", moved, moved, tuple(Because(r.rule, r.text) for r in reasons))


@dataclass(frozen=True, slots=True)
class ForeseenColumn:
    """The foreseen error of a column.

    If margin is None, the error depends on the number of rows (then `assuming` has examples) or on the answer itself.
    """

    name: str
    margin: float | None
    confidence: Fraction
    assuming: Mapping[int, float]
    variance: float | None
    """The expected squared error, if it does not depend on an unknown number of rows."""
    supposing: str = ""
    """Further assumptions of `assuming`, and what holds without them."""
    guarantee: Guarantee | None = None
    """The guarantee of a selected value (MEDIAN, MAX, MODE) on every table."""

    @property
    def words(self) -> str:
        """`± 15`, the guarantee of a selection, or margins for several numbers of rows if that is not public."""
        if self.margin is not None:
            return f"± {shown_margin(self.margin)}"
        if self.guarantee is not None:
            return self.guarantee.words
        return self.examples or "the margin depends on the answer"

    @property
    def examples(self) -> str:
        """The margin for several numbers of rows."""
        return ", ".join(
            f"± {shown_margin(margin)} if n = {n:,}".replace(",", " ") for n, margin in self.assuming.items()
        )

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "margin": self.margin,
            "confidence": float(self.confidence),
            "assuming": [{"n": n, "margin": m} for n, m in self.assuming.items()] or None,
            **({"supposing": self.supposing} if self.supposing else {}),
            **({} if self.guarantee is None else {"guarantee": _guaranteed(self.guarantee)}),
        }


def _guaranteed(guarantee: Guarantee) -> dict[str, object]:
    return {"rows": guarantee.rows if math.isfinite(guarantee.rows) else None, "text": guarantee.words}


@dataclass(frozen=True, slots=True)
class Offered:
    """An answer from cache: its entries and foreseen errors."""

    entries: tuple[int, ...]
    columns: tuple[ForeseenColumn, ...]

    def as_json(self) -> dict[str, object]:
        return {"entries": list(self.entries), "columns": [column.as_json() for column in self.columns]}


def entries_text(entries: tuple[int, ...]) -> str:
    """`entry 17`, or `entries 17 and 19`."""
    listed = [str(id) for id in entries]
    if len(listed) == 1:
        return f"entry {listed[0]}"
    return f"entries {', '.join(listed[:-1])} and {listed[-1]}"


@dataclass(frozen=True, slots=True)
class AnswerMethod:
    """One method of answering a question, at the same price."""

    name: str
    error: float
    """The expected root mean square error over all numbers."""
    taken: bool

    def as_json(self) -> dict[str, object]:
        return {"name": self.name, "error": self.error, "taken": self.taken}


@dataclass(frozen=True, slots=True)
class GroupThreshold:
    """The number of units that a private group needs to be shown."""

    keys: str
    unit: str
    tau: int
    shown_from: int
    """The smallest group that is shown with probability `confidence`."""
    hidden_to: int
    """The largest group that is left out with probability `confidence`."""
    confidence: Fraction
    units: int | None = None
    """The number of units, if it is public."""

    @property
    def words(self) -> str:
        percent = f"{float(self.confidence) * 100:.4g} %"
        hidden = f"; groups of {self.hidden_to} or fewer are left out as often" if self.hidden_to else ""
        sentence = (
            f"a group by {self.keys} is shown if its noisy number of {self.unit} reaches {self.tau}: groups of "
            f"{self.shown_from} or more are shown with probability {percent}{hidden}"
        )
        if self.units is not None and self.units < self.shown_from:
            sentence += f"; there are {self.units} in all, so most likely no group is shown"
        return sentence

    def as_json(self) -> dict[str, object]:
        return {
            "keys": self.keys,
            "tau": self.tau,
            "shown_from": self.shown_from,
            "hidden_to": self.hidden_to,
            "confidence": float(self.confidence),
        }


@dataclass(frozen=True, slots=True)
class Preview:
    """The price and the error of a question. No row was read, nothing was spent."""

    cost: Loss
    columns: tuple[ForeseenColumn, ...]
    left_after: Mapping[str, Amount]
    analyst_left_after: Mapping[str, Amount] | None
    """The amount left of the analyst's own limit on each table; None without a named analyst."""
    free: bool
    groups: int
    notes: tuple[str, ...]
    statistics: tuple[str, ...]
    """The measurements in words, each with its noise."""
    populations_left_after: Mapping[str, Amount]
    derived: Offered | None = None
    """The answer from cache: the preview itself if `free`, else an alternative."""
    ways: tuple[AnswerMethod, ...] = ()
    """The methods of answering, if there are several: the error of each, smallest first, and which is used."""
    threshold: GroupThreshold | None = None
    """The threshold of private groups, if any."""

    @property
    def in_groups(self) -> tuple[str, ...]:
        """The number of groups and the threshold, in words; empty without groups."""
        many = f"{self.groups:,}".replace(",", " ")
        declared = f"in each of {many} groups" if self.groups > 1 else ""
        if self.threshold is None:
            return (declared,) if declared else ()
        private = f"each group by {self.threshold.keys} that is shown"
        where = f"{declared}, for {private}" if declared else f"in {private}; how many there are is private"
        return (where, self.threshold.words)

    def as_json(self) -> dict[str, object]:
        own = {
            name: {"left_after": loss_json(left)} for name, left in (self.analyst_left_after or {}).items()
        }
        analyst = None if not own else next(iter(own.values())) if len(own) == 1 else {"tables": own}
        budget: dict[str, object] = {
            "tables": {name: {"left_after": loss_json(left)} for name, left in self.left_after.items()},
            "analyst": analyst,
        }
        if self.populations_left_after:
            budget["populations"] = {
                name: {"left_after": loss_json(left)} for name, left in self.populations_left_after.items()
            }
        return {
            "cost": loss_json(self.cost),
            "columns": [column.as_json() for column in self.columns],
            "groups": self.groups,
            "budget": budget,
            "free": self.free,
            **({} if self.threshold is None else {"threshold": self.threshold.as_json()}),
            **({} if self.derived is None else {"derived": self.derived.as_json()}),
            **({"ways": [way.as_json() for way in self.ways]} if self.ways else {}),
        }

    def budgets_left_after(self) -> Iterator[tuple[str, Amount]]:
        """Every budget with its name: tables, populations, then the analyst's own."""
        yield from self.left_after.items()
        yield from ((f"population {name}", left) for name, left in self.populations_left_after.items())
        yield from ((f"your own on {name}", left) for name, left in (self.analyst_left_after or {}).items())

    def __str__(self) -> str:
        if self.derived is not None and self.free:
            lines = [
                f"free, from {entries_text(self.derived.entries)}: it follows from what was released before"
            ]
        else:
            lines = ["free: it was answered before" if self.free else f"would cost {cost_text(self.cost)}"]
        lines += [f"{c.name}: {c.words}, at {float(c.confidence):.4g} confidence" for c in self.columns]
        lines += self.in_groups
        if self.derived is not None and not self.free:
            summary = "; ".join(f"{column.name}: {column.words}" for column in self.derived.columns)
            lines.append(f"or free, from {entries_text(self.derived.entries)}: {summary}")
        if self.ways:
            summary = ", ".join(f"{way.name} {way.error:.4g}{' (taken)' * way.taken}" for way in self.ways)
            lines.append(f"error to expect of all numbers (root mean square): {summary}")
        lines += [f"{name}: {left_text(left)} left after" for name, left in self.budgets_left_after()]
        return harmless("\n".join([*lines, *self.notes]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import preview_html

        return preview_html(self)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt of a release and its guarantee: the ledger entry's id and hash, and its fields."""

    id: int
    hash: str
    fields: Mapping[str, object]
    """All other fields (ledger/receipts.py)."""

    @classmethod
    def of(cls, said: Mapping[str, object]) -> Receipt:
        id, hash = said["id"], said["hash"]
        assert isinstance(id, int) and isinstance(hash, str)
        return cls(id, hash, {key: value for key, value in said.items() if key not in ("id", "hash")})

    @property
    def signed(self) -> bool:
        """Whether it has a signature; without one only the ledger can confirm it."""
        return self.fields.get("signature") is not None

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "hash": self.hash, **self.fields}

    def save(self, path: str | Path) -> None:
        Path(path).write_text(
            json.dumps(self.as_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )

    def __str__(self) -> str:
        return f"{self.id}:{self.hash[:8]}…"

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import receipt_html

        return receipt_html(self)


@dataclass(eq=False)
class Answer:
    """Every number with its interval. Rows are built on demand."""

    table: ReleasedTable
    confidence: Fraction
    cost: Loss
    free: bool
    receipt: Receipt
    budget: Budget
    notes: tuple[str, ...]
    """Notes for the reader: what the intervals cover, what was clamped or left out, and why."""
    at_once: Simultaneous | None = None
    """If all intervals hold simultaneously: their number and the theorem. None: each holds by itself."""
    derived_from: tuple[int, ...] = ()
    """The ledger entries of the cached answers it was computed from; empty for an answer with its own debit."""

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.table.fields

    @property
    def columns(self) -> list[str]:
        return [field.name for field in self.fields]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        lists = [_listed(part) for part in self.table.values()]
        if not lists:  # every column is hidden: rows without cells
            return [{} for _ in range(len(self))]
        return [dict(zip(self.table, row, strict=True)) for row in zip(*lists, strict=True)]

    def __len__(self) -> int:
        return self.table.rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self.columns:
            raise BadArgument(
                "unknown-column",
                f"the answer has no column {name!r}",
                fix=f"one of: {', '.join(self.columns)}",
            )
        return list(_listed(self.table[name]))

    def to_pandas(self) -> Any:
        pandas = library("pandas")
        return pandas.DataFrame(
            {
                name: pandas.array(part, dtype={"integer": "Int64", "float": "float64"}[kind])
                if kind
                else part
                for name, part, kind in self._with_nulls()
            }
        )

    def to_polars(self) -> Any:
        polars = library("polars")
        kinds = {"integer": polars.Int64, "float": polars.Float64, "": None}
        return polars.DataFrame(
            [polars.Series(name, part, dtype=kinds[kind]) for name, part, kind in self._with_nulls()]
        )

    def to_arrow(self) -> Any:
        arrow = library("pyarrow", "arrow")
        kinds = {"integer": arrow.int64(), "float": arrow.float64(), "": None}
        return arrow.table(
            {name: arrow.array(part, type=kinds[kind]) for name, part, kind in self._with_nulls()}
        )

    def plot(self, column: str | None = None) -> Plot:
        """A chart of one column with its error bars, by default the first; `.altair()` is an Altair chart."""
        from lapcat.render.charts import Plot

        return Plot.of(self, column)

    def _with_nulls(self) -> Iterator[tuple[str, Any, str]]:
        """The columns; numeric ones with NULLs as lists with None, and their type."""
        for field in self.fields:
            part = self.table[field.name]
            numeric = field.type in ("integer", "float")
            if numeric and (np.ma.isMaskedArray(part) or (isinstance(part, list) and None in part)):
                yield field.name, _listed(part), field.type
            else:
                yield field.name, part, ""

    def as_json(self) -> dict[str, object]:
        return {
            "columns": [{"name": c.name, "type": c.type, "role": c.role} for c in self.fields],
            "rows": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
            "cost": loss_json(self.cost),
            "confidence": float(self.confidence),
            "receipt": self.receipt.as_json(),
            "budget": self.budget.as_json(),
            "free": self.free,
            **self.about_json(),
        }

    def about_json(self) -> dict[str, object]:
        """The JSON of intervals, cache and notes."""
        together = None
        if self.at_once is not None:
            together = {
                "intervals": self.at_once.numbers,
                "each": float(self.at_once.each),
                "by": self.at_once.theorem,
            }
        return {
            "simultaneous": together,
            "derived": {"entries": list(self.derived_from)} if self.derived_from else None,
            "notes": list(self.notes),
        }

    @property
    def covered(self) -> str:
        """What the intervals cover, and what they do not."""
        how = "" if self.at_once is None else f"{self.at_once}; "
        return how + next((note for note in self.notes if weight_of(note) is Weight.COVERAGE), "")

    @property
    def price(self) -> str:
        """The cost, in words."""
        if self.derived_from:
            return f"free (from {entries_text(self.derived_from)})"
        return "free (answered before)" if self.free else f"spent {cost_text(self.cost)}"

    def __repr__(self) -> str:
        from lapcat.render.tables import plain_table

        rows = plain_table(self, max_rows=20)
        return (
            f"{rows}\n{self.price}; intervals at {float(self.confidence):.4g} confidence; receipt {self.receipt}\n"
            f"{self.covered}"
        )

    def _repr_html_(self) -> str:
        from lapcat.render.tables import html_table

        return html_table(self)


def _listed(part: Any) -> list[Any]:
    """A column as Python values; masked values are None."""
    return list(part.tolist()) if isinstance(part, np.ndarray) else list(part)


def _plain(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, bool)) or value is None else str(value)


def library(name: str, extra: str = "") -> Any:
    """Imports an optional package."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise BadQuery(
            "extra-missing", f"{name} is not installed", fix=f"pip install 'lapcat[{extra or name}]'"
        ) from None
