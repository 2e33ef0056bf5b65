"""How many conditions one row meets, against what is claimed of it: also where the solver has no time to prove anything.

Statistics with conditions of their own cost as much as one row can move together, which a solver finds out. What it claims
must hold for every made-up row, alone or against every other, whether it finished or gave up at once; by number, and where
the statistics weigh differently. Beside a table's plain conditions it is asked about conditions that are made to mislead: each
holds at a point of its own, and all of them in one far corner, which a search that improves a little at a time does not find.
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
from lapcat.engines.reference import evaluate
from lapcat.engines.values import coerce
from lapcat.plan import predicates
from lapcat.plan.facts import Moving
from lapcat.plan.schema import Relation, Table

EFFORTS = (1, predicates.DEFAULT)
"""Of the solver: next to nothing, and what every question gets."""
MOST_ROWS = 40
LONGEST = 300
"""Letters of a question in a report."""


def conditions(family: Family, folder: Path) -> Iterator[Check]:
    """Every question with several conditions of every table."""
    pairs = neighbours_of(family)
    copy = copied(family, pairs[0].here, folder)
    try:
        for table in family.tables:
            worlds = [world[table.name] for pair in pairs for world in (pair.here, pair.there)]
            rows = list(islice(_different(table, worlds), MOST_ROWS))
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
    """The rows as they are declared, each once; the unit that differs comes last in a world, so last rows come first."""
    seen: set[str] = set()
    for rows in worlds:
        for row in reversed(rows):
            typed: Row = {name: coerce(row[name], spec.type) for name, spec in table.columns.items()}
            if repr(typed) not in seen:
                seen.add(repr(typed))
                yield typed


def _met(moving: Moving, row: Row) -> tuple[bool, ...]:
    """Which statistics a row moves."""
    there = moving.where is None or evaluate(moving.where, row) is True
    return tuple(
        there and (part.predicate is None or evaluate(part.predicate, row) is True) for part in moving.parts
    )


def claimed_too_little(moving: Moving, met: Sequence[tuple[bool, ...]], effort: int) -> str:
    """Why rows move more than is claimed of any; empty where none do."""
    alike = [Fraction(1)] * len(moving.parts)
    unlike = [Fraction(1 + number % 3) for number in range(len(moving.parts))]
    joint = predicates.joint(
        moving.parts, moving.relation, where=moving.where, may_be_absent=moving.may_be_absent, effort=effort
    )
    most = predicates.most_amount(
        moving.parts,
        unlike,
        moving.relation,
        where=moving.where,
        may_be_absent=moving.may_be_absent,
        effort=effort,
    )
    for amounts, claimed in ((alike, Fraction(joint.max_affected)), (unlike, most)):
        moved = max(_moved(moving, amounts, met), default=Fraction(0))
        if moved > claimed:
            return f"a row moves {float(moved):g} of what the statistics weigh, and {float(claimed):g} is claimed"
    return ""


def _moved(
    moving: Moving, amounts: Sequence[Fraction], met: Sequence[tuple[bool, ...]]
) -> Iterator[Fraction]:
    if moving.relation is Relation.ADD_REMOVE:
        for one in met:
            yield sum((amount for amount, moves in zip(amounts, one, strict=True) if moves), Fraction(0))
        return
    absent = [(False,) * len(amounts)] if moving.may_be_absent else []
    for one, other in combinations([*met, *absent], 2):
        yield sum(
            (
                amount
                for part, amount, here, there in zip(moving.parts, amounts, one, other, strict=True)
                if (here != there if part.counts else here or there)
            ),
            Fraction(0),
        )
