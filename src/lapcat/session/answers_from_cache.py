"""Answers from cache: preview, charges and receipt of a question answered from stored answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.core.loss import PureDP
from lapcat.ledger.fixed_point import cost_of, within
from lapcat.ledger.receipts import UNSAFE, Proved, derived_receipt
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import scan_of
from lapcat.plan.simultaneous import Simultaneous, simultaneous_intervals
from lapcat.session.cache_plan import CachePlan, derivations, stored_answers
from lapcat.session.debit_request import sources_of
from lapcat.session.describe_noise import extremes_in_words, noted
from lapcat.session.previews import foreseen_columns, free_note, least_left, left_of_populations, suppositions
from lapcat.session.pricing import price_missing
from lapcat.session.query_context import QueryContext
from lapcat.session.results import Answer, Offered, Preview, Receipt, less, loss_json


def methods_from_cache(context: QueryContext) -> list[CachePlan]:
    """The plans that answer this question from stored answers within the analyst's caps."""
    prepared, ledger = context.prepared(), context.deployment.ledger
    if context.written is not None:
        return []  # the cache holds cells, not answers of a workload
    plans = derivations(
        prepared,
        lambda statistics: ledger.find_cached_answers(statistics, context.analyst),
        context.deployment.coins.cryptographic,
    )
    charges = context.charges(prepared)
    return [plan for plan in plans if ledger.affordable(plan.entries, context.analyst, charges)]


def best_from_cache(context: QueryContext) -> CachePlan:
    """The first plan, for a question asked without a price."""
    ways = methods_from_cache(context)
    if not ways:
        raise price_missing()
    return ways[0]


def preview_from_cache(
    context: QueryContext, derived: CachePlan, level: Fraction, simultaneous: bool
) -> Preview:
    """The preview of an answer from cache: it charges nothing to the tables and reads no row."""
    offered = offered_of(derived, level, simultaneous)
    charges = context.charges(derived.prepared)
    due = [cached_answer for cached_answer in derived.cached_answers if not cached_answer.charged]
    left = [(charge, context.deployment.left_after(charge, None)) for charge in charges]
    own = []
    for charge, amount in left:
        if charge.analyst:
            for cached_answer in due:
                after = context.deployment.left_after(charge, cached_answer.event)
                amount = less(amount, less(context.deployment.left_after(charge, None), after))
            own.append((charge, amount))
    names = [table.name for table in context.tables(derived.prepared)]
    together = _together(derived, level, None) if simultaneous else None
    return Preview(
        PureDP(Fraction(0)),
        offered.columns,
        least_left(names, [pair for pair in left if not pair[0].analyst]),
        least_left(names, own) or None,
        True,
        derived.prepared.plan.cells,
        (
            free_note([(charge, amount, dict(own).get(charge, amount)) for charge, amount in left]),
            *suppositions(offered.columns),
            *noted(together, derived.prepared, before=True),
            *context.block_notes(derived.prepared),
        ),
        (),
        left_of_populations(left),
        offered,
    )


def offered_of(derived: CachePlan, level: Fraction, simultaneous: bool) -> Offered:
    each = _together(derived, level, None).each if simultaneous else level
    return Offered(derived.entries, foreseen_columns(derived.prepared, derived.foresee(each), level))


def answers_from_cache(
    context: QueryContext, derived: CachePlan, level: Fraction, simultaneous: bool
) -> list[Answer]:
    """The answer from cache. An analyst who has not been charged for the stored answers is charged before they are read."""
    ledger, tables = context.deployment.ledger, context.tables(derived.prepared)
    scopes = tuple(dict.fromkeys(map(context.deployment.scope, tables)))
    ledger.share(
        derived.entries,
        context.analyst,
        context.charges(derived.prepared),
        scopes,
        context.deployment.accepted,
    )
    answers = stored_answers(derived.cached_answers, ledger.answer)
    together = None
    if simultaneous:
        keys = next(iter(answers.values())).keys
        together = _together(derived, level, None if keys is None else len(keys))
    estimates, keys = derived.estimates(answers, level if together is None else together.each)
    fields = describe_sources(context, derived.prepared)
    if not all(answer.cryptographic for answer in answers.values()):
        fields["UNSAFE"] = UNSAFE
    sources = [
        (
            {
                "id": cached_answer.id,
                "hash": cached_answer.hash,
                "guarantee": loss_json(cached_answer.event.loss),
            },
            Proved(*ledger.paid(cached_answer.id)),
        )
        for cached_answer in derived.cached_answers
    ]
    receipt = Receipt.of(derived_receipt(fields, sources, ledger.signer))
    budget = context.deployment.budget(context.analyst)
    notes = (
        *noted(together, derived.prepared),
        *context.block_notes(derived.prepared),
        *extremes_in_words(derived.programs[0]),
        *context.deployment.notes,
    )
    free = PureDP(Fraction(0))
    return [
        Answer(table, level, free, True, receipt, budget, notes, together, derived.entries)
        for table in context.shown_as(derived.prepared, estimates, keys)
    ]


def describe_sources(context: QueryContext, prepared: Prepared) -> dict[str, object]:
    """The fields about the question in the receipt of an answer from cache."""
    return {
        "question": context.text,
        **sources_of(context, prepared),
        "relation": str(scan_of(prepared.plan).relation),
        "bounds": list(prepared.asked.notes),
        "lapcat": context.deployment.version,
    }


def enough_of(ways: Sequence[CachePlan], program: Program, level: Fraction) -> CachePlan | None:
    """The plan from cache that is at least as good as the priced answer and costs the analyst no more; None if there is none."""
    for derived in ways:
        due = [
            cost_of(cached_answer.event)
            for cached_answer in derived.cached_answers
            if not cached_answer.charged
        ]
        if within(due, cost_of(program.event)) and derived.as_good_as(program, level):
            return derived
    return None


def _together(derived: CachePlan, level: Fraction, groups: int | None) -> Simultaneous:
    """Simultaneous intervals for an answer from cache with `groups` private groups (None: none, or unknown)."""
    cells = derived.prepared.plan.cells * (1 if groups is None else groups)
    return simultaneous_intervals(derived.programs[0], level, cells, independent=derived.independent)
