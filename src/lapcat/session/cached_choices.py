"""Selections from cache: reused for the same rows, groups, column and candidates.

Each of several quantiles selected together can be reused: all of them were released, with the counts of the windows around
them, so showing one is post-processing. The interval uses all of their windows, as in the original answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapcat.core.event import RankRelease
from lapcat.ledger.base import CachedAnswer
from lapcat.plan.cached_statistics import Content
from lapcat.plan.choices import PlannedChoice, Quantile
from lapcat.plan.compile import ChosenBy, Prepared
from lapcat.session.cached_cells import CellSource


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """The source of the rows of one selection, and its mechanism."""

    chosen: ChosenBy
    """All that was selected together; the question may want a part of it."""
    rows: tuple[CellSource, ...]


def stored_choices(
    prepared: Prepared, content: Content, cached_answers: Sequence[CachedAnswer]
) -> tuple[ChoiceSource, ...] | None:
    """A stored source for each selection of the question, the most accurate one; None if one is missing."""
    if prepared.choices and len(content.sets) > 1:
        return None
    sources = []
    for choice, wanted in zip(prepared.choices, content.choices, strict=True):
        ways = [
            way
            for cached_answer in cached_answers
            if cached_answer.content.private == content.private
            for way in _held_choices(choice, wanted.identity, content, cached_answer)
        ]
        best = min(
            ways,
            key=lambda way: (1 / way.chosen.mechanism.slowest, way.rows[0].cached_answer.id),
            default=None,
        )
        if best is None:
            return None
        sources.append(best)
    return tuple(sources)


def _held_choices(
    choice: PlannedChoice, identity: str, content: Content, cached_answer: CachedAnswer
) -> Iterator[ChoiceSource]:
    """The selection in a cached answer, for the same groups."""
    released, stored = cached_answer.event.composition, cached_answer.content
    if not released.choices or len(stored.choices) != len(released.choices):
        return
    if len(stored.sets) > 1:
        return
    places = {stored.keys[key].identity: key for key in stored.sets[0]}
    asked = [content.keys[key].identity for key in content.sets[0]]
    if not len(places) == len(stored.sets[0]) == len(asked) or set(asked) != set(places):
        return
    kept = tuple(places[name] for name in asked if stored.keys[places[name]].size is not None)
    first = len(released.sums)
    for held, event in zip(stored.choices, released.choices, strict=True):
        wishes, first_wish = choice.wishes, choice.wishes[0]
        if isinstance(event, RankRelease) and isinstance(first_wish, Quantile):
            wishes = tuple(replace(first_wish, q=q) for q in event.quantiles)
        if held.identity == identity and all(wish in wishes for wish in choice.wishes):
            chosen = ChosenBy(replace(choice, wishes=wishes), choice.charged(event))
            rows = range(first, first + held.rows)
            yield ChoiceSource(
                chosen, tuple(CellSource(cached_answer, row, stored.sets[0], kept, None) for row in rows)
            )
        first += held.rows


def chosen_no_worse(cached: ChosenBy, priced: ChosenBy, confidence: Fraction) -> bool:
    """Whether a cached selection is at least as accurate as a newly charged one."""
    return cached.mechanism.no_worse_than(priced.mechanism, priced.choice.width, confidence)
