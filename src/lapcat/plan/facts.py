"""What one unit can do to each node of a plan: one rule per node, bottom-up, each with its reason and theorem.

Nothing here looks at data. A fact holds for every table that the catalogue allows, whatever is in the file: it rests
only on what the generated query enforces (the rank filter, the weight, the clamp, the declared keys) and on what
`refresh` has checked of the snapshot (the index, unique columns).
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
    scans_of,
)
from lapcat.plan.produced import OF_ONE_UNIT, OWN_ROWS, Produced, added, joined, limited
from lapcat.plan.records.describe import describe_witness
from lapcat.plan.schema import Relation
from lapcat.plan.words import many_groups, many_rows
from lapcat.stored.scopes import Scope


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
    population: str
    """Whose rows these are."""
    unit: str
    """How one of them is called."""
    rows: int | None
    """The most rows that one unit counts for here; None where nothing limits it."""
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
    """The table that all units here have a row in; None where there are several."""
    weighted: bool = False
    ordered: bool = True
    """No two rows of a unit have the same rank, so that the unit's own rows say which of them come first."""
    grouped: tuple[tuple[Expression, ...], int, int | None] | None = None
    """The keys by which a unit is in so many groups at most, with so many rows in each (None: any number)."""
    produced: Produced | None = OWN_ROWS
    """The most rows that one unit becomes here, whatever they count for; None where pairs of its rows have no limit."""

    def because(self, *reasons: Reason) -> RowFacts:
        return replace(self, reasons=(*self.reasons, *reasons))


@dataclass(frozen=True, slots=True)
class StatisticFacts:
    """What one unit can do to one statistic over all cells, in steps of its grid."""

    sensitivity: Sensitivity
    reasons: tuple[Reason, ...]
    by_rows: bool = True
    """Whether the bound is a bound for one row, times the number of rows: then rows that move it move few others."""


@dataclass(frozen=True, slots=True)
class Moving:
    """Statistics that one row moves or not, each by its condition."""

    parts: tuple[predicates.StatisticTerm, ...]
    relation: Relation
    """Add-remove also where each half of a replacement is paid for by itself."""
    where: Expression | None
    may_be_absent: bool

    def joint(self) -> predicates.Joint:
        """How many of them one row moves."""
        return _joint(self)

    def most(self, amounts: Sequence[Fraction]) -> Fraction:
        """How far one row moves all of them together, if each by so much."""
        return predicates.most_amount(
            self.parts, amounts, self.relation, where=self.where, may_be_absent=self.may_be_absent
        )


@lru_cache(maxsize=64)
def _joint(moving: Moving) -> predicates.Joint:
    """Kept: a question's price is derived from its plan twice, and this may take a search."""
    return predicates.joint(
        moving.parts, moving.relation, where=moving.where, may_be_absent=moving.may_be_absent
    )


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """What one unit can do to all statistics of a question."""

    rows: RowFacts
    statistics: tuple[StatisticFacts, ...]
    max_affected: int
    """The most noisy statistics that count in full when a unit moves them all: see `group_facts`."""
    reasons: tuple[Reason, ...]
    """Why `most`."""
    moving: Moving | None = None
    """The statistics that rows move, as the solver sees them; None where there is nothing to move together."""
    witness: Mapping[str, object] | None = None
    """A made-up record that moves as many statistics as any (see `predicates.Joint`)."""
    keys_per_unit: int | None = None
    """Where keys are private: the most combinations of them that one unit is in."""

    def together(self, sensitivities: Sequence[Sensitivity]) -> Sensitivity:
        """The sensitivity of all statistics as one vector, given each one's own in a common unit of measure.

        Theorem: the vector moves by at most the largest Σ_S l1_j over sets S of statistics that one row moves at once,
                 and by what those add that count units; the squares likewise.
        Proof:   each bound is linear in a unit's R rows: a row that moves j adds at most l1_j / R to the l1 (l2²_j / R to
                 the squares), so R rows that move the sets S_1 … S_R add at most the mean of R such sums, which is no more
                 than the largest. A set has at most `most` statistics, so the `most` largest are a bound too.
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
        """The most of these amounts that one unit moves together; not nothing, for noise is drawn all the same."""
        largest = sum(sorted(amounts, reverse=True)[: self.max_affected], Fraction(0))
        moved = [amount for amount, rows in zip(amounts, by_rows, strict=True) if rows]
        if self.moving is None or len(set(moved)) < 2:
            return largest
        others = sum(amounts, Fraction(0)) - sum(moved, Fraction(0))
        return min(largest, max(self.moving.most(moved), min(moved)) + others)


# ------------------------------------------------------------------------------------------------ rows


@lru_cache(maxsize=1024)
def rows_facts(rows: Rows) -> RowFacts:
    """One rule per node below the group. Kept, for a chain of joins asks for those of each of its links many times."""
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
                f"at most {many_rows(limit)} of each {source.unit} in {source.table} count: those of least rank in the snapshot's index",
                "the kept rows of a unit depend on that unit's rows alone, so a unit changes at most this many",
            )
            below = _scan(source)
            return replace(below, rows=limit, fixed=False, produced=limited(below.produced, limit)).because(
                reason
            )
        case WeightRows(source, limit):
            reason = Reason(
                "weigh-rows",
                f"all rows of each {source.unit} in {source.table} count, together for at most {many_rows(limit)}: "
                f"each by {limit}/n where the {source.unit} has n > {limit}",
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
    unit = f"each {scan.unit}" if scan.unit.is_row else f"everybody with their own {scan.unit}"
    neighbours = {
        Relation.ADD_REMOVE: "one table is the other without one unit",
        Relation.REPLACE_ONE: "one unit's data differs; the number of units is public",
    }[scan.relation]
    reason = Reason(
        "unit", f"protected is {unit}; {scan.relation}: {neighbours}", "declared in the catalogue"
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
    """An engine has no name for a row that is a unit of its own, so it could not tell whose rows it brings together."""
    if rows.by_row:
        raise Bug("plan-unproved", f"{what} needs to know whose rows they are, and here each row is a unit")


def _bound_groups(node: LimitGroups) -> RowFacts:
    inner = rows_facts(node.source)
    _require_units(inner, "a limit for each unit")
    if inner.weighted:
        raise Bug("plan-unproved", "rows that are weighed are bounded already")
    if node.rows is not None and not inner.ordered:
        raise Bug("plan-unproved", "pairs of a unit's rows tie, so none of them comes first")
    found = [inner.rows, node.groups * node.rows if node.rows is not None else None]
    limits = [limit for limit in found if limit is not None]
    each = "" if node.rows is None else f", {many_rows(node.rows)} at most in each"
    text = f"of each {inner.unit} the rows of at most {many_groups(node.groups)} count{each}"
    if not node.keys and node.rows is not None:
        text = f"at most {many_rows(node.rows)} of each {inner.unit} count, of those that the question reads"
    reason = Reason(
        "bound-groups",
        f"{text}: those of least rank, chosen for this question",
        "which rows stay depends on the unit's own rows alone, so a unit changes at most these",
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
            raise Bug("plan-unproved", "a public table is joined by a unique column")
        reason = Reason(
            "join-public",
            f"each row meets one row of {join.right.table} at most, by a unique column",
            "the public side is the same in every neighbour, so rows are neither added nor shared",
        )
        return replace(left, everyone=left.everyone and join.outer, fixed=left.fixed and join.outer).because(
            reason
        )
    right = rows_facts(join.right)
    _require_units(left, "a join")
    if (left.population, left.relation) != (right.population, right.relation) or right.weighted:
        raise Bug("plan-unproved", "private tables are joined only where their units are the same people")
    sides = tuple(reason for reason in right.reasons if reason not in left.reasons)
    if join.match is Match.UNIQUE:
        if not _on_unique(join, join.right):
            raise Bug("plan-unproved", "a join by key needs a column that is declared unique")
        reason = Reason(
            "join-key",
            f"each row meets one row of {_tables(join.right)} at most, of its own unit, by a unique column",
            "a pair belongs to the unit of both its rows, and there are no more pairs than left rows",
        )
        return replace(left, everyone=left.everyone and join.outer, fixed=False, size=left.size).because(
            *sides, reason
        )
    if left.weighted and right.rows != 1:
        raise Bug("plan-unproved", "weights bound rows, not pairs of rows")
    rows = None if left.rows is None or right.rows is None else left.rows * right.rows
    many = (
        "" if rows is None else f": at most {left.rows} times {right.rows} {'pair' if rows == 1 else 'pairs'}"
    )
    reason = Reason(
        "join-unit",
        f"a row meets only rows of its own unit in {_tables(join.right)}, each with each{many}",
        "a unit with a rows on one side and b on the other has at most a b pairs, and no pair with anybody else",
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
    """Whether one of the compared columns is unique on the right side; a filter keeps it so."""
    while isinstance(right, Filter | LimitRows):
        right = right.source
    return isinstance(right, Scan | Public) and any(
        isinstance(key, Column) and key.name in right.unique for _, key in join.on
    )


def _union(union: Union) -> RowFacts:
    parts = [rows_facts(branch.rows) for branch in union.branches]
    first = parts[0]
    if any(part.relation is not first.relation or part.weighted for part in parts):
        raise Bug("plan-unproved", "the parts of a union have one relation")
    by_population: dict[str, int | None] = {}
    for part in parts:
        so_far = by_population.get(part.population, 0)
        by_population[part.population] = None if so_far is None or part.rows is None else so_far + part.rows
    if len(by_population) > 1 and not all(part.by_row for part in parts):
        raise Bug("plan-unproved", "the parts of a union are about the same people")
    limits = list(by_population.values())
    known = [limit for limit in limits if limit is not None]
    rows = max(known) if len(known) == len(limits) else None
    many = "" if rows is None else f": at most {many_rows(rows)} of a unit"
    reason = Reason(
        "union",
        f"a unit's rows in the parts add up{many}",
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
    _require_units(inner, "one row for each unit")
    if inner.weighted:
        raise Bug("plan-unproved", "what a unit's rows come to is taken over whole rows")
    if node.keys:
        reason = Reason(
            "per-unit",
            f"one row for each {inner.unit} and each of its groups",
            "made of the unit's own rows alone, and no more of them than those were",
        )
        return replace(inner, fixed=False, grouped=None).because(reason)
    reason = Reason(
        "per-unit",
        f"one row for each {inner.unit}, however many it had",
        "made of the unit's own rows alone, so a unit changes one row",
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
    # With several cells, a replaced row leaves one and enters another; each half is an add-remove step and is paid by
    # half of the doubled l1, so the add-remove number of statistics moved at once is the right one. Within one cell
    # nothing was doubled, so there the number of statistics on which two rows differ is. (Two weighed rows may differ
    # in a count that both are in, by what truncation took.)
    relation = Relation.ADD_REMOVE if _several(group) else rows.relation
    by_rows = [s for s, fact in noisy if fact.by_rows]
    moving, joint = _moved(group, rows, by_rows, relation)
    alone = len(noisy) - len(by_rows)
    reasons: tuple[Reason, ...] = ()
    if len(noisy) > 1:
        theorem = (
            "the l1 sensitivity of a vector is the most that one record moves it"
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
                Reason("witness", shown, "made up from the conditions, not read from the table"),
            )
    keys_per_unit = _cells_of_a_unit(rows, group, private=True) if group.private_keys else None
    if keys_per_unit is not None:
        text = f"a unit is in at most {keys_per_unit} of the private groups"
        reasons = (*reasons, Reason("private-keys", text, "a unit is in no more groups than it has rows"))
    # where no record can pass the filter nothing moves; noise is drawn all the same
    most = max(joint.max_affected + alone, 1) if noisy else 0
    return GroupFacts(rows, statistics, most, reasons, moving, joint.witness, keys_per_unit)


def _moved(
    group: Group, rows: RowFacts, by_rows: Sequence[Statistic], relation: Relation
) -> tuple[Moving, predicates.Joint]:
    """Which statistics one row moves: by their filters, and by what their CASEs come to where that makes it fewer."""
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
    found = plain.joint()
    if finer != plain and (fewer := finer.joint()).max_affected < found.max_affected:
        return finer, fewer
    return plain, found


def _several(group: Group) -> bool:
    return bool(group.private_keys) or group.cells > 1


def _cells_of_a_unit(rows: RowFacts, group: Group, *, private: bool) -> int:
    """The most groups (of the private keys alone, or of one grouping set) that one unit is in."""
    _require_counted_once(rows)
    keys = group.private_keys if private else group.keys
    limits = [rows.rows]
    if rows.grouped is not None and {key.expression for key in keys} <= set(rows.grouped[0]):
        limits.append(rows.grouped[1])
    if not private and not group.private_keys:
        limits.append(max(group.cells_of(grouping) for grouping in group.grouping_sets))
    known = [limit for limit in limits if limit is not None]
    if not known:
        raise Bug("plan-unproved", f"nothing limits in how many groups of {len(keys)} keys one unit may be")
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
        raise Bug("plan-unproved", "what is counted once is not taken over weighed rows")
    if statistic.kind is Kind.UNITS and rows.rows != 1:
        return _units_facts(group, statistic, rows)
    if rows.rows is None:
        raise Bug("plan-unproved", "nothing limits how many rows of one unit count")
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
        why = Reason("replace-one", f"{moves}: at most {_shown(l1, statistic)}")
        l0 = 2 * limit * sets if group.private_keys else sets * min(2 * limit, group.cells)
        if rows.weighted:
            l0 = group.cells
        return StatisticFacts(
            _sensitivity(l0, min(one_cell, l1), sets * l1, sets * (2 if one_sided else 4) * square),
            (each, why, *apart),
        )
    adds_up = statistic.kind is not Kind.DISTINCT  # a value may be one that others have, or not
    if adds_up and rows.fixed and not group.keys and statistic.filter is None and always_adds(statistic):
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


def _units_facts(group: Group, statistic: Statistic, rows: RowFacts) -> StatisticFacts:
    """The rule for the number of units: a unit adds 1 to each cell that it has a row in.

    Theorem: a unit in at most C cells moves the vector by at most C in l1 and C in l2² (replace-one: twice that; in
             one cell old and new unit meet, so 1). Where everybody is counted, nobody can change the number.
    """
    _require_counted_once(rows)
    each = Reason("units", "each unit adds 1 to a group, however many rows it has there")
    sets = len(group.grouping_sets)
    if not _several(group):
        public = rows.everyone and statistic.filter is None and not group.keys
        moved = 0 if public else 1
        text = "the number of units is public" if public else "one unit counts for one"
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
    """Weights limit what a unit adds, not in how many groups; and rows that are units have no names to count once."""
    if rows.weighted or (rows.by_row and rows.rows != 1):
        raise Bug("plan-unproved", "units are counted where each is known by its rows, and those are limited")


def _in_one_cell(limit: int, rows: RowFacts, group: Group) -> int:
    """The most rows of a unit that one cell can have."""
    per_group = _per_group(rows, group)
    return limit if per_group is None else min(limit, per_group)


def _spread(limit: int, rows: RowFacts, group: Group) -> int:
    """At least what the squares of a unit's numbers of rows in the cells can add up to.

    Theorem: Σ n² <= max n · Σ n. Linear in the number of rows, so that rows which move different statistics may be
             added up (`GroupFacts.together`); the fullest way to spread them is not.
    """
    return limit * _in_one_cell(limit, rows, group)


def _per_group(rows: RowFacts, group: Group) -> int | None:
    """Rows of a unit in one cell at most, where the cells are the groups that were bounded (one cell for all that
    nobody listed holds many of those)."""
    if rows.grouped is None or len(group.grouping_sets) > 1:
        return None
    keys = [group.keys[position] for position in group.grouping_sets[0]]
    within_groups = set(rows.grouped[0]) <= {key.expression for key in keys if not key.other}
    return rows.grouped[2] if within_groups else None


def always_adds(statistic: Statistic) -> bool:
    """Whether no row can be without a contribution: the value is never NULL."""
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
                f"a row lies in one group of each of the {sets} grouping sets: {sets} times as much",
            ),
        )
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
    step = statistic.grid.step if statistic.grid is not None else Fraction(1, statistic.unit_weight)
    return exact_text(steps * step)
