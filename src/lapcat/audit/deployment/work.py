"""The rows that one unit produces at each node of a plan, against the claimed upper bound (plan/produced.py).

Whether a question fails must not depend on one unit, so the work one unit causes is bounded by public numbers. Here a unit has
far more rows than the contribution bound, and its rows are counted at every node by the reference engine; another part of the
audit compares the engines. A chain of joins beyond the limit must be refused.
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
"""The names of the units with far more rows than the contribution bound."""


def work(family: Family, folder: Path) -> Iterator[Check]:
    """Self-joins, at the top and inside sub-queries, unions of one table, and chains of joins."""
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
    """The problem if a unit produces more rows than claimed at some node; empty if none does."""
    for plan in copy.session().sql(asked.text).prepared.executed_plans:
        for reference in references:
            problem = above_the_claim(plan, reference)
            if problem:
                return problem
    return ""


def above_the_claim(plan: Group, reference: ReferenceEngine) -> str:
    """The problem if a unit has more rows than claimed at a node of this plan; empty if none does."""
    own: Counter[object] = Counter()
    for scan in private_scans(plan):
        own |= reference.counted(scan)
    for station in stations(plan):
        produced = rows_facts(station.rows).produced
        if produced is None:
            return "no upper bound is claimed for pairs of a unit's rows"
        for unit, count in reference.counted(station.rows).items():
            max_rows = produced.copies * own[unit] if not rows_facts(station.rows).by_row else produced.copies
            if count > max_rows or (produced.rows is not None and count > produced.rows):
                return (
                    f"one unit produced {count} rows; the claimed upper bound is {produced.rows or max_rows}"
                )
    return ""


def _is_refused(copy: Copy, asked: ExampleQuestion) -> bool:
    try:
        return not copy.session().sql(asked.text).prepared.executed_plans
    except Refused as refusal:
        return refusal.code in ("joined-rows", "joined-bytes")
