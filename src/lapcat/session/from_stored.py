"""A question answered from stored answers: shown beforehand, paid for by nobody twice, and told with its sources."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.core.loss import PureDP
from lapcat.ledger.quanta import cost_of, within
from lapcat.ledger.receipts import UNSAFE, Proved, derived_receipt
from lapcat.plan.at_once import AtOnce, at_once
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import scan_of
from lapcat.session.derived import Derived, derivations, stored_answers
from lapcat.session.inquiry import Inquiry
from lapcat.session.previews import foreseen_columns, free_note, least_left, left_of_populations, suppositions
from lapcat.session.pricing import price_missing
from lapcat.session.requests import sources_of
from lapcat.session.results import Answer, Offered, Preview, Receipt, less, loss_json
from lapcat.session.wording import extremes_in_words, noted


def ways_from_stored(inquiry: Inquiry) -> list[Derived]:
    """What stored answers give for this question, as far as whoever asks may have it."""
    prepared, ledger = inquiry.prepared(), inquiry.deployment.ledger
    if inquiry.written is not None:
        return []  # what is stored is cells, not answers of a workload
    found = derivations(
        prepared,
        lambda statistics: ledger.holding(statistics, inquiry.analyst),
        inquiry.deployment.coins.cryptographic,
    )
    charges = inquiry.charges(prepared)
    return [one for one in found if ledger.affordable(one.entries, inquiry.analyst, charges)]


def best_from_stored(inquiry: Inquiry) -> Derived:
    """The first of them, for a question that is asked without a price."""
    ways = ways_from_stored(inquiry)
    if not ways:
        raise price_missing()
    return ways[0]


def preview_from_stored(inquiry: Inquiry, derived: Derived, level: Fraction, simultaneous: bool) -> Preview:
    """What an answer from stored ones would be: free for the tables, and no row is read for it either."""
    offered = offered_of(derived, level, simultaneous)
    charges = inquiry.charges(derived.prepared)
    due = [holding for holding in derived.holdings if not holding.charged]
    left = [(charge, inquiry.deployment.left_after(charge, None)) for charge in charges]
    own = []
    for charge, amount in left:
        if charge.analyst:
            for holding in due:
                after = inquiry.deployment.left_after(charge, holding.event)
                amount = less(amount, less(inquiry.deployment.left_after(charge, None), after))
            own.append((charge, amount))
    names = [table.name for table in inquiry.tables(derived.prepared)]
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
            *inquiry.block_notes(derived.prepared),
        ),
        (),
        left_of_populations(left),
        offered,
    )


def offered_of(derived: Derived, level: Fraction, simultaneous: bool) -> Offered:
    each = _together(derived, level, None).each if simultaneous else level
    return Offered(derived.entries, foreseen_columns(derived.prepared, derived.foresee(each), level))


def answers_from_stored(
    inquiry: Inquiry, derived: Derived, level: Fraction, simultaneous: bool
) -> list[Answer]:
    """The answer from stored ones. Whoever has not paid for them is charged before they are read."""
    ledger, tables = inquiry.deployment.ledger, inquiry.tables(derived.prepared)
    scopes = tuple(dict.fromkeys(map(inquiry.deployment.scope, tables)))
    ledger.share(
        derived.entries,
        inquiry.analyst,
        inquiry.charges(derived.prepared),
        scopes,
        inquiry.deployment.accepted,
    )
    answers = stored_answers(derived.holdings, ledger.answer)
    together = None
    if simultaneous:
        keys = next(iter(answers.values())).keys
        together = _together(derived, level, None if keys is None else len(keys))
    estimates, keys = derived.estimates(answers, level if together is None else together.each)
    fields = told_of(inquiry, derived.prepared)
    if not all(answer.cryptographic for answer in answers.values()):
        fields["UNSAFE"] = UNSAFE
    sources = [
        (
            {"id": one.id, "hash": one.hash, "guarantee": loss_json(one.event.loss)},
            Proved(*ledger.paid(one.id)),
        )
        for one in derived.holdings
    ]
    receipt = Receipt.of(derived_receipt(fields, sources, ledger.signer))
    budget = inquiry.deployment.budget(inquiry.analyst)
    notes = (
        *noted(together, derived.prepared),
        *inquiry.block_notes(derived.prepared),
        *extremes_in_words(derived.programs[0]),
        *inquiry.deployment.notes,
    )
    free = PureDP(Fraction(0))
    return [
        Answer(table, level, free, True, receipt, budget, notes, together, derived.entries)
        for table in inquiry.shown_as(derived.prepared, estimates, keys)
    ]


def told_of(inquiry: Inquiry, prepared: Prepared) -> dict[str, object]:
    """What the receipt of an answer from stored ones says of the question itself."""
    return {
        "question": inquiry.text,
        **sources_of(inquiry, prepared),
        "relation": str(scan_of(prepared.plan).relation),
        "bounds": list(prepared.asked.notes),
        "lapcat": inquiry.deployment.version,
    }


def enough_of(ways: Sequence[Derived], program: Program, level: Fraction) -> Derived | None:
    """What is stored and at least as good as the answer at a price, where it costs whoever asks no more than that price."""
    for derived in ways:
        due = [cost_of(holding.event) for holding in derived.holdings if not holding.charged]
        if within(due, cost_of(program.event)) and derived.as_good_as(program, level):
            return derived
    return None


def _together(derived: Derived, level: Fraction, groups: int | None) -> AtOnce:
    """All numbers of a derived answer, with so many private groups shown (None: there are none, or it is not known)."""
    cells = derived.prepared.plan.cells * (1 if groups is None else groups)
    return at_once(derived.programs[0], level, cells, independent=derived.independent)
