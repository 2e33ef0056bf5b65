"""How many rows one unit becomes at each node of a plan, against what is claimed of it (plan/produced.py).

Whether a question fails must not depend on one unit, so what one unit can make an engine do is limited by public numbers. Here
somebody has many more rows than may count, and their rows are counted at every node, by what a plan means; that engines mean
the same is another part of the audit. A chain of joins beyond the limit must be refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lapcat.audit.deployment.check import PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied, reference_of
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import ExampleQuestion, chain_of, joined_of
from lapcat.engines.reference import ReferenceEngine
from lapcat.errors import Refused
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import Group, private_scans
from lapcat.plan.work import stations

HEAVY = ("many rows, all high", "many rows that are alike")
"""How the units are called that have many more rows than may count."""


def work(family: Family, folder: Path) -> Iterator[Check]:
    """Joins of a unit's rows, alone and inside sub-queries, and unions of one table; and chains of joins."""
    pairs = neighbours_of(family)
    worlds = [pair.here for pair in pairs if pair.what.startswith(HEAVY)] or [pairs[0].here]
    copy = copied(family, pairs[0].here, folder)
    try:
        references = [reference_of(family, rows, copy.ledger.secret()) for rows in worlds]
        for table in family.tables:
            for asked in joined_of(table):
                yield _check(asked, copy, _more_than_claimed(copy, asked, references))
            chain = chain_of(table, copy.deployment.catalogue.limits.joined_rows)
            if chain is not None:
                yield _check(chain, copy, "" if _is_refused(copy, chain) else "it is not refused")
    finally:
        copy.remove()


def _check(asked: ExampleQuestion, copy: Copy, problem: str) -> Check:
    return Check("work", asked.aggregate, "–", copy.engine, PROVED, asked.text, problem)


def _more_than_claimed(copy: Copy, asked: ExampleQuestion, references: list[ReferenceEngine]) -> str:
    """At which node a unit became more rows than is claimed; empty where none did."""
    for plan in copy.session().sql(asked.text).prepared.executed_plans:
        for reference in references:
            problem = above_the_claim(plan, reference)
            if problem:
                return problem
    return ""


def above_the_claim(plan: Group, reference: ReferenceEngine) -> str:
    """Which unit's rows at a node of a plan are more than claimed; empty where no unit's are."""
    own: Counter[object] = Counter()
    for scan in private_scans(plan):
        own |= reference.counted(scan)
    for station in stations(plan):
        produced = rows_facts(station.rows).produced
        if produced is None:
            return "nothing is claimed of pairs of a unit's rows"
        for unit, count in reference.counted(station.rows).items():
            most = produced.copies * own[unit] if not rows_facts(station.rows).by_row else produced.copies
            if count > most or (produced.rows is not None and count > produced.rows):
                return f"one unit became {count} rows, and {produced.rows or most} is claimed"
    return ""


def _is_refused(copy: Copy, asked: ExampleQuestion) -> bool:
    try:
        return not copy.session().sql(asked.text).prepared.executed_plans
    except Refused as refusal:
        return refusal.code in ("joined-rows", "joined-bytes")
