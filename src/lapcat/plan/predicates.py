"""Upper bounds on how many of several statistics one record can move at once, and by how much, proved over all records.

The idea: every value has a number, and every predicate tests whether a number lies in a region.

    colour = 'orange'            the number of colour is that of 'orange'
    CLAMP(weight, 0, 5) > 4.5    the number of weight is above that of 4.5

records.reading turns expressions into regions of columns. The ends of all regions cut each column into finitely many
cells on which nothing changes, with NULL as one more (records.cells), so a record is one cell per column.
records.climbing finds records that move many parts. That no record moves more is proved by enumeration if there are few
records (records.sweeping), else by z3. Without a proof the sum of the parts is used: the number is never too small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, assert_never
from typing import Literal as OneOf

from lapcat.errors import Bug
from lapcat.plan.expressions import Expression
from lapcat.plan.records.cells import CountedTerm, Space, State, space_of
from lapcat.plan.records.climbing import climb, starts, worth_of
from lapcat.plan.records.reading import (
    TRUE,
    Among,
    Every,
    Formula,
    FormulaReader,
    Ordered,
    Some,
    every,
    key_of,
)
from lapcat.plan.records.sweeping import swept
from lapcat.plan.schema import Relation

MAX_CELLS = 4_000
"""The maximum number of cells of all bases in a z3 query; a count, so that a price is the same on every machine."""
DEFAULT = 20_000_000
"""The limit of one z3 search in its resource units: a count of steps, so that the price never depends on load."""
MAX_WEIGHT = 2**30
"""The maximum total weight: z3 adds weights in 32 bits."""
FINE = 2**20
"""The resolution relative to the largest amount, where amounts have no common unit that is coarse enough."""


@dataclass(frozen=True, slots=True)
class StatisticTerm:
    """One statistic, as passed to the solver."""

    predicate: Expression | None
    """The rows it reads; None: every row."""
    counts: bool
    """True: it adds 1, so two rows that both satisfy the predicate do not differ. False: it adds a value."""
    weight: int = 1
    """Its weight in the sum."""


@dataclass(frozen=True, slots=True)
class Joint:
    """The maximum weight of the parts that one record moves (add-remove), or on which two records differ (replace-one)."""

    max_affected: int
    proved: bool
    """False: the sum of all parts, because the solver could not prove less."""
    because: str
    witness: Mapping[str, object] | None
    """A synthetic record that moves `max_affected` parts: column → value, None for NULL. Under replace-one two of them,
    {"one": record, "other": record}, where an absent record is None. None where no search was needed, or where an
    expression was left unconstrained, so that its value may be inconsistent with the columns."""


def joint(
    parts: Sequence[StatisticTerm],
    relation: Relation,
    *,
    where: Expression | None = None,
    may_be_absent: bool,
    effort: int = DEFAULT,
) -> Joint:
    """The joint sensitivity of several parts, counted in parts or by their weights; never too small.

    Part i is moved by a record r if p_i(r): r is present, and `where` and the part's predicate are TRUE (not NULL).
    A record is always present unless `may_be_absent` (units with several rows: a row may be replaced by none).

    Theorem: add-remove: the result is at least Σ w_i p_i(r) for every record r. replace-one: it is at least Σ w_i d_i for
             every two records r, r′, where d_i = p_i(r) xor p_i(r′) if the part counts, else p_i(r) or p_i(r′).
    Proof:   at most one condition: `_closed_form`. Else every record has the truths of some point of a finite space
             (`records.cells.space_of`), and all were tried, or z3 proved that no point is worth more than the
             best one found (unsat). Without that proof it is the weight of all parts; under replace-one also at most twice
             the add-remove value, if that was proved, because d_i ≤ p_i(r) + p_i(r′).
    Slack:   none where all atoms are a column, perhaps clamped, against constants or a column of the same type;
             other expressions are unconstrained, which can only raise the number.

    >>> from lapcat.plan.expressions import Column, Compare, Literal
    >>> from lapcat.plan.schema import Type
    >>> orange, blue = (Literal(colour, Type.TEXT) for colour in ("orange", "blue"))
    >>> cats = [StatisticTerm(Compare("=", Column("colour", Type.TEXT), colour), counts=True) for colour in (orange, blue)]
    >>> joint(cats, Relation.ADD_REMOVE, may_be_absent=False).max_affected
    1
    >>> joint(cats, Relation.REPLACE_ONE, may_be_absent=False).witness
    {'one': {'colour': 'blue'}, 'other': {'colour': 'orange'}}
    """
    if not 1 <= effort < 2**32:
        raise ValueError(f"effort {effort}: must be from 1 to 2**32 - 1; z3 takes 0 for no limit")
    if any(part.weight < 1 for part in parts) or _weight(parts) > MAX_WEIGHT:
        raise ValueError(
            f"weights must be positive integers with a sum of at most {MAX_WEIGHT}: z3 adds in 32 bits"
        )
    conditions = {key_of(part.predicate) for part in parts}
    if where is None:
        conditions.discard(key_of(None))
    if len(conditions) <= 1:
        return _closed_form(parts, relation, where, may_be_absent)
    return _searched(parts, relation, where, may_be_absent, effort)


def max_amount(
    parts: Sequence[StatisticTerm],
    amounts: Sequence[Fraction],
    relation: Relation,
    *,
    where: Expression | None = None,
    may_be_absent: bool,
    effort: int = DEFAULT,
) -> Fraction:
    """Upper bound on the total change by one record, where it changes part i by at most amounts[i] > 0.

    Amounts of l1 give an l1, amounts of l2² an l2²: where a row moves the parts of S, their changes are coordinates of
    one vector, so its l1 is Σ_S l1_i and its l2² is Σ_S l2²_i.

    Theorem: at least Σ amount_i over the parts that any record moves (add-remove), or on which any two differ.
    Proof:   `joint`, with the amounts as weights in their largest common unit: then all are whole. Where that is too fine
             for the solver they are rounded up to a unit of 2⁻²⁰ of the largest.
    Slack:   that of `joint`; where rounded, at most a millionth of the largest amount for each part.
    """
    if not parts:
        return Fraction(0)
    scale = math.lcm(*(amount.denominator for amount in amounts))
    unit = Fraction(math.gcd(*(int(amount * scale) for amount in amounts)), scale)
    if sum(amounts, Fraction(0)) / unit > MAX_WEIGHT:
        unit = max(amounts) / FINE
    weighted = [
        replace(part, weight=math.ceil(amount / unit)) for part, amount in zip(parts, amounts, strict=True)
    ]
    if _weight(weighted) > MAX_WEIGHT:
        return sum(amounts, Fraction(0))
    return (
        unit * joint(weighted, relation, where=where, may_be_absent=may_be_absent, effort=effort).max_affected
    )


def _weight(parts: Sequence[StatisticTerm]) -> int:
    return sum(part.weight for part in parts)


def _closed_form(
    parts: Sequence[StatisticTerm], relation: Relation, where: Expression | None, may_be_absent: bool
) -> Joint:
    """The bound where the parts have at most one condition P, besides parts without a condition.

    Theorem: add-remove: the weight of all parts. replace-one: the same, less the counts of every row if no record may
             be absent.
    Proof:   no more than all parts can move, and a record in P moves all. Two present records do not differ in a
             count of every row; an absent one and a present one in P differ in all.
    Slack:   none if some record is in P and some is not; P is not examined.
    """
    fixed: list[StatisticTerm] = []
    if relation is Relation.REPLACE_ONE and where is None and not may_be_absent:
        fixed = [part for part in parts if part.predicate is None and part.counts]
    many = len(parts) - len(fixed)
    because = (
        f"one record can change all {many} statistics" if many > 1 else f"{many or 'no'} statistic can change"
    )
    because += " other than the count of all rows" if fixed else ""
    return Joint(_weight(parts) - _weight(fixed), True, because, None)


def _searched(
    parts: Sequence[StatisticTerm],
    relation: Relation,
    where: Expression | None,
    may_be_absent: bool,
    effort: int,
) -> Joint:
    """The bound by search and proof; the sum of all parts where the proof fails."""
    reader = FormulaReader()
    always: list[Formula] = [] if where is None else [reader.holds(where, TRUE)]
    if may_be_absent and relation is Relation.REPLACE_ONE:
        always.append(reader.present())
    moved = {
        key_of(part.predicate): every([*always, part.predicate is None or reader.holds(part.predicate, TRUE)])
        for part in parts
    }
    weights: dict[tuple[Formula, bool], int] = {}
    for part in parts:
        kind = moved[key_of(part.predicate)], part.counts and relation is Relation.REPLACE_ONE
        weights[kind] = weights.get(kind, 0) + part.weight
    terms = [CountedTerm(formula, weight, counts) for (formula, counts), weight in weights.items()]
    space = space_of(reader, moved.values())

    begin = starts(terms, space)
    best = alone = _search(terms, space, begin, effort)
    total = _weight(parts)
    of_all = (
        f"of {total} statistics"
        if total == len(parts)
        else f"of the total weight {total} of {len(parts)} statistics"
    )
    safe, claim = total, "no record changes more than"
    if relation is Relation.REPLACE_ONE:
        best = _search(terms, space, [alone.state + start for start in begin], effort)
        safe, claim = (
            min(safe, 2 * alone.worth) if alone.proved else safe,
            "no two records differ in more than",
        )
    if not best.proved:
        because = f"the solver could not prove a bound below {safe} {of_all}"
        return Joint(safe, False, because, None)
    because = f"{claim} {best.worth} {of_all}"
    if reader.free:
        return Joint(best.worth, True, because + ", with computed expressions left unconstrained", None)
    records = [space.shown(reader, record) for record in best.state]
    witness = records[0] if relation is Relation.ADD_REMOVE else {"one": records[0], "other": records[1]}
    return Joint(best.worth, True, because, witness)


# ------------------------------------------------------------------------------------------------ search and proof


@dataclass(frozen=True, slots=True)
class _SearchResult:
    state: State
    worth: int
    proved: bool
    """Whether no state is worth more."""


def _search(terms: Sequence[CountedTerm], space: Space, begin: Sequence[State], effort: int) -> _SearchResult:
    """The state of maximum worth.

    Theorem: if `proved`, then no state is worth more than `worth`, and `state` is worth just that.
    Proof:   the worth is always computed from the state, not taken from the solver; and `proved` is set only
             if all states were tried (`records.sweeping`), if nothing is left to gain, or if z3 answered unsat when asked
             for a state worth at least one more.
             On unknown there is no proof: what z3 had reached by then is not a bound. Nor is z3 asked about a space of more
             than MAX_CELLS cells, for which building the query takes longer than its effort says.
    """
    state = max(
        (climb(terms, space, start) for start in begin), key=lambda state: worth_of(terms, space, state)
    )
    best = swept(terms, space, len(state))
    if best is not None:
        worth = worth_of(terms, space, best)
        return _SearchResult(best if worth > worth_of(terms, space, state) else state, worth, True)
    total = sum(term.weight for term in terms)
    if sum(map(len, space.cells)) > MAX_CELLS:
        worth = worth_of(terms, space, state)
        return _SearchResult(state, worth, worth == total)
    while (worth := worth_of(terms, space, state)) < total and space.cells:
        answer = _better(terms, space, len(state), worth, effort)
        effort -= answer.spent
        if answer.status != "sat" or effort < 1:
            return _SearchResult(state, worth, answer.status == "unsat")
        if worth_of(terms, space, answer.state) <= worth:
            raise Bug("solver-contradiction", "z3 returned records that are not worth more")
        state = climb(terms, space, answer.state)
    return _SearchResult(state, worth, True)


@dataclass(frozen=True, slots=True)
class _Answer:
    """sat: a state worth more. unsat: there is none. unknown: z3 gave up."""

    status: OneOf["sat", "unsat", "unknown"]
    state: State
    spent: int


def _better(terms: Sequence[CountedTerm], space: Space, records: int, worth: int, effort: int) -> _Answer:
    """Asks z3 for a state of `records` records that is worth more than `worth`.

    Each base of each record is a ladder of booleans: step n says that the cell is the n-th or a later one. Each
    query has a context of its own and fixed seeds, so that the answer depends on nothing but the query, and stops
    after `effort` of z3's steps, not after a time.

    Theorem: unsat implies that no state is worth more.
    Proof:   let no record satisfy two terms of a group (z3 is asked for such a record as well). Of a group with
             weight w and one record, w is moved if it satisfies some term. With two records it is w for counts if
             just one of them satisfies some term, 2w if both do but not the same one, and 0 otherwise; for values it
             is w if at least one does, and w more if both do but not the same one. The sum of these is the worth.
             As the worth of two records does not depend on which is which, the first may have the later cell.
    """
    import z3

    context = z3.Context()
    solver = z3.SolverFor("QF_FD", ctx=context)
    solver.set(rlimit=effort, random_seed=0)
    true = z3.BoolVal(True, context)

    def ladder(record: int, base: int) -> list[Any]:
        steps = [true, *(z3.Bool(f"{record}.{base}.{n + 1}", context) for n in range(len(space.cells[base])))]
        solver.add([z3.Implies(above, below) for below, above in pairwise(steps)])
        return steps

    ladders = [[ladder(record, base) for base in space.bases] for record in range(records)]
    for first, second in pairwise(ladders):
        solver.add([z3.Implies(below, above) for above, below in zip(first[0], second[0], strict=True)])

    truths = [[_z3_formula(z3, term.formula, space, record, true) for term in terms] for record in ladders]
    gains, doubles = [], []
    for group in _exclusive(terms, space):
        term = terms[group[0]]
        moved = [z3.Or([record[at] for at in group]) for record in truths]
        same = z3.Or([z3.And([record[at] for record in truths]) for at in group])
        if records == 2 and term.counts:
            gains.append((z3.And(z3.Or(moved), z3.Not(same)), term.weight))
        else:
            gains.append((z3.Or(moved), term.weight))
        if len(group) > 1:
            doubles.append(z3.AtLeast(*(truths[0][at] for at in group), 2))
            if records == 2:
                gains.append((z3.And(*moved, z3.Not(same)), term.weight))
    solver.add(z3.Or(z3.PbGe(gains, worth + 1), *doubles))

    status = solver.check()
    spent = int(solver.statistics().get_key_value("rlimit count"))
    if status == z3.unsat:
        return _Answer("unsat", (), spent)
    if status != z3.sat:
        return _Answer("unknown", (), spent)
    model = solver.model()

    def cell(steps: Sequence[Any]) -> int:
        return sum(z3.is_true(model.eval(step, model_completion=True)) for step in steps[1:])

    return _Answer("sat", tuple(tuple(cell(steps) for steps in record) for record in ladders), spent)


def _exclusive(terms: Sequence[CountedTerm], space: Space) -> list[list[int]]:
    """Groups of terms, equal in weight and kind, that exclude each other: their shadows are disjoint.

    One constraint per group instead of one per term makes the proof short. First fit, in the order of the
    narrowest shadow: for ranges of one column this is the least number of groups.
    """
    shadows = [[space.shadow(term.formula, base) for base in space.bases] for term in terms]

    def narrowest(at: int) -> tuple[int, int, int]:
        _, base = min((bits.bit_count() / space.full(n).bit_count(), n) for n, bits in enumerate(shadows[at]))
        return base, shadows[at][base] & -shadows[at][base], at

    groups: list[list[int]] = []
    covers: list[list[int]] = []
    for at in sorted(range(len(terms)), key=narrowest):
        for group, cover in zip(groups, covers, strict=True):
            first = terms[group[0]]
            if (first.weight, first.counts) != (terms[at].weight, terms[at].counts):
                continue
            if _apart(shadows[at], cover) or all(_apart(shadows[at], shadows[member]) for member in group):
                group.append(at)
                cover[:] = [bits | more for bits, more in zip(cover, shadows[at], strict=True)]
                break
        else:
            groups.append([at])
            covers.append(list(shadows[at]))
    return groups


def _apart(first: Sequence[int], second: Sequence[int]) -> bool:
    return any(not left & right for left, right in zip(first, second, strict=True))


def _z3_formula(z3: Any, formula: Formula, space: Space, ladders: Sequence[Sequence[Any]], true: Any) -> Any:
    """The z3 formula over the ladders of one record."""
    match formula:
        case bool():
            return true if formula else z3.Not(true)
        case Among(base, region):
            false = z3.Not(true)
            steps, bits = [*ladders[base], false], space.bits[base][region]
            inside = [cell >= 0 and bool(bits >> cell & 1) for cell in range(-1, len(steps))]
            firsts = [cell for cell, (before, now) in enumerate(pairwise(inside)) if now and not before]
            afters = [cell for cell, (before, now) in enumerate(pairwise(inside)) if before and not now]
            runs = [z3.And(steps[a], z3.Not(steps[b])) for a, b in zip(firsts, afters, strict=True)]
            return z3.Or(false, *runs)
        case Every(parts):
            return z3.And([_z3_formula(z3, part, space, ladders, true) for part in parts])
        case Some(parts):
            return z3.Or([_z3_formula(z3, part, space, ladders, true) for part in parts])
        case Ordered(left, right, signs):
            first, second = ladders[left], ladders[right]
            behind = z3.Or([z3.And(b, z3.Not(a)) for a, b in zip(first, second, strict=True)])
            ahead = z3.Or([z3.And(a, z3.Not(b)) for a, b in zip(first, second, strict=True)])
            cases = {-1: behind, 0: z3.Not(z3.Or(behind, ahead)), 1: ahead}
            signed = z3.Or([cases[sign] for sign in sorted(signs)])
            return z3.And(z3.Not(first[-1]), z3.Not(second[-1]), signed)
        case _:
            assert_never(formula)
