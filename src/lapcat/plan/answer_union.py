"""UNION ALL of answers: several questions about the same rows, merged into one, and their answers in one table.

One plan, one debit, one receipt, as for every merged question; putting tables below each other is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lapcat.plan.aggregates import Estimates
from lapcat.plan.compile import Query
from lapcat.plan.merging import merged
from lapcat.plan.released import ReleasedTable
from lapcat.plan.released.stacked import UnionAfter, stacked
from lapcat.plan.schema import Value


def united(questions: Sequence[Query], after: UnionAfter) -> Query:
    """The merged question; its answer has the rows of all answers, one after the other."""
    merging = merged([replace(question, offer=None) for question in questions])

    def table(
        estimates: Mapping[str, Estimates], private: tuple[tuple[Value, ...], ...] | None
    ) -> ReleasedTable:
        return stacked([share.table(estimates, private) for share in merging.shares], after)

    return replace(merging.asked, offer=questions[0].offer, union=table)
