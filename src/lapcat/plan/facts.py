"""Sensitivity of each node of a plan to one privacy unit: one rule per node, bottom-up, each with its reason and theorem.

Nothing here reads data. A fact holds for every table that the catalogue allows: it rests only on what the generated
query enforces (the rank filter, the weight, the clamp, the declared keys) and on what `refresh` has checked of the
snapshot (the index, unique columns).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from lapcat.core.exact import exact_text
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug
from lapcat.plan import predicates
from lapcat.plan.contributing import part_of
from lapcat.plan.expressions import Column, Expression, Logic, range_of
from lapcat.plan.nodes import (
    Filter,
    Group,
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
    filters_of,
    is_unique,
    scans_of,
)
from lapcat.plan.produced import OF_ONE_UNIT, OWN_ROWS, Produced, added, joined, limited
from lapcat.plan.records.describe import describe_witness
from lapcat.plan.schema import Relation
from lapcat.plan.words import many_groups, many_rows, rows_worth
from lapcat.stored.scopes import Scope


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a fact holds: the rule's name, a sentence for people, and the theorem behind it."""

    rule: str
    text: str
    theorem: str = ""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """Bounds on one unit's contribution to a set of rows."""

    relation: Relation
    population: str
    """The population that the rows are about."""
    unit: str
    """The name of its privacy unit."""
    rows: int | None
    """Upper bound on the rows that one unit contributes here; None: unbounded."""
    everyone: bool
    """Under replace-one: every unit has a row here, in every neighbour."""
    fixed: bool
    """Every unit has exactly one row here, in every neighbour: then only the row's values can change."""
    size: int | None
    """The public number of units, where `everyone` and declared."""
    reasons: tuple[Reason, ...]
    by_row: bool = False
    """Each row of a table is a unit of its own."""
    table: Scan | None = None
    """The table that the units come from; None where there are several."""
    weighted: bool = False
    ordered: bool = True
    """No two rows of a unit have the same rank, so the unit's own rows decide which of them come first."""
    grouped: tuple[tuple[Expression, ...], int, int | None] | None = None
    """Keys, the maximum number of groups by them that one unit is in, and its maximum rows per group (None: unbounded)."""
    produced: Produced | None = OWN_ROWS
    """Upper bound on the rows that one unit produces here, whatever their weight; None where pairs of its rows are unbounded."""

    def because(self, *reasons: Reason) -> RowFacts:
        return replace(self, reasons=(*self.reasons, *reasons))


@dataclass(frozen=True, slots=True)
class StatisticFacts:
    """Sensitivity of one statistic over all cells, in steps of its grid."""

    sensitivity: Sensitivity
    reasons: tuple[Reason, ...]
    by_rows: bool = True
    """Whether the bound is a per-row bound times the number of rows; then a row that moves it moves few others."""


@dataclass(frozen=True, slots=True)
class Moving:
    """Statistics with the condition under which one row moves each of them."""

    parts: tuple[predicates.StatisticTerm, ...]
    relation: Relation
    """Add-remove also where each half of a replacement is charged separately."""
    where: Expression | None
    may_be_absent: bool

    def joint(self) -> predicates.Joint:
        """The number of statistics that one row can move."""
        return _joint(self)

    def max_change(self, amounts: Sequence[Fraction]) -> Fraction:
        """Upper bound on the total change by one row, if it changes statistic i by at most `amounts[i]`."""
        return predicates.max_amount(
            self.parts, amounts, self.relation, where=self.where, may_be_absent=self.may_be_absent
        )


@lru_cache(maxsize=64)
def _joint(moving: Moving) -> predicates.Joint:
    """Cached: a question's price is derived from its plan twice, and this may take a search."""
    return predicates.joint(
        moving.parts, moving.relation, where=moving.where, may_be_absent=moving.may_be_absent
    )


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """Joint sensitivity of all statistics of a question."""

    rows: RowFacts
    statistics: tuple[StatisticFacts, ...]
    max_affected: int
    """The number of noisy statistics that must be charged in full: see `group_facts`."""
    reasons: tuple[Reason, ...]
    """Why `max_affected`."""
    moving: Moving | None = None
    """The statistics that rows move, as passed to the solver; None where no two move together."""
    witness: Mapping[str, object] | None = None
    """A synthetic record that moves as many statistics as any (see `predicates.Joint`)."""
    keys_per_unit: int | None = None
    """Upper bound on the combinations of private keys that one unit is in."""

    def together(self, sensitivities: Sequence[Sensitivity]) -> Sensitivity:
        """The sensitivity of all statistics as one vector, given the sensitivity of each in a common unit of measure.

        Theorem: the vector moves by at most the largest Σ_S l1_j over sets S of statistics that one row moves at once,
                 and by what those add that count units; the squares likewise.
        Proof:   each bound is linear in a unit's R rows: a row that moves j adds at most l1_j / R to the l1 (l2²_j / R to
                 the squares), so R rows that move the sets S_1 … S_R add at most the mean of R such sums, which is no more
                 than the largest. A set has at most `max_affected` statistics, so the sum of the `max_affected` largest is a
                 bound too.
        Source:  Dwork, McSherry, Nissim & Smith 2006 (l1 sensitivity of a vector).
        """
        noisy = [s for s in sensitivities if s.l1 > 0]
        if not noisy:
            return Sensitivity(0, Fraction(0), Fraction(0), Fraction(0))
        by_rows = [fact.by_rows for fact in self.statistics if fact.sensitivity.l1 > 0]
        l1 = self._at_once([s.l1 for s in noisy], by_rows)
        l2 = self._at_once([s.l2_squared for s in noisy], by_rows)
        linf = min(max(s.linf for s in noisy), l1)  # one that no row moves may have the largest
        return Sensitivity(sum(s.l0 for s in noisy), linf, l1, min(l2, l1 * l1))

    def _at_once(self, amounts: Sequence[Fraction], by_rows: Sequence[bool]) -> Fraction:
        """Upper bound on the sum of the amounts that one unit moves together; above zero, because noise is drawn anyway."""
        largest = sum(sorted(amounts, reverse=True)[: self.max_affected], Fraction(0))
        moved = [amount for amount, rows in zip(amounts, by_rows, strict=True) if rows]
        if self.moving is None or len(set(moved)) < 2:
            return largest
        others = sum(amounts, Fraction(0)) - sum(moved, Fraction(0))
        return min(largest, max(self.moving.max_change(moved), min(moved)) + others)


# ------------------------------------------------------------------------------------------------ rows


@lru_cache(maxsize=1024)
def rows_facts(rows: Rows) -> RowFacts:
    """One rule per node below the group. Cached: a chain of joins asks for the facts of each link many times."""
    match rows:
        case Scan():
            return _scan(rows)
        case Filter(source, _):
            reason = Reason(
                "filter", "a filter may drop a unit's rows, never add any", "stability of selection is 1"
            )
            return replace(rows_facts(source), everyone=False, fixed=False).because(reason)
        case LimitRows(source, limit):
            reason = Reason(
                "bound-rows",
                f"each {source.unit} contributes at most {many_rows(limit)} of {source.table}, the first by rank in the snapshot's index",
                "which rows of a unit are kept depends on its own rows alone, so one unit changes at most this many",
            )
            below = _scan(source)
            return replace(below, rows=limit, fixed=False, produced=limited(below.produced, limit)).because(
                reason
            )
        case WeightRows(source, limit):
            reason = Reason(
                "weigh-rows",
                f"each {source.unit} contributes at most {rows_worth(limit)} of {source.table}: if it has n > {limit} rows, "
                f"each is scaled by {limit}/n",
                "a unit's n integers of at most m, each times R/n and truncated towards zero, add up to at most R m",
            )
            return replace(_scan(source), rows=limit, fixed=False, weighted=True).because(reason)
        case LimitGroups():
            return _bound_groups(rows)
        case Join():
            return _join(rows)
        case Union():
            return _union(rows)
        case PerUnit():
            return _per_unit(rows)
        case _:
            assert_never(rows)


def _scan(scan: Scan) -> RowFacts:
    neighbours = {
        Relation.ADD_REMOVE: f"by one {scan.unit} (add/remove)",
        Relation.REPLACE_ONE: f"in the data of one {scan.unit} (replace-one; the number of units is public)",
    }[scan.relation]
    reason = Reason(
        "unit",
        f"privacy unit: {scan.unit}; neighbouring tables differ {neighbours}",
        "declared in the catalogue",
    )
    reasons: tuple[Reason, ...] = (reason,)
    alone = scan.unit.is_row
    if scan.unit.column in scan.unique and scan.unit.through is None:
        alone = True
        text = f"each {scan.unit} has one row in {scan.table}: the column is declared unique, and `refresh` checks it"
        reasons = (reason, Reason("unit-unique", text, "no two rows have the same unit"))
    bounded = scan.relation is Relation.REPLACE_ONE
    return RowFacts(
        scan.relation,
        scan.population or str(Scope.table(scan.table)),
        str(scan.unit),
        1 if alone else None,
        bounded,
        bounded and alone,
        scan.units if bounded else None,
        reasons,
        scan.unit.is_row,
        scan,
        produced=OF_ONE_UNIT if alone else OWN_ROWS,
    )


def _require_units(rows: RowFacts, what: str) -> None:
    """Where each row is a unit, there is no unit column, so an engine could not match rows of one unit."""
    if rows.by_row:
        raise Bug("plan-unproved", f"{what} needs a unit column, and here each row is a unit")


def _bound_groups(node: LimitGroups) -> RowFacts:
    inner = rows_facts(node.source)
    _require_units(inner, "a limit per unit")
    if inner.weighted:
        raise Bug("plan-unproved", "weighted rows are already bounded")
    if node.rows is not None and not inner.ordered:
        raise Bug("plan-unproved", "pairs of a unit's rows tie in rank, so there is no first one")
    by_group = node.groups * node.rows if node.rows is not None else None
    limits = [limit for limit in (inner.rows, by_group) if limit is not None]
    each = "" if node.rows is None else f", with at most {many_rows(node.rows)} in each"
    text = f"each {inner.unit} contributes to at most {many_groups(node.groups)}{each}"
    if not node.keys and node.rows is not None:
        text = f"each {inner.unit} contributes at most {many_rows(node.rows)} among those that the question reads"
    reason = Reason(
        "bound-groups",
        f"{text}: the first by rank, chosen for this question",
        "which rows are kept depends on the unit's own rows alone, so one unit changes at most these",
    )
    return replace(
        inner,
        rows=min(limits) if limits else None,
        fixed=False,
        grouped=(node.keys, node.groups, node.rows),
        produced=inner.produced if node.rows is None else limited(inner.produced, node.groups * node.rows),
    ).because(reason)


def _join(join: Join) -> RowFacts:
    left = rows_facts(join.left)
    if isinstance(join.right, Public):
        if join.match is not Match.PUBLIC or not _on_unique(join, join.right):
            raise Bug("plan-unproved", "a public table must be joined on a unique column")
        reason = Reason(
            "join-public",
            f"each row joins at most one row of {join.right.table} (unique column)",
            "the public side is the same in every neighbour, so rows are neither added nor shared",
        )
        return replace(left, everyone=left.everyone and join.outer, fixed=left.fixed and join.outer).because(
            reason
        )
    right = rows_facts(join.right)
    _require_units(left, "a join")
    if (left.population, left.relation) != (right.population, right.relation) or right.weighted:
        raise Bug("plan-unproved", "private tables are joined only if they share a privacy unit")
    sides = tuple(reason for reason in right.reasons if reason not in left.reasons)
    if join.match is Match.UNIQUE:
        if not _on_unique(join, join.right):
            raise Bug("plan-unproved", "a join by key needs a column that is declared unique")
        reason = Reason(
            "join-key",
            f"each row joins at most one row of {_tables(join.right)}, of the same unit (unique column)",
            "a pair belongs to the unit of both its rows, and there are at most as many pairs as left rows",
        )
        return replace(left, everyone=left.everyone and join.outer, fixed=False, size=left.size).because(
            *sides, reason
        )
    if left.weighted and right.rows != 1:
        raise Bug("plan-unproved", "weights bound rows, not pairs of rows")
    rows = None if left.rows is None or right.rows is None else left.rows * right.rows
    pairs = "" if rows is None else f": at most {left.rows} × {right.rows} {'pair' if rows == 1 else 'pairs'}"
    reason = Reason(
        "join-unit",
        f"rows join only rows of the same unit in {_tables(join.right)}, each with each{pairs}",
        "a unit with a rows on one side and b on the other has at most a b pairs, and none with another unit",
    )
    return replace(
        left,
        rows=rows,
        everyone=left.everyone and join.outer,
        fixed=False,
        ordered=left.ordered and right.rows == 1,
        grouped=None,
        produced=joined(left.produced, right.produced),
    ).because(*sides, reason)


def _tables(rows: Rows) -> str:
    return " and ".join(dict.fromkeys(scan.table for scan in scans_of(rows)))


def _on_unique(join: Join, right: Rows | Public) -> bool:
    """Whether the compared columns are unique on the right side; a filter keeps them so."""
    while isinstance(right, Filter | LimitRows):
        right = right.source
    columns = {key.name for _, key in join.on if isinstance(key, Column)}
    return isinstance(right, Scan | Public) and is_unique(right, columns)


def _union(union: Union) -> RowFacts:
    parts = [rows_facts(branch.rows) for branch in union.branches]
    first = parts[0]
    if any(part.relation is not first.relation or part.weighted for part in parts):
        raise Bug("plan-unproved", "all parts of a union must have the same relation")
    by_population: dict[str, int | None] = {}
    for part in parts:
        so_far = by_population.get(part.population, 0)
        by_population[part.population] = None if so_far is None or part.rows is None else so_far + part.rows
    if len(by_population) > 1 and not all(part.by_row for part in parts):
        raise Bug("plan-unproved", "all parts of a union must share a privacy unit")
    limits = list(by_population.values())
    known = [limit for limit in limits if limit is not None]
    rows = max(known) if len(known) == len(limits) else None
    total = "" if rows is None else f": at most {many_rows(rows)} in total"
    reason = Reason(
        "union",
        f"a unit's rows in the parts of the union add up{total}",
        "a unit changes at most the rows that it has in each part",
    )
    seen: dict[Reason, None] = {reason: None for part in parts for reason in part.reasons}
    # Where the parts are of several tables, a unit of one that another does not have comes and goes with its rows.
    table = first.table if all(part.table == first.table for part in parts) else None
    return RowFacts(
        first.relation,
        first.population if len(by_population) == 1 else " and ".join(sorted(by_population)),
        first.unit,
        rows,
        table is not None and any(part.everyone for part in parts),
        False,
        None if table is None else first.size,
        (*seen, reason),
        first.by_row,
        table,
        ordered=all(part.ordered for part in parts),
        produced=added([part.produced for part in parts]),
    )


def _per_unit(node: PerUnit) -> RowFacts:
    inner = rows_facts(node.source)
    _require_units(inner, "one row per unit")
    if inner.weighted:
        raise Bug("plan-unproved", "per-unit aggregates are not taken over weighted rows")
    if node.keys:
        reason = Reason(
            "per-unit",
            f"one row per {inner.unit} and group",
            "computed from the unit's own rows alone, with at most as many rows as before",
        )
        return replace(inner, fixed=False, grouped=None).because(reason)
    reason = Reason(
        "per-unit",
        f"one row per {inner.unit}, however many it had",
        "computed from the unit's own rows alone, so one unit changes one row",
    )
    return replace(
        inner, rows=1, fixed=inner.everyone, ordered=True, grouped=None, produced=OF_ONE_UNIT
    ).because(reason)


# ------------------------------------------------------------------------------------------------ statistics


def group_facts(group: Group) -> GroupFacts:
    """The rule for Group: each statistic's sensitivity, and how many of them move together.

    Theorem: let a unit have R rows, each adding at most m_j to statistic j and moving at most k of them. With noise of
             scale s_j its loss is at most Σ_rows Σ_{j moved} m_j / s_j <= the k largest of R m_j / s_j. A statistic
             whose bound is not R m_j (units, each counted once) may be moved together with any others: it counts in
             full, one more among the largest.
    """
    rows = rows_facts(group.source)
    statistics = tuple(statistic_facts(group, statistic, rows) for statistic in group.statistics)
    noisy = [
        (s, fact) for s, fact in zip(group.statistics, statistics, strict=True) if fact.sensitivity.l1 > 0
    ]
    # With several cells, a replaced row leaves one and enters another; each half is an add-remove step, charged to
    # half of the doubled l1, so the add-remove number of statistics moved at once is the right one. Within one cell
    # nothing was doubled, so there it is the number of statistics on which two rows differ. (Two weighted rows may differ
    # in a count that includes both, because of truncation.)
    relation = Relation.ADD_REMOVE if _several(group) else rows.relation
    by_rows = [s for s, fact in noisy if fact.by_rows]
    moving, joint = _moved(group, rows, by_rows, relation)
    alone = len(noisy) - len(by_rows)
    reasons: tuple[Reason, ...] = ()
    if len(noisy) > 1:
        theorem = (
            "the l1 sensitivity of a vector is the largest change that one record can cause"
            if joint.proved
            else "the sum"
        )
        because = joint.because if by_rows else "different rows of a unit may move all of them"
        more = f"; {alone} more that count units, not rows" if alone and by_rows else ""
        reasons = (Reason("joint", because + more, theorem),)
        if joint.witness is not None and (
            shown := describe_witness(joint.witness, relation, joint.max_affected, len(by_rows))
        ):
            reasons = (
                *reasons,
                Reason("witness", shown, "derived from the conditions, not read from the table"),
            )
    keys_per_unit = _cells_of_a_unit(rows, group, private=True) if group.private_keys else None
    if keys_per_unit is not None:
        text = f"a unit is in at most {keys_per_unit} of the private groups"
        reasons = (*reasons, Reason("private-keys", text, "a unit is in no more groups than it has rows"))
    # where no record can pass the filter nothing moves; noise is drawn anyway
    max_affected = max(joint.max_affected + alone, 1) if noisy else 0
    return GroupFacts(rows, statistics, max_affected, reasons, moving, joint.witness, keys_per_unit)


def _moved(
    group: Group, rows: RowFacts, by_rows: Sequence[Statistic], relation: Relation
) -> tuple[Moving, predicates.Joint]:
    """Which statistics one row moves: by their filters, and by the values of their CASEs where that proves fewer."""
    fixed = rows.fixed and not group.keys

    def moving(parts: Sequence[predicates.StatisticTerm]) -> Moving:
        return Moving(tuple(parts), relation, _all_of(filters_of(group)), not fixed)

    plain = moving(
        [predicates.StatisticTerm(s.filter, s.kind is Kind.ROWS and not rows.weighted) for s in by_rows]
    )
    finer = moving(
        [
            part_of(
                s,
                weighted=rows.weighted,
                only_values_change=fixed and s.filter is None and always_adds(s),
            )
            for s in by_rows
        ]
    )
    coarse = plain.joint()
    if finer != plain and (fine := finer.joint()).max_affected < coarse.max_affected:
        return finer, fine
    return plain, coarse


def _several(group: Group) -> bool:
    return bool(group.private_keys) or group.cells > 1


def _cells_of_a_unit(rows: RowFacts, group: Group, *, private: bool) -> int:
    """Upper bound on the groups (of the private keys alone, or of one grouping set) that one unit is in."""
    _require_counted_once(rows)
    keys = group.private_keys if private else group.keys
    limits = [rows.rows]
    if rows.grouped is not None and {key.expression for key in keys} <= set(rows.grouped[0]):
        limits.append(rows.grouped[1])
    if not private and not group.private_keys:
        limits.append(max(group.cells_of(grouping) for grouping in group.grouping_sets))
    known = [limit for limit in limits if limit is not None]
    if not known:
        raise Bug("plan-unproved", f"the number of groups of {len(keys)} keys per unit is unbounded")
    return min(known)


def statistic_facts(group: Group, statistic: Statistic, rows: RowFacts) -> StatisticFacts:
    """The rule for one bounded integer sum over cells; `n` grouping sets are n partitions, and count n times.

    With R rows per unit, each adding an integer in low..high or nothing, m = max(|low|, |high|):

    add-remove                       l1 = R m
    replace-one, cells by keys       l1 = 2 R m: R rows leave their cells, R others enter theirs
    replace-one, one cell            l1 = R (max(high, 0) − min(low, 0)): old and new rows meet in the same cell
    … and every row adds something   l1 = high − low (unit = row, no filter, never NULL); 0 for a count

    With at most r rows in each group, l2² is at most R r m².

    Theorem: triangle inequality over the unit's rows. Squares: contributions of one sign in different cells are
             at right angles or partly cancel, so l2² doubles; of either sign they may add up, so l2 doubles.
    Source:  Dwork, McSherry, Nissim & Smith 2006.
    """
    if statistic.kind in (Kind.UNITS, Kind.DISTINCT) and rows.weighted:
        raise Bug("plan-unproved", "units and distinct values are not counted over weighted rows")
    if statistic.kind is Kind.UNITS and rows.rows != 1:
        return _units_facts(group, statistic, rows)
    if rows.rows is None:
        raise Bug("plan-unproved", "the number of rows per unit is unbounded")
    low, high, limit = statistic.low, statistic.high, rows.rows
    magnitude = max(abs(low), abs(high))
    sets = len(group.grouping_sets)
    each = Reason("statistic", f"each row adds {_addend(statistic)}")
    apart = _disjoint(group)
    if rows.relation is Relation.ADD_REMOVE:
        l1 = limit * magnitude
        moves = "one row of a unit moves" if limit == 1 else f"{limit} rows of a unit move"
        why = Reason("add-remove", f"{moves} it by at most {_shown(l1, statistic)}")
        l0 = limit * sets if group.private_keys else sets * min(limit, group.cells)
        square = magnitude**2 * _spread(limit, rows, group)
        if rows.weighted:  # weights bound the sum, not the number of cells
            l0, square = group.cells, l1 * l1
        linf = l1 if rows.weighted else magnitude * _in_one_cell(limit, rows, group)
        return StatisticFacts(_sensitivity(l0, linf, sets * l1, sets * square), (each, why, *apart))
    one_cell = limit * (max(high, 0) - min(low, 0))
    if _several(group):
        l1 = 2 * limit * magnitude
        one_sided = low >= 0 or high <= 0
        square = magnitude**2 * (limit**2 if rows.weighted else _spread(limit, rows, group))
        moves = (
            "a row leaves its group and another enters one"
            if limit == 1
            else f"{limit} rows leave their groups and {limit} others enter theirs"
        )
        why = Reason("replace-one", f"{moves}: a change of at most {_shown(l1, statistic)}")
        l0 = 2 * limit * sets if group.private_keys else sets * min(2 * limit, group.cells)
        if rows.weighted:
            l0 = group.cells
        return StatisticFacts(
            _sensitivity(l0, min(one_cell, l1), sets * l1, sets * (2 if one_sided else 4) * square),
            (each, why, *apart),
        )
    adds_up = statistic.kind is not Kind.DISTINCT  # other rows may or may not have the same value
    if adds_up and rows.fixed and not group.keys and statistic.filter is None and always_adds(statistic):
        spread = high - low
        text = "the number of rows is public"
        if spread:
            text = f"one value is replaced by another: a change of at most {_shown(spread, statistic)}"
        return StatisticFacts(
            _sensitivity(min(1, spread), spread, spread, spread**2), (each, Reason("replace-one-fixed", text))
        )
    why = Reason(
        "replace-one",
        f"old and new rows count in the same cell, or not at all: a change of at most {_shown(one_cell, statistic)}",
    )
    return StatisticFacts(_sensitivity(1, one_cell, one_cell, one_cell**2), (each, why))


def _units_facts(group: Group, statistic: Statistic, rows: RowFacts) -> StatisticFacts:
    """The rule for the number of units: a unit adds 1 to each cell that it has a row in.

    Theorem: a unit in at most C cells moves the vector by at most C in l1 and C in l2² (replace-one: twice that; in
             one cell old and new unit meet, so 1). Where every unit is counted, no unit can change the number.
    """
    _require_counted_once(rows)
    each = Reason("units", "each unit adds 1 to a group, however many rows it has there")
    sets = len(group.grouping_sets)
    if not _several(group):
        public = rows.everyone and statistic.filter is None and not group.keys
        moved = 0 if public else 1
        text = "the number of units is public" if public else "one unit changes the count by at most 1"
        return StatisticFacts(
            _sensitivity(moved, moved, moved, moved), (each, Reason("units-whole", text)), by_rows=False
        )
    cells = _cells_of_a_unit(rows, group, private=False)
    twice = 2 if rows.relation is Relation.REPLACE_ONE else 1
    text = f"a unit is in at most {many_groups(cells)}" + (
        ", and may leave them for others" if twice == 2 else ""
    )
    moved = sets * twice * cells
    return StatisticFacts(
        _sensitivity(moved, 1, moved, moved),
        (each, Reason("units-in-groups", text), *_disjoint(group)),
        by_rows=cells == rows.rows,
    )


def _require_counted_once(rows: RowFacts) -> None:
    """Weights bound the sum that a unit adds, not its number of groups; and where each row is a unit there is no unit column."""
    if rows.weighted or (rows.by_row and rows.rows != 1):
        raise Bug("plan-unproved", "units are counted only over bounded rows that have a unit column")


def _in_one_cell(limit: int, rows: RowFacts, group: Group) -> int:
    """Upper bound on the rows of one unit in one cell."""
    per_group = _per_group(rows, group)
    return limit if per_group is None else min(limit, per_group)


def _spread(limit: int, rows: RowFacts, group: Group) -> int:
    """Upper bound on Σ n_c², where n_c is the unit's row count in cell c.

    Theorem: Σ n² <= max n · Σ n. Linear in the number of rows, so bounds of rows that move different statistics add up
             (`GroupFacts.together`); the tight bound is not linear.
    """
    return limit * _in_one_cell(limit, rows, group)


def _per_group(rows: RowFacts, group: Group) -> int | None:
    """Upper bound on the rows of one unit per cell, where the cells are the groups that were bounded (a cell for all
    values that are not listed holds many of those)."""
    if rows.grouped is None or len(group.grouping_sets) > 1:
        return None
    keys = [group.keys[position] for position in group.grouping_sets[0]]
    within_groups = set(rows.grouped[0]) <= {key.expression for key in keys if not key.other}
    return rows.grouped[2] if within_groups else None


def always_adds(statistic: Statistic) -> bool:
    """Whether every row contributes: the value is never NULL."""
    return statistic.value is None or not range_of(statistic.value).nullable


def _sensitivity(l0: int, linf: int, l1: int, l2_squared: int) -> Sensitivity:
    return Sensitivity(l0, Fraction(linf), Fraction(l1), Fraction(l2_squared))


def _disjoint(group: Group) -> tuple[Reason, ...]:
    if not group.keys:
        return ()
    sets = len(group.grouping_sets)
    if sets > 1:
        return (
            Reason(
                "grouping-sets",
                f"a row is in one group of each of the {sets} grouping sets, so the sensitivity is {sets} times as large",
            ),
        )
    return (
        Reason(
            "disjoint-cells", "a row is in at most one group, so all groups together are no more sensitive"
        ),
    )


def _all_of(conditions: Sequence[Expression]) -> Expression | None:
    if len(conditions) > 1:
        return Logic("and", tuple(conditions))
    return conditions[0] if conditions else None


def _addend(statistic: Statistic) -> str:
    if statistic.grid is None:
        return "1 or nothing"
    grid = statistic.grid
    ends = f"{_shown(grid.low, statistic)}..{_shown(grid.high, statistic)}"
    return f"a number in {ends}{f' (the value minus {exact_text(grid.centre)})' if grid.centre else ''}, or nothing"


def _shown(steps: int, statistic: Statistic) -> str:
    """Steps of the grid in the unit of measure that people read."""
    step = statistic.grid.step if statistic.grid is not None else Fraction(1, statistic.unit_weight)
    return exact_text(steps * step)
