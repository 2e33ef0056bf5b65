"""Where each unit's contribution is limited, and in which form: chosen from plan and catalogue alone.

    nobody has several rows    nothing to do: a row is a unit, or the question makes one row of each unit
    weights                    all rows count, a heavy unit's each for less: the index says how many it has
    rank                       a heavy unit's first rows count, in the order of the index
    per question               rows and groups are chosen among those that the question reads: slower, and what the
                               index cannot say (how many groups), or what the question asks for

Weights and rank have the same noise; weights add no error by chance. But they limit the sum of what a unit adds, not
the number of its rows or groups, so what is counted once (units, different values, private groups) needs the rank.

Whatever the form, rows of a unit that are paired with others of its rows are limited by rank before they meet, wherever the
pairing stands: a heavy unit would become as many rows as the product of its rows, and whether an engine has room for those
would tell of it (plan/produced.py). What makes one row of each unit without pairing its rows keeps all of them, and so does
`IN (SELECT …)`: `HAVING COUNT(*) >= 5` means five rows, whatever rows_per_unit is.
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
from lapcat.plan.words import many_groups, many_rows

UNIT_WEIGHT = 2**20
"""How many steps a whole row counts for where rows are weighted: one of a million still counts for something."""

ORDERED = 10_000
"""The most rows of a unit in one table that are put in order for one question; more where rows_per_unit says so."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the question itself asks for: at most so many rows and groups of a unit, among those that it reads."""

    rows: int | None = None
    groups: int | None = None


AS_DECLARED = Limits()


@dataclass(frozen=True, slots=True)
class Bounded:
    """Rows of which one unit counts for a limited number, and in words which form was chosen and by whose rule."""

    rows: Rows
    notes: tuple[str, ...]
    unit_weight: int = 1
    """How many steps a whole row counts for."""


def bounded(rows: Rows, keys: Sequence[GroupKey], statistics: Sequence[Statistic], limits: Limits) -> Bounded:
    """The rows with every unit's contribution limited, in the form with the least error for these statistics, and with
    every pairing of a unit's rows limited below."""
    counted = _counting(rows, keys, statistics, limits)
    said: dict[str, None] = dict.fromkeys(counted.notes[:1])
    paired = _pairs_limited(counted.rows, said)
    if isinstance(paired, LimitGroups) and considered(paired.source) != paired.source:
        unit = rows_facts(paired).unit
        said[f"they are chosen among the first {ORDERED} rows of each {unit} in a table"] = None
    return replace(counted, rows=paired, notes=(*said, *counted.notes[1:]))


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
        return Bounded(rows, (f"each {facts.unit} counts for one row{_whose_rule(rows)}", *dropped))
    if only_units and not keys and limits == AS_DECLARED:
        return Bounded(rows, (f"each {facts.unit} counts once (the question)", *dropped))
    grouping = tuple(dict.fromkeys(key.expression for key in keys))
    private = tuple(dict.fromkeys(key.expression for key in keys if key.is_private))
    counted = _counted(rows)
    declared = min((s.groups_per_unit for s in counted if s.groups_per_unit is not None), default=None)
    most = _most(rows, scans)
    if limits != AS_DECLARED:
        form = _as_asked(rows, grouping, most, declared, limits, facts.unit)
    elif only_units and declared is not None and declared < most:
        # one row of each group is enough, unless another row of it is what a condition asks for
        alike = _has_rank(rows) and all(statistic.filter is None for statistic in statistics)
        form = (
            LimitGroups(rows, grouping, declared, 1 if alike else None),
            f"each {facts.unit} counts in at most {many_groups(declared)} (lapcat.toml), chosen for this question",
        )
    elif private and declared is not None and declared < most:
        inside, said = _in_order(rows, counted, most, facts.unit)
        form = (
            LimitGroups(inside, private, declared, None),
            f"{said}; each {facts.unit} is in at most {many_groups(declared)} (lapcat.toml)",
        )
    elif _weighable(rows) and not private and all(_is_sum(statistic) for statistic in statistics):
        most_rows = f"{many_rows(counted[0].rows_per_unit)} of {counted[0].table}"
        said = f"each {facts.unit} counts for at most {most_rows}, more rows each for less (lapcat.toml)"
        weighted = _with_scans(rows, lambda scan: WeightRows(scan, scan.rows_per_unit))
        return Bounded(weighted, (said, *dropped), UNIT_WEIGHT)
    else:
        form = _in_order(rows, counted, most, facts.unit)
    return Bounded(form[0], (form[1], *dropped))


def _in_order(rows: Rows, counted: Sequence[Scan], most: int, unit: str) -> tuple[Rows, str]:
    """The first rows of each unit: by the index, or, where rows are made by the question, among those that it reads."""
    ranked = _ranked(rows)
    if rows_facts(ranked).rows is not None:
        return ranked, _by_rank(counted)
    said = f"each {unit} counts for at most {many_rows(most)} (lapcat.toml), chosen for this question"
    return LimitGroups(rows, (), 1, most), said


def _as_asked(
    rows: Rows,
    grouping: tuple[Expression, ...],
    most: int,
    declared: int | None,
    limits: Limits,
    unit: str,
) -> tuple[Rows, str]:
    """Per question: the asked number of rows, never more than the catalogue allows, spread over the asked groups."""
    if not _has_rank(rows):
        raise Refused(
            "bounding-of-pairs",
            "the rows of this question are pairs of a unit's rows, of which none comes first",
            why="which rows count is decided in the order of one table's index",
            fix="leave max_rows_contributed and max_groups_contributed out",
        )
    in_all = min(most, limits.rows if limits.rows is not None else most)
    if limits.groups is None or not grouping:
        said = f"each {unit} counts for at most {many_rows(in_all)} of those that the question reads (the question)"
        return LimitGroups(rows, (), 1, in_all), said
    groups = min(limits.groups, in_all, in_all if declared is None else declared)
    each = in_all // groups
    said = f"each {unit} counts in at most {many_groups(groups)}, for at most {many_rows(each)} in each (the question)"
    return LimitGroups(rows, grouping, groups, each), said


def _counted_twice(scan: Scan) -> Refused:
    return Refused(
        "rows-counted-twice",
        f"a row of {scan.table} may be in several parts of this UNION ALL, and would count as several of a private group",
        why="a group is shown where enough units are in it, and each row is a unit, which counts once",
        fix=f"ask about {scan.table} once: FROM {scan.table} WHERE … OR …",
    )


def _most(rows: Rows, scans: Sequence[Scan]) -> int:
    """The most rows of a unit that the catalogue allows this question to count."""
    by_rank = rows_facts(_ranked(rows)).rows
    return by_rank if by_rank is not None else max(scan.rows_per_unit for scan in scans)


def _is_sum(statistic: Statistic) -> bool:
    return statistic.kind in (Kind.ROWS, Kind.PRESENT, Kind.SUM)


def _weighable(rows: Rows) -> bool:
    """Whether every row is one row of one private table, so that the index knows its weight."""
    match rows:
        case Scan(unit=unit, rows_per_unit=most):
            return not unit.is_row and most <= 2**30
        case Filter(source):
            return _weighable(source)
        case Join(left):
            return _meets_one(rows) and _weighable(left)
        case LimitRows() | WeightRows() | LimitGroups() | Union() | PerUnit():
            return False
        case _:
            assert_never(rows)


def _counted(rows: Rows) -> tuple[Scan, ...]:
    """The tables whose rows count by themselves: the others are looked up, or made into one row of each unit."""
    found: dict[Scan, None] = {}

    def note(scan: Scan) -> Scan:
        found[scan] = None
        return scan

    _with_scans(rows, note)
    return tuple(found)


def _whose_rule(rows: Rows) -> str:
    while isinstance(rows, Filter | Join):
        rows = rows.source if isinstance(rows, Filter) else rows.left
    return " (its column is unique in lapcat.toml)" if isinstance(rows, Scan) else " (the question)"


def _ranked(rows: Rows) -> Rows:
    return _with_scans(rows, lambda scan: LimitRows(scan, scan.rows_per_unit), _limited)


def _limited(side: Rows) -> Rows:
    """A side of a join of which each row meets each, or a part of a union with such pairs: pairs have no order, so a limit
    must come before them."""
    if rows_facts(side).rows is not None:
        return side
    return LimitGroups(side, (), 1, max(scan.rows_per_unit for scan in private_scans(side)))


def _with_scans(
    rows: Rows, limit: Callable[[Scan], Rows], side: Callable[[Rows], Rows] = lambda rows: rows
) -> Rows:
    """The rows with each scan limited whose rows may multiply: not those that one row of each unit is made of, nor the
    side of a join of which each row meets one at most. `side`: what is done to a part whose rows meet others, or stand
    beside others, that have no order."""
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
            # rows of one unit's groups are bounded by their rank; pairs have none, so what they are made of is
            if not keys or _has_rank(source):
                return rows
            return replace(rows, source=_with_scans(source, limit, side))
        case LimitRows() | WeightRows() | LimitGroups():
            return rows
        case _:
            assert_never(rows)


def _pairs_limited(rows: Rows, said: dict[str, None]) -> Rows:
    """The rows with both sides of every pairing limited, also inside what makes one row of each unit; `said` is told.

    Nothing is paired where a side has one row of each unit: there are no more pairs than rows on the other side.
    """

    def limit(scan: Scan) -> Rows:
        most = many_rows(scan.rows_per_unit)
        said[f"of each {scan.unit} {most} of {scan.table} at most are paired (lapcat.toml)"] = None
        return LimitRows(scan, scan.rows_per_unit)

    def side(part: Rows) -> Rows:
        found = _limited(part)
        if found is not part and isinstance(found, LimitGroups) and found.rows is not None:
            unit = rows_facts(part).unit
            said[
                f"of each {unit} {many_rows(found.rows)} of a sub-query at most are paired (lapcat.toml)"
            ] = None
        return found

    match rows:
        case Scan() | LimitRows() | WeightRows():
            return rows
        case Filter(source) | LimitGroups(source) | PerUnit(source):
            return replace(rows, source=_pairs_limited(source, said))
        case Union(_, branches):
            return replace(
                rows, branches=tuple(replace(b, rows=_pairs_limited(b.rows, said)) for b in branches)
            )
        case Join(left, right):
            left = _pairs_limited(left, said)
            if isinstance(right, Public):
                return replace(rows, left=left)
            right = _pairs_limited(right, said)
            if rows.match is Match.UNIT and 1 not in (rows_facts(left).rows, rows_facts(right).rows):
                left, right = (side(_with_scans(part, limit, side)) for part in (left, right))
            return replace(rows, left=left, right=right)
        case _:
            assert_never(rows)


def considered(rows: Rows) -> Rows:
    """What a BoundGroups chooses among: of each unit at most ORDERED rows of a table, those of least rank. An engine holds all
    rows of a unit while it puts them in order, so their number must be public. (This is what the node means, and no node of
    its own: a question is known by its nodes, and stored answers by their question.)"""

    def limit(scan: Scan) -> Rows:
        return scan if rows_facts(scan).rows == 1 else LimitRows(scan, max(ORDERED, scan.rows_per_unit))

    return _with_scans(rows, limit)


def _meets_one(join: Join) -> bool:
    """Whether a left row meets one right row at most, so that pairs are no more than left rows and ordered as they."""
    return isinstance(join.right, Public) or join.match is not Match.UNIT or rows_facts(join.right).rows == 1


def _has_rank(rows: Rows) -> bool:
    """Whether a unit's rows have an order: pairs of many rows with many have none."""
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
        f"of each {scan.unit} {many_rows(scan.rows_per_unit)} of {scan.table} at most may count (lapcat.toml)"
        for scan in scans
    )
