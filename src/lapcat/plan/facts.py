"""What one unit can do to each node of a plan: one rule per node, bottom-up, each with its reason and theorem.

Nothing here looks at data. A fact holds for every table that the catalogue allows, whatever is in the file: it rests
only on what the generated query enforces (the rank filter, the clamp, the declared keys).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from lapcat.core.exact import exact_text
from lapcat.core.sensitivity import Sensitivity
from lapcat.plan import predicates
from lapcat.plan.expressions import Expression, Logic, range_of
from lapcat.plan.nodes import Bound, Filter, Group, Kind, Rows, Scan, Statistic, filters_of
from lapcat.plan.schema import Relation


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a fact holds: the rule's name, a sentence for people, and the theorem behind it."""

    rule: str
    text: str
    theorem: str = ""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What one unit can do to a set of rows."""

    relation: Relation
    rows: int
    """The most rows that one unit has here."""
    fixed: bool
    """Every unit has exactly one row here, in every neighbour: then only the row's values can change."""
    size: int | None
    """The public number of rows, where `fixed` and declared."""
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class StatisticFacts:
    """What one unit can do to one statistic over all cells, in steps of its grid."""

    sensitivity: Sensitivity
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """What one unit can do to all statistics of a question."""

    rows: RowFacts
    statistics: tuple[StatisticFacts, ...]
    most: int
    """The most noisy statistics that one row (replace-one, one cell: one pair of rows) can move at once."""
    reasons: tuple[Reason, ...]
    """Why `most`."""

    def together(self, sensitivities: Sequence[Sensitivity]) -> Sensitivity:
        """The sensitivity of all statistics as one vector, given each one's own in a common unit of measure.

        Theorem: a row moves at most `most` statistics, so the vector moves by at most the `most` largest; the squares
                 likewise, since a unit's R rows move each statistic by at most its own bound and all of them together
                 by at most R * most of the one-row bounds.
        Source:  Dwork, McSherry, Nissim & Smith 2006 (l1 sensitivity of a vector).
        """
        noisy = [s for s in sensitivities if s.l1 > 0]
        if not noisy:
            return Sensitivity(0, Fraction(0), Fraction(0), Fraction(0))
        l1 = sum(sorted((s.l1 for s in noisy), reverse=True)[: self.most], Fraction(0))
        l2 = sum(sorted((s.l2_squared for s in noisy), reverse=True)[: self.most], Fraction(0))
        return Sensitivity(sum(s.l0 for s in noisy), max(s.linf for s in noisy), l1, min(l2, l1 * l1))


def rows_facts(rows: Rows) -> RowFacts:
    """One rule per node below the group."""
    match rows:
        case Scan():
            return _scan(rows)
        case Filter(source, _):
            inner = rows_facts(source)
            reason = Reason(
                "filter", "a filter may drop a unit's rows, never add any", "stability of selection is 1"
            )
            return RowFacts(inner.relation, inner.rows, False, None, (*inner.reasons, reason))
        case Bound(source, limit):
            inner = _scan(source)
            reason = Reason(
                "bound-rows",
                f"at most {limit} rows of each {source.unit} count: those of least rank in the snapshot's index",
                "the kept rows of a unit depend on that unit's rows alone, so a unit changes at most this many",
            )
            return RowFacts(inner.relation, limit, False, None, (*inner.reasons, reason))
        case _:
            assert_never(rows)


def _scan(scan: Scan) -> RowFacts:
    unit = f"each {scan.unit}" if scan.unit.is_row else f"everybody with their own {scan.unit}"
    neighbours = {
        Relation.ADD_REMOVE: "one table is the other without one unit",
        Relation.REPLACE_ONE: "one unit's data differs; the number of units is public",
    }[scan.relation]
    reason = Reason(
        "unit", f"protected is {unit}; {scan.relation}: {neighbours}", "declared in the catalogue"
    )
    fixed = scan.unit.is_row and scan.relation is Relation.REPLACE_ONE
    return RowFacts(scan.relation, 1, fixed, scan.units if fixed else None, (reason,))


def group_facts(group: Group) -> GroupFacts:
    """The rule for Group: each statistic's sensitivity, and how many of them move together."""
    rows = rows_facts(group.source)
    statistics = tuple(statistic_facts(group, statistic, rows) for statistic in group.statistics)
    noisy = [s for s, fact in zip(group.statistics, statistics, strict=True) if fact.sensitivity.l1 > 0]
    # With several cells, a replaced row leaves one and enters another; each half is an add-remove step and is paid by
    # half of the doubled l1, so the add-remove number of statistics moved at once is the right one. Within one cell
    # nothing was doubled, so there the number of statistics on which two rows differ is.
    relation = Relation.ADD_REMOVE if group.cells > 1 else rows.relation
    parts = [predicates.Part(statistic.filter, statistic.kind is Kind.ROWS) for statistic in noisy]
    joint = predicates.joint(
        parts,
        relation,
        where=_all_of(filters_of(group.source)),
        may_be_absent=bool(group.keys) or not rows.fixed,
    )
    reasons: tuple[Reason, ...] = ()
    if len(noisy) > 1:
        theorem = (
            "the l1 sensitivity of a vector is the most that one record moves it"
            if joint.proved
            else "the sum"
        )
        reasons = (Reason("joint", joint.because, theorem),)
    return GroupFacts(rows, statistics, joint.most, reasons)


def statistic_facts(group: Group, statistic: Statistic, rows: RowFacts) -> StatisticFacts:
    """The rule for one bounded integer sum over disjoint cells.

    With R rows per unit, each adding an integer in low..high or nothing, m = max(|low|, |high|):

    add-remove                       l1 = R m
    replace-one, cells by keys       l1 = 2 R m: R rows leave their cells, R others enter theirs
    replace-one, one cell            l1 = R (max(high, 0) − min(low, 0)): old and new rows meet in the same cell
    … and every row adds something   l1 = high − low (unit = row, no filter, never NULL); 0 for a count

    Theorem: triangle inequality over the unit's rows. Squares: contributions of one sign in different cells are
             at right angles or partly cancel, so l2² doubles; of either sign they may add up, so l2 doubles.
    Source:  Dwork, McSherry, Nissim & Smith 2006.
    """
    low, high, limit = statistic.low, statistic.high, rows.rows
    magnitude = max(abs(low), abs(high))
    cells = group.cells
    each = Reason("statistic", f"each row adds {_addend(statistic)}")
    if rows.relation is Relation.ADD_REMOVE:
        l1 = limit * magnitude
        moves = "one row of a unit moves" if limit == 1 else f"{limit} rows of a unit move"
        why = Reason("add-remove", f"{moves} it by at most {_shown(l1, statistic)}")
        return StatisticFacts(
            _sensitivity(min(limit, cells), l1, l1, l1 * l1), (each, why, *_disjoint(group))
        )
    one_cell = limit * (max(high, 0) - min(low, 0))
    if cells > 1:
        l1 = 2 * limit * magnitude
        one_sided = low >= 0 or high <= 0
        l2_squared = (2 if one_sided else 4) * (limit * magnitude) ** 2
        moves = (
            "a row leaves its group and another enters one"
            if limit == 1
            else f"{limit} rows leave their groups and {limit} others enter theirs"
        )
        why = Reason("replace-one", f"{moves}: at most {_shown(l1, statistic)}")
        return StatisticFacts(
            _sensitivity(min(2 * limit, cells), min(one_cell, l1), l1, l2_squared),
            (each, why, *_disjoint(group)),
        )
    if rows.fixed and not group.keys and statistic.filter is None and always_adds(statistic):
        spread = high - low
        text = "the number of rows is public"
        if spread:
            text = f"one value is replaced by another: at most {_shown(spread, statistic)}"
        return StatisticFacts(
            _sensitivity(min(1, spread), spread, spread, spread**2), (each, Reason("replace-one-fixed", text))
        )
    why = Reason(
        "replace-one",
        f"old and new rows count together, or not at all: at most {_shown(one_cell, statistic)}",
    )
    return StatisticFacts(_sensitivity(1, one_cell, one_cell, one_cell**2), (each, why))


def always_adds(statistic: Statistic) -> bool:
    """Whether no row can be without a contribution: the value is never NULL."""
    return statistic.value is None or not range_of(statistic.value).nullable


def _sensitivity(l0: int, linf: int, l1: int, l2_squared: int) -> Sensitivity:
    return Sensitivity(l0, Fraction(linf), Fraction(l1), Fraction(l2_squared))


def _disjoint(group: Group) -> tuple[Reason, ...]:
    if not group.keys:
        return ()
    return (
        Reason("disjoint-cells", "a row lies in one group at most, so all groups together move no further"),
    )


def _all_of(found: Sequence[Expression]) -> Expression | None:
    if len(found) > 1:
        return Logic("and", tuple(found))
    return found[0] if found else None


def _addend(statistic: Statistic) -> str:
    if statistic.grid is None:
        return "1 or nothing"
    grid = statistic.grid
    ends = f"{_shown(grid.low, statistic)}..{_shown(grid.high, statistic)}"
    return f"a number in {ends}{f' (the value less {exact_text(grid.centre)})' if grid.centre else ''}, or nothing"


def _shown(steps: int, statistic: Statistic) -> str:
    """Steps of the grid in the unit of measure that people read."""
    return exact_text(steps * statistic.grid.step) if statistic.grid is not None else str(steps)
