"""What was chosen before, for a question that wants it again: the same rows, groups, column and candidates.

Of several quantiles that were chosen together each can be had: all of them were released, with the counts of the windows
around them, so that to show one of them is post-processing. The interval is made with all of their windows, as it was then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapcat.core.event import RankRelease, SumsAndChoices
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.ledger.base import CachedAnswer
from lapcat.plan.cached_statistics import Content
from lapcat.plan.choices import Mechanism, PlannedChoice, Quantile
from lapcat.plan.compile import ChosenBy, Prepared
from lapcat.session.cached_cells import CellSource, beside_units


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """Where the rows of one choice come from, and by which mechanism they were chosen."""

    chosen: ChosenBy
    """With all that was chosen together, of which the question may want a part."""
    rows: tuple[CellSource, ...]


def stored_choices(
    prepared: Prepared, content: Content, cached_answers: Sequence[CachedAnswer]
) -> tuple[ChoiceSource, ...] | None:
    """Everything that the question chooses, each from the nearest stored choice; None where one is missing."""
    if prepared.choices and len(content.sets) > 1:
        return None
    found = []
    for choice, wanted in zip(prepared.choices, content.choices, strict=True):
        ways = [
            way
            for holding in cached_answers
            if holding.content.private == content.private
            for way in _held_choices(choice, wanted.identity, content, holding)
        ]
        best = min(
            ways, key=lambda way: (spread(way.chosen.mechanism), way.rows[0].cached_answer.id), default=None
        )
        if best is None:
            return None
        found.append(best)
    return tuple(found)


def _held_choices(
    choice: PlannedChoice, identity: str, content: Content, holding: CachedAnswer
) -> Iterator[ChoiceSource]:
    """The choice as an answer holds it, for the same groups."""
    rest, stored = beside_units(holding.event), holding.content
    if not isinstance(rest, SumsAndChoices) or len(stored.choices) != len(rest.choices):
        return
    if len(stored.sets) > 1:
        return
    places = {stored.keys[key].identity: key for key in stored.sets[0]}
    asked = [content.keys[key].identity for key in content.sets[0]]
    if not len(places) == len(stored.sets[0]) == len(asked) or set(asked) != set(places):
        return
    kept = tuple(places[name] for name in asked if stored.keys[places[name]].size is not None)
    first = 0 if rest.sums is None else len(rest.sums.parts)
    for held, event in zip(stored.choices, rest.choices, strict=True):
        wishes, first_wish = choice.wishes, choice.wishes[0]
        if isinstance(event, RankRelease) and isinstance(first_wish, Quantile):
            wishes = tuple(replace(first_wish, q=q) for q in event.quantiles)
        if held.identity == identity and all(wish in wishes for wish in choice.wishes):
            chosen = ChosenBy(replace(choice, wishes=wishes), choice.paid(event))
            rows = range(first, first + held.rows)
            yield ChoiceSource(
                chosen, tuple(CellSource(holding, row, stored.sets[0], kept, None) for row in rows)
            )
        first += held.rows


def spread(mechanism: Mechanism) -> Fraction:
    """How far off a choice may be, beside others of its kind."""
    match mechanism:
        case Ranks():
            return 1 / min(rate for level in mechanism.rates for rate in level)
        case ExtremeRank() | Commonest():
            return 1 / mechanism.rate


def chosen_no_worse(ours: ChosenBy, theirs: ChosenBy, confidence: Fraction) -> bool:
    """Whether a stored choice is at least as near as one that would be paid for."""
    mine, new = ours.mechanism, theirs.mechanism
    if isinstance(mine, Ranks) and isinstance(new, Ranks):
        off, would_be = (
            one.mechanism.margin(one.choice.width * one.mechanism.parts, confidence)  # type: ignore[union-attr]
            for one in (ours, theirs)
        )
        return off <= would_be and mine.scale <= new.scale
    if isinstance(mine, ExtremeRank) and isinstance(new, ExtremeRank) and mine.depth > new.depth:
        return False
    return spread(mine) <= spread(new)
