"""Local search for records that move many parts: one base of one record at a time is moved to its best cell."""

from __future__ import annotations

from collections.abc import Sequence

from lapcat.plan.records.cells import CountedTerm, Record, Space, State

STARTS = 8
"""The number of starting points: a climb is cheap compared with a z3 query."""
MAX_WORK = 500_000
"""The limit on terms times bases, summed over the climbs: a large question gets fewer. A count, not a time, so that a price
is the same on every machine."""


def worth_of(terms: Sequence[CountedTerm], space: Space, state: State) -> int:
    """The weight of the parts that the record moves, or in which the two records differ."""
    worth = 0
    for term in terms:
        moved = sum(space.satisfies(record, term.formula) for record in state)
        worth += term.weight * (moved == 1 if term.counts else moved > 0)
    return worth


def starts(terms: Sequence[CountedTerm], space: Space) -> list[State]:
    """Starting points: for some of the terms, spread evenly, a record in their shadow."""
    many = max(1, min(STARTS, MAX_WORK // (4 * len(terms) * max(1, len(space.bases)))))
    records = {
        tuple(_first(space.shadow(term.formula, base) or space.full(base)) for base in space.bases): None
        for term in terms[:: 1 + (len(terms) - 1) // many]
    }
    return [(record,) for record in records]


def climb(terms: Sequence[CountedTerm], space: Space, state: State) -> State:
    """Moves one base of one record at a time to its best cell, until nothing improves."""
    worth = worth_of(terms, space, state)
    while True:
        before = worth
        for at, record in enumerate(state):
            others = state[:at] + state[at + 1 :]
            opposed = [any(space.satisfies(other, term.formula) for other in others) for term in terms]
            for base in space.bases:
                cell, value = _best_cell(terms, opposed, space, record, base)
                if value > worth:
                    worth, record = value, (*record[:base], cell, *record[base + 1 :])
            state = (*state[:at], record, *state[at + 1 :])
        if worth == before:
            return state


def _best_cell(
    terms: Sequence[CountedTerm], opposed: Sequence[bool], space: Space, record: Record, base: int
) -> tuple[int, int]:
    """The first cell of a base with the maximum worth of the record, and that worth.

    The sums of all cells are kept side by side: digits[n] holds the n-th binary digit of each, a bit for each cell.
    """
    full, digits = space.full(base), [0]
    for term, opposite in zip(terms, opposed, strict=True):
        bits = space.solutions(term.formula, record, base)
        if opposite:
            bits = full ^ bits if term.counts else full
        for place in range(term.weight.bit_length()):
            carry = bits if term.weight >> place & 1 else 0
            while carry:
                digits += [0] * (place + 1 - len(digits))
                digits[place], carry = digits[place] ^ carry, digits[place] & carry
                place += 1
    best, value = full, 0
    for place in reversed(range(len(digits))):
        if best & digits[place]:
            best, value = best & digits[place], value | 1 << place
    return _first(best), value


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
