"""The statistics that one row affects together, against the solver's claimed upper bound, even if it has no time.

Statistics with different conditions cost as much as one row can change together, which a solver bounds. The bound must hold
for every fixture row, alone or against every other, whether the solver finished or gave up at once; with equal and with
different weights. Besides a table's plain conditions the audit tries misleading ones: each holds at a different point, and all
of them in one far corner, which a local search does not find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, islice
from pathlib import Path
from textwrap import shorten

from lapcat.audit.deployment.asking import program_at
from lapcat.audit.deployment.check import PROVED, Check, noise_of
from lapcat.audit.deployment.copies import copied
from lapcat.audit.deployment.fixtures import Family, Row, neighbours_of
from lapcat.audit.deployment.questions import filtered_of
from lapcat.engines.evaluation import evaluate
from lapcat.engines.values import coerce
from lapcat.plan import predicates
from lapcat.plan.facts import Moving
from lapcat.plan.schema import Relation, Table

EFFORTS = (1, predicates.DEFAULT)
"""Solver efforts: almost none, and the default."""
MAX_ROWS = 40
LONGEST = 300
"""The maximum length of a question in a report."""


def conditions(family: Family, folder: Path) -> Iterator[Check]:
    """Every question with several conditions, for every table."""
    pairs = neighbours_of(family)
    copy = copied(family, pairs[0].here, folder)
    try:
        for table in family.tables:
            worlds = [world[table.name] for pair in pairs for world in (pair.here, pair.there)]
            rows = list(islice(_different(table, worlds), MAX_ROWS))
            for asked in filtered_of(table):
                program = program_at(copy, asked.text, Fraction(1))
                moving = None if program is None else program.prepared.facts.moving
                if program is None or moving is None:
                    continue
                met = [_met(moving, row) for row in rows]
                for effort in EFFORTS:
                    yield Check(
                        "conditions",
                        asked.aggregate,
                        noise_of(program),
                        "–",
                        PROVED,
                        shorten(asked.text, LONGEST, placeholder=" …"),
                        claimed_too_little(moving, met, effort),
                    )
    finally:
        copy.remove()


def _different(table: Table, worlds: Sequence[Sequence[Row]]) -> Iterator[Row]:
    """The distinct rows in declared types. The differing unit is last in a world, so rows are read from the end."""
    seen: set[str] = set()
    for rows in worlds:
        for row in reversed(rows):
            typed: Row = {name: coerce(row[name], spec.type) for name, spec in table.columns.items()}
            if repr(typed) not in seen:
                seen.add(repr(typed))
                yield typed


def _met(moving: Moving, row: Row) -> tuple[bool, ...]:
    """Which statistics a row affects."""
    there = moving.where is None or evaluate(moving.where, row) is True
    return tuple(
        there and (part.predicate is None or evaluate(part.predicate, row) is True) for part in moving.parts
    )


def claimed_too_little(moving: Moving, met: Sequence[tuple[bool, ...]], effort: int) -> str:
    """The problem if a row changes the statistics by more than claimed; empty if none does."""
    equal = [Fraction(1)] * len(moving.parts)
    unequal = [Fraction(1 + number % 3) for number in range(len(moving.parts))]
    joint = predicates.joint(
        moving.parts, moving.relation, where=moving.where, may_be_absent=moving.may_be_absent, effort=effort
    )
    weighted = predicates.max_amount(
        moving.parts,
        unequal,
        moving.relation,
        where=moving.where,
        may_be_absent=moving.may_be_absent,
        effort=effort,
    )
    for amounts, claimed in ((equal, Fraction(joint.max_affected)), (unequal, weighted)):
        moved = max(_moved(moving, amounts, met), default=Fraction(0))
        if moved > claimed:
            return f"a row changes the weighted statistics by {float(moved):g}; the claimed upper bound is {float(claimed):g}"
    return ""


def _moved(
    moving: Moving, amounts: Sequence[Fraction], met: Sequence[tuple[bool, ...]]
) -> Iterator[Fraction]:
    if moving.relation is Relation.ADD_REMOVE:
        for row in met:
            yield sum((amount for amount, moves in zip(amounts, row, strict=True) if moves), Fraction(0))
        return
    absent = [(False,) * len(amounts)] if moving.may_be_absent else []
    for left, right in combinations([*met, *absent], 2):
        yield sum(
            (
                amount
                for part, amount, here, there in zip(moving.parts, amounts, left, right, strict=True)
                if (here != there if part.counts else here or there)
            ),
            Fraction(0),
        )
