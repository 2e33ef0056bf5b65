"""Exhaustive search over the records of a small space, or over pairs of them: for conditions on one column, a sweep along it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from math import prod

from lapcat.plan.records.cells import CountedTerm, Record, Space, State

MAX_RECORDS = 2**11
MAX_PAIRS = 2**18
"""Limits of the search: a fraction of a second."""
MAX_TESTS = 2**17
"""The limit on terms times records, which allows more records where there are few terms."""


def swept(terms: Sequence[CountedTerm], space: Space, records: int) -> State | None:
    """A state of one or two records with the maximum worth; None where there are too many to try.

    Theorem: no state is worth more.
    Proof:   the worth of a state depends on nothing but which terms each record satisfies; of records that satisfy the same
             terms one is tried, and of these all, or all pairs.
    """
    tried = prod(len(cells) + 1 for cells in space.cells)
    if not space.cells or (tried > MAX_RECORDS and tried * len(terms) > MAX_TESTS):
        return None
    kinds = _kinds(terms, space)
    if records == 2 and len(kinds) * (len(kinds) + 1) // 2 > MAX_PAIRS:
        return None
    masks: dict[tuple[bool, int], int] = {}
    for at, term in enumerate(terms):
        masks[term.counts, term.weight] = masks.get((term.counts, term.weight), 0) | 1 << at

    def worth(state: tuple[int, ...]) -> int:
        first, second = state if len(state) == 2 else (*state, 0)
        either, differ = first | second, first ^ second
        return sum(
            weight * ((differ if counts else either) & mask).bit_count()
            for (counts, weight), mask in masks.items()
        )

    states = combinations_with_replacement(kinds, records)
    return tuple(kinds[moved] for moved in max(states, key=worth))


def _kinds(terms: Sequence[CountedTerm], space: Space) -> dict[int, Record]:
    """The sets of terms that some record satisfies, as bits, each with the first such record."""
    kinds: dict[int, Record] = {}
    for rest in product(*(range(len(cells) + 1) for cells in space.cells[1:])):
        moved = [0] * (len(space.cells[0]) + 1)
        for at, term in enumerate(terms):
            bits = space.solutions(term.formula, (0, *rest), 0)
            while bits:
                moved[(bits & -bits).bit_length() - 1] |= 1 << at
                bits &= bits - 1
        for cell, satisfied in enumerate(moved):
            kinds.setdefault(satisfied, (cell, *rest))
    return kinds
