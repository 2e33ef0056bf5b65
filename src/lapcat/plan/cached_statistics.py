"""Identities of the numbers in a stored answer, so that a later question can be answered from them.

A statistic is identified by a digest of its rows and its summand: the source, its version, every limit on a unit's rows and
groups, the weights, the filters, the clamp and the grid. A selection is identified by its rows, its kind and its candidates;
groups by their keys. Nothing here depends on data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lapcat.plan.choices import Common, End, PlannedChoice, Quantile
from lapcat.plan.compile import Prepared
from lapcat.plan.expressions import range_of
from lapcat.plan.nodes import GroupKey, Rows, Statistic
from lapcat.plan.schema import Type
from lapcat.stored.digest import identity_of


@dataclass(frozen=True, slots=True)
class KeyContent:
    """A key of stored cells."""

    identity: str
    """The digest of its expression and its public values, in order."""
    size: int | None
    """The number of its groups; None where they are private."""
    total: bool
    """Whether every row is in one of its groups, so that they add up to the total."""
    listed: str | None = None
    """Where its last group is for all other values: the identity of the same key without it."""


@dataclass(frozen=True, slots=True)
class ChoiceContent:
    """A selection in stored cells."""

    identity: str
    """The digest of rows, column, filter and candidates. The event says which quantiles of the column it is."""
    rows: int
    """The number of its rows of cells."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of an answer: one row of cells per statistic, then those of each selection, by these keys."""

    statistics: tuple[str, ...]
    """The identity of each row of cells; the unit count of a threshold is the last."""
    keys: tuple[KeyContent, ...]
    sets: tuple[tuple[int, ...], ...]
    """The grouping sets: positions in `keys`."""
    choices: tuple[ChoiceContent, ...] = ()
    """Empty in debits written before the format recorded selections."""

    @property
    def held(self) -> tuple[str, ...]:
        """The identities by which an answer is found, each once."""
        return tuple(dict.fromkeys((*self.statistics, *(choice.identity for choice in self.choices))))

    @property
    def private(self) -> tuple[str, ...]:
        return tuple(key.identity for key in self.keys if key.size is None)

    def sizes(self, grouping: tuple[int, ...]) -> tuple[int, ...]:
        """The number of groups of each declared key of a grouping set."""
        return tuple(size for size in (self.keys[k].size for k in grouping) if size is not None)


def identities_of(rows: Rows, statistics: Sequence[Statistic]) -> tuple[str, ...]:
    """The identities of statistics over these rows."""
    source = identity_of(rows)
    return tuple(identity_of([source, statistic]) for statistic in statistics)


def content_of(prepared: Prepared) -> Content:
    """The content of the answer to a question."""
    plan = prepared.plan
    return Content(
        identities_of(plan.source, prepared.released),
        tuple(
            KeyContent(
                identity_of(key),
                None if key.is_private else key.size,
                is_total(key),
                identity_of(replace(key, other=False)) if key.other else None,
            )
            for key in plan.keys
        ),
        plan.grouping_sets,
        tuple(ChoiceContent(_chosen(choice), choice.rows) for choice in prepared.choices),
    )


def _chosen(choice: PlannedChoice) -> str:
    """The identity of a selection; all quantiles of a column have the same."""
    match choice.wishes[0]:
        case Quantile():
            wished: object = "quantiles"
        case End(highest=highest):
            wished = ["end", highest]
        case Common(picks=picks):
            wished = ["commonest", picks]
    plan = choice.plan
    return identity_of([identity_of(plan.source), wished, plan.keys[-1], plan.statistics[0]])


def is_total(key: GroupKey) -> bool:
    """Whether every row is in a listed group: there is a group for other values, or no other value is possible."""
    if key.other:
        return True
    reach = range_of(key.expression)
    if key.values is None or reach.nullable:
        return False
    if key.type is Type.BOOLEAN:
        return {True, False} <= set(key.values)
    if key.type is not Type.INTEGER or not reach.bounded:
        return False
    low, high = int(reach.low), int(reach.high)
    if isinstance(key.values, range):
        return key.values.start <= low and high < key.values.stop
    return high - low < len(key.values) and all(value in key.values for value in range(low, high + 1))
