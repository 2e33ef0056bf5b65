"""Contribution bounding: where each unit's contribution is limited, and in which form, from plan and catalogue alone.

    one row per unit    nothing to do: a row is a unit, or the question makes one row per unit
    weights             all rows count; those of a unit with many rows are scaled down by the index's row count
    rank                only the first rows of a unit count, in the order of the index
    per question        rows and groups are chosen among those that the question reads: slower; for what the index does
                        not know (the number of groups), or what the question asks for

Weights and rank have the same noise; weights add no sampling error. But they bound the sum that a unit adds, not the
number of its rows or groups, so statistics that count once (units, distinct values, private groups) need the rank.

In every form, rows of a unit that are joined with others of its rows are limited by rank before the join, at any depth: a unit
with many rows would produce the product of its row counts, and whether an engine runs out of memory would reveal it
(plan/produced.py). One row per unit that is made without such a join uses all rows, and so does `IN (SELECT …)`:
`HAVING COUNT(*) >= 5` means five rows, whatever rows_per_unit is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from lapcat.errors import Refused
from lapcat.plan.expressions import Expression
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import (
    Filter,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    WeightRows,
    private_scans,
)
from lapcat.plan.words import many_groups, many_rows, rows_worth

UNIT_WEIGHT = 2**20
"""Steps per unweighted row where rows are weighted: a row of weight one in a million still counts."""

ORDERED = 10_000
"""The maximum number of a unit's rows per table that one question sorts; more where rows_per_unit is larger."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Contribution bounds that the question itself asks for: rows and groups per unit, among those that it reads."""

    rows: int | None = None
    groups: int | None = None


AS_DECLARED = Limits()


@dataclass(frozen=True, slots=True)
class Bounded:
    """Rows with bounded contributions, and sentences that say which form was chosen and why."""

    rows: Rows
    notes: tuple[str, ...]
    unit_weight: int = 1
    """Steps per unweighted row."""


def bounded(rows: Rows, keys: Sequence[GroupKey], statistics: Sequence[Statistic], limits: Limits) -> Bounded:
    """The rows with every unit's contribution limited, in the form with the least error for these statistics, and with
    both sides of every join of a unit's rows limited."""
    counted = _counting(rows, keys, statistics, limits)
    notes: dict[str, None] = dict.fromkeys(counted.notes[:1])
    paired = _pairs_limited(counted.rows, notes)
    if isinstance(paired, LimitGroups) and considered(paired.source) != paired.source:
        unit = rows_facts(paired).unit
        notes[f"they are chosen among each {unit}'s first {ORDERED} rows per table"] = None
    return replace(counted, rows=paired, notes=(*notes, *counted.notes[1:]))


def _counting(
    rows: Rows, keys: Sequence[GroupKey], statistics: Sequence[Statistic], limits: Limits
) -> Bounded:
    """The rows with every unit's contribution limited."""
    scans = [scan for scan in private_scans(rows) if not scan.unit.is_row]
    if not scans:
        if any(key.is_private for key in keys) and rows_facts(rows).rows != 1:
            raise _counted_twice(private_scans(rows)[0])
        return Bounded(rows, ())
    dropped = tuple(dict.fromkeys(f"rows without a {scan.unit} are dropped" for scan in scans))
    facts = rows_facts(rows)
    only_units = all(statistic.kind is Kind.UNITS for statistic in statistics)
    if facts.rows == 1:
        return Bounded(rows, (f"each {facts.unit} contributes one row{_whose_rule(rows)}", *dropped))
    if only_units and not keys and limits == AS_DECLARED:
        return Bounded(rows, (f"each {facts.unit} is counted once (the question)", *dropped))
    grouping = tuple(dict.fromkeys(key.expression for key in keys))
    private = tuple(dict.fromkeys(key.expression for key in keys if key.is_private))
    counted = _counted(rows)
    declared = min((s.groups_per_unit for s in counted if s.groups_per_unit is not None), default=None)
    max_rows = _max_rows(rows, scans)
    if limits != AS_DECLARED:
        form = _as_asked(rows, grouping, max_rows, declared, limits, facts.unit)
    elif only_units and declared is not None and declared < max_rows:
        # one row per group is enough, unless a condition may hold for another row of the group
        alike = _has_rank(rows) and all(statistic.filter is None for statistic in statistics)
        form = (
            LimitGroups(rows, grouping, declared, 1 if alike else None),
            f"each {facts.unit} contributes to at most {many_groups(declared)} (groups_per_unit), chosen for this question",
        )
    elif private and declared is not None and declared < max_rows:
        inside, note = _in_order(rows, counted, max_rows, facts.unit)
        form = (
            LimitGroups(inside, private, declared, None),
            f"{note}; each {facts.unit} contributes to at most {many_groups(declared)} (groups_per_unit)",
        )
    elif _weighable(rows) and not private and all(_is_sum(statistic) for statistic in statistics):
        worth = f"{rows_worth(counted[0].rows_per_unit)} of {counted[0].table}"
        note = f"each {facts.unit} contributes at most {worth}; larger contributions are scaled down (rows_per_unit)"
        weighted = _with_scans(rows, lambda scan: WeightRows(scan, scan.rows_per_unit))
        return Bounded(weighted, (note, *dropped), UNIT_WEIGHT)
    else:
        form = _in_order(rows, counted, max_rows, facts.unit)
    return Bounded(form[0], (form[1], *dropped))


def _in_order(rows: Rows, counted: Sequence[Scan], max_rows: int, unit: str) -> tuple[Rows, str]:
    """The first rows of each unit: by the index, or, where the question computes rows, among those that it reads."""
    ranked = _ranked(rows)
    if rows_facts(ranked).rows is not None:
        return ranked, _by_rank(counted)
    note = f"each {unit} contributes at most {many_rows(max_rows)} (rows_per_unit), chosen for this question"
    return LimitGroups(rows, (), 1, max_rows), note


def _as_asked(
    rows: Rows,
    grouping: tuple[Expression, ...],
    max_rows: int,
    declared: int | None,
    limits: Limits,
    unit: str,
) -> tuple[Rows, str]:
    """Per question: the requested number of rows, at most what the catalogue allows, spread over the requested groups."""
    if not _has_rank(rows):
        raise Refused(
            "bounding-of-pairs",
            "the rows of this question are pairs of a unit's rows, which have no order",
            why="rows are kept in the order of one table's index",
            fix="leave out max_rows_contributed and max_groups_contributed",
        )
    in_all = min(max_rows, limits.rows if limits.rows is not None else max_rows)
    if limits.groups is None or not grouping:
        note = f"each {unit} contributes at most {many_rows(in_all)} among those that the question reads (the question)"
        return LimitGroups(rows, (), 1, in_all), note
    groups = min(limits.groups, in_all, in_all if declared is None else declared)
    each = in_all // groups
    note = f"each {unit} contributes to at most {many_groups(groups)}, with at most {many_rows(each)} in each (the question)"
    return LimitGroups(rows, grouping, groups, each), note


def _counted_twice(scan: Scan) -> Refused:
    return Refused(
        "rows-counted-twice",
        f"a row of {scan.table} may be in several parts of this UNION ALL, and would count several times in a private group",
        why="a group is shown if it has enough units; each row is a unit and must count once",
        fix=f"read {scan.table} once, and add up the parts: COUNT(*) FILTER (WHERE …) + COUNT(*) FILTER (WHERE …) FROM {scan.table}",
    )


def _max_rows(rows: Rows, scans: Sequence[Scan]) -> int:
    """The maximum number of rows per unit that the catalogue allows this question to count."""
    by_rank = rows_facts(_ranked(rows)).rows
    return by_rank if by_rank is not None else max(scan.rows_per_unit for scan in scans)


def _is_sum(statistic: Statistic) -> bool:
    return statistic.kind in (Kind.ROWS, Kind.PRESENT, Kind.SUM)


def _weighable(rows: Rows) -> bool:
    """Whether every row is one row of one private table, so that the index knows its weight."""
    match rows:
        case Scan(unit=unit, rows_per_unit=max_rows):
            return not unit.is_row and max_rows <= 2**30
        case Filter(source):
            return _weighable(source)
        case Join(left):
            return _meets_one(rows) and _weighable(left)
        case LimitRows() | WeightRows() | LimitGroups() | Union() | PerUnit():
            return False
        case _:
            assert_never(rows)


def _counted(rows: Rows) -> tuple[Scan, ...]:
    """The tables whose rows are counted: the others are looked up, or aggregated to one row per unit."""
    scans: dict[Scan, None] = {}

    def collect(scan: Scan) -> Scan:
        scans[scan] = None
        return scan

    _with_scans(rows, collect)
    return tuple(scans)


def _whose_rule(rows: Rows) -> str:
    while isinstance(rows, Filter | Join):
        rows = rows.source if isinstance(rows, Filter) else rows.left
    return " (the column is declared unique)" if isinstance(rows, Scan) else " (the question)"


def _ranked(rows: Rows) -> Rows:
    return _with_scans(rows, lambda scan: LimitRows(scan, scan.rows_per_unit), _limited)


def _limited(side: Rows) -> Rows:
    """A side of a many-to-many join within a unit, or a part of a union with such pairs, limited: pairs have no order, so
    the limit must come before the join."""
    if rows_facts(side).rows is not None:
        return side
    return LimitGroups(side, (), 1, max(scan.rows_per_unit for scan in private_scans(side)))


def _with_scans(
    rows: Rows, limit: Callable[[Scan], Rows], side: Callable[[Rows], Rows] = lambda rows: rows
) -> Rows:
    """The rows with `limit` applied to each scan whose rows may multiply: not to those that are aggregated to one row per
    unit, nor to the right side of a join where each left row joins at most one row. `side` is applied to the sides
    of a many-to-many join, and to the parts of a union whose rows have no order."""
    match rows:
        case Scan():
            return rows if rows.unit.is_row else limit(rows)
        case Filter(source):
            return replace(rows, source=_with_scans(source, limit, side))
        case Join(left, right):
            left = _with_scans(left, limit, side)
            if not _meets_one(rows):
                assert not isinstance(right, Public)
                left, right = side(left), side(_with_scans(right, limit, side))
            return replace(rows, left=left, right=right)
        case Union(_, branches):
            inside = tuple(replace(b, rows=_with_scans(b.rows, limit, side)) for b in branches)
            if not _has_rank(rows):  # nothing can be limited after it
                inside = tuple(replace(b, rows=side(b.rows)) for b in inside)
            return replace(rows, branches=inside)
        case PerUnit(source, keys):
            # groups of one unit are bounded by their rank; pairs have none, so their sources are bounded
            if not keys or _has_rank(source):
                return rows
            return replace(rows, source=_with_scans(source, limit, side))
        case LimitRows() | WeightRows() | LimitGroups():
            return rows
        case _:
            assert_never(rows)


def _pairs_limited(rows: Rows, notes: dict[str, None]) -> Rows:
    """The rows with both sides of every many-to-many join limited, also below per-unit aggregates; adds to `notes`.

    A join is not limited where one side has one row per unit: there are at most as many pairs as rows on the other side.
    """

    def limit(scan: Scan) -> Rows:
        max_rows = many_rows(scan.rows_per_unit)
        notes[f"at most {max_rows} of {scan.table} per {scan.unit} are joined (rows_per_unit)"] = None
        return LimitRows(scan, scan.rows_per_unit)

    def side(part: Rows) -> Rows:
        limited = _limited(part)
        if limited is not part and isinstance(limited, LimitGroups) and limited.rows is not None:
            unit = rows_facts(part).unit
            notes[
                f"at most {many_rows(limited.rows)} of a sub-query per {unit} are joined (rows_per_unit)"
            ] = None
        return limited

    match rows:
        case Scan() | LimitRows() | WeightRows():
            return rows
        case Filter(source) | LimitGroups(source) | PerUnit(source):
            return replace(rows, source=_pairs_limited(source, notes))
        case Union(_, branches):
            return replace(
                rows, branches=tuple(replace(b, rows=_pairs_limited(b.rows, notes)) for b in branches)
            )
        case Join(left, right):
            left = _pairs_limited(left, notes)
            if isinstance(right, Public):
                return replace(rows, left=left)
            right = _pairs_limited(right, notes)
            if rows.match is Match.UNIT and 1 not in (rows_facts(left).rows, rows_facts(right).rows):
                left, right = (side(_with_scans(part, limit, side)) for part in (left, right))
            return replace(rows, left=left, right=right)
        case _:
            assert_never(rows)


def considered(rows: Rows) -> Rows:
    """The rows that a LimitGroups chooses among: at most ORDERED rows per unit and table, the first by rank. An engine holds all
    rows of a unit while it sorts them, so their number must be bounded by a public number. (This is part of the meaning of
    LimitGroups and not a node: nodes determine a question's identity, by which stored answers are found.)"""

    def limit(scan: Scan) -> Rows:
        return scan if rows_facts(scan).rows == 1 else LimitRows(scan, max(ORDERED, scan.rows_per_unit))

    return _with_scans(rows, limit)


def _meets_one(join: Join) -> bool:
    """Whether a left row joins at most one right row, so that there are at most as many pairs as left rows, in their order."""
    return isinstance(join.right, Public) or join.match is not Match.UNIT or rows_facts(join.right).rows == 1


def _has_rank(rows: Rows) -> bool:
    """Whether a unit's rows have an order: pairs of a many-to-many join have none."""
    match rows:
        case Scan() | LimitRows() | WeightRows():
            return True
        case Filter(source) | LimitGroups(source):
            return _has_rank(source)
        case Join(left):
            return _meets_one(rows) and _has_rank(left)
        case Union(_, branches):
            return all(_has_rank(branch.rows) for branch in branches)
        case PerUnit(source, keys):
            return not keys or _has_rank(source)
        case _:
            assert_never(rows)


def _by_rank(scans: Sequence[Scan]) -> str:
    return "; ".join(
        f"each {scan.unit} contributes at most {many_rows(scan.rows_per_unit)} of {scan.table}; further rows are left out (rows_per_unit)"
        for scan in scans
    )
