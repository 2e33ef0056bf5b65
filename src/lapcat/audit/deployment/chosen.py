"""Selections by ranks or counts: the sensitivity of the counts, and the probability of every outcome.

Counts    On fixture rows the reference engine shows the counts by place: no unit may change them by more than the sensitivity the
          price was calculated for. integers.py checks that engines give the same counts.
Chances   The distribution of a selection is known. For small tables of counts and all changes by one unit, the probability of
          every outcome is computed: the log ratio is at most the cost of the selection.
Draws     Selected places follow this distribution, and the counts around them have the noise that was charged for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import numpy as np

from lapcat.audit.deployment.asking import program_in_epsilon
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check
from lapcat.audit.deployment.copies import copied, reference_of
from lapcat.audit.deployment.fixtures import Family, Neighbours, neighbours_of
from lapcat.audit.deployment.integers import WIDEST
from lapcat.audit.deployment.laws import SURE, another_law
from lapcat.audit.deployment.questions import choices_of
from lapcat.core.answers import Integers
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms import ranks
from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.core.ranks import levels_of
from lapcat.engines.reference import ReferenceEngine
from lapcat.errors import Bug
from lapcat.mechanisms.binomial import success_bounds
from lapcat.plan.compile import ChosenBy
from lapcat.plan.schema import Relation

PLACES = 4
TABLES = 30
"""The number of small tables of counts for each selection, each with all changes by one unit."""
DRAWS = 1_000
ROUNDING = 1e-9
"""The tolerance for log probabilities, which are floats."""

Counts = tuple[int, ...]
Chances = dict[tuple[int, ...], float]


def choices(family: Family, folder: Path) -> Iterator[Check]:
    """Medians, several quantiles, extremes and modes of every table."""
    pairs = neighbours_of(family)
    copy = copied(family, pairs[0].here, folder)
    secret = copy.ledger.secret()
    worlds = {
        id(rows): reference_of(copy.family, rows, secret)
        for pair in pairs
        for rows in (pair.here, pair.there)
    }
    seen: set[tuple[str, Relation]] = set()
    try:
        for table in family.tables:
            for asked in choices_of(table):
                program = program_in_epsilon(copy, asked.text, Fraction(1))
                for chosen in () if program is None else program.chosen:
                    if chosen.choice.width > WIDEST:
                        continue
                    new = (asked.aggregate, table.relation) not in seen
                    seen.add((asked.aggregate, table.relation))
                    for how, problem in _problems(chosen, pairs, worlds, new=new):
                        yield Check(
                            "choice",
                            asked.aggregate,
                            type(chosen.mechanism).__name__,
                            copy.engine,
                            how,
                            asked.text,
                            problem,
                        )
    finally:
        copy.remove()


def _problems(
    chosen: ChosenBy, pairs: Sequence[Neighbours], worlds: Mapping[int, ReferenceEngine], *, new: bool
) -> Iterator[tuple[str, str]]:
    """The problems of a selection; checks its distribution only if it is `new`."""
    yield PROVED, _moves(chosen, pairs, worlds)
    if new:
        problem = _chances(chosen)
        yield PROVED, problem
        if not problem:  # else there is no distribution to compare draws with
            yield SAMPLED, _draws(chosen.mechanism)


class Outside(Exception):
    """A selection among places that earlier selections excluded."""


def _moves(chosen: ChosenBy, pairs: Sequence[Neighbours], worlds: Mapping[int, ReferenceEngine]) -> str:
    """The problem if a unit changes the counts by more than the claimed sensitivity; empty if none does."""
    counts = {key: engine.figures(chosen.choice.plan)[0].astype(object) for key, engine in worlds.items()}
    for pair in pairs:
        moved = int(abs(counts[id(pair.here)] - counts[id(pair.there)]).sum())
        if moved > chosen.choice.moved:
            return f"{pair.what}: counts by place change by {moved}; the claimed sensitivity is {float(chosen.choice.moved):.6g}"
    return ""


def _chances(chosen: ChosenBy) -> str:
    """The problem if a unit changes an outcome's probability by more than the cost allows; empty if none does, in small tables."""
    mechanism, moved = chosen.mechanism, int(chosen.choice.moved)
    cost = chosen.event.loss.epsilon
    windows = _windows(mechanism)
    if windows is not None:
        mechanism = windows
        cost -= chosen.choice.moved / windows.scale
    replaced = chosen.choice.facts.rows.relation is Relation.REPLACE_ONE
    dice = Random(1)
    for _ in range(TABLES):
        counts = _table(mechanism, moved, dice)
        for other in _changed(counts, moved, replaced):
            try:
                here, there = chances_of(mechanism, counts), chances_of(mechanism, other)
            except Outside:
                return "a quantile is selected outside the places left by earlier selections"
            loss, outcome = max((abs(here[key] - there[key]), key) for key in here)
            if loss > float(cost) + ROUNDING:
                return (
                    f"counts {list(counts)} against {list(other)}: the outcome {list(outcome)} has a privacy loss of "
                    f"{loss:.6g} for a cost of epsilon {float(cost):.6g}"
                )
    return ""


def _windows(mechanism: SelectionByCounts) -> Ranks | None:
    """A selection that counts the windows around it, with undivided places: these change the probability of ties, but not
    the cost."""
    return replace(mechanism, parts=1) if isinstance(mechanism, Ranks) else None


def _table(mechanism: SelectionByCounts, moved: int, dice: Random) -> Counts:
    """Counts at which a unit matters: a few times its sensitivity, or near the depth of an extreme."""
    step = max(1, moved // 2)
    depth = _depth(mechanism)
    if depth is not None and dice.random() < 0.7:
        step = max(1, depth // 2)
    return tuple(dice.choice((0, 0, 1, 2, 3)) * step + dice.choice((0, 0, moved)) for _ in range(PLACES))


def _depth(mechanism: SelectionByCounts) -> int | None:
    return mechanism.depth if isinstance(mechanism, ExtremeRank) else None


def _changed(counts: Counts, moved: int, replaced: bool) -> Iterator[Counts]:
    """The counts after a unit adds its maximum in one place or two, or moves half of it to another place."""
    half = moved // 2
    for first, second in product(range(PLACES), repeat=2):
        steps = [0] * PLACES
        if replaced and first != second and half:
            steps[first], steps[second] = -half, half
        elif not replaced:
            steps[first] += moved - half
            steps[second] += half
        else:
            continue
        changed = tuple(a + b for a, b in zip(counts, steps, strict=True))
        if min(changed) >= 0:
            yield changed


def chances_of(mechanism: SelectionByCounts, counts: Counts) -> Chances:
    """The log probability of every outcome, given the counts by place.

    The weights are those of the exponential mechanism, with the scores that the mechanism itself computes.
    """
    match mechanism:
        case Ranks():
            return _picks(mechanism, counts)
        case ExtremeRank(highest, rate, depth):
            ordered = counts[::-1] if highest else counts
            scores = ranks.extreme_scores(np.array(ordered, np.int64), depth)
            last = len(counts) - 1
            shares = _shares(scores, float(rate))
            return {(last - i if highest else i,): share for i, share in enumerate(shares)}
        case Commonest(rate, picks):
            chances: Chances = {(): 0.0}
            for _ in range(picks):
                after: Chances = {}
                for before, chance in chances.items():
                    rest = [i for i in range(len(counts)) if i not in before]
                    shares = _shares(np.array([counts[i] for i in rest], np.int64), float(rate))
                    after |= {(*before, i): chance + share for i, share in zip(rest, shares, strict=True)}
                chances = after
            return chances
    raise Bug("choice-missing", f"the law of {type(mechanism).__name__} is not known to the audit")


def _picks(mechanism: Ranks, counts: Counts) -> Chances:
    """The tree of quantiles, level by level, each among the places left by earlier selections."""
    below = np.concatenate([[0], np.cumsum(np.array(counts, np.int64))])
    chances: Chances = {(-1,) * len(mechanism.quantiles): 0.0}
    for level, rates in zip(levels_of(mechanism.quantiles), mechanism.rates, strict=True):
        for branch, rate in zip(level, rates, strict=True):
            after: Chances = {}
            known: dict[tuple[int, int], list[float]] = {}
            for picks, chance in chances.items():
                first = -1 if branch.left is None else picks[branch.left]
                last = len(counts) if branch.right is None else picks[branch.right]
                if (first, last) not in known:
                    scores, unit = ranks.quantile_scores(branch.target, below, first, last, rate)
                    known[first, last] = _shares(scores, float(rate / unit))
                if len(known[first, last]) != min(last, len(counts) - 1) - max(first, 0) + 1:
                    raise Outside
                for place, share in enumerate(known[first, last], max(first, 0)):
                    after[(*picks[: branch.index], place, *picks[branch.index + 1 :])] = chance + share
            chances = after
    return chances


def _shares(scores: Integers, rate: float) -> list[float]:
    weights = rate * (scores - scores.max()).astype(np.float64)
    logs: list[float] = (weights - math.log(float(np.exp(weights).sum()))).tolist()
    return logs


def _draws(mechanism: SelectionByCounts) -> str:
    """The problem if draws do not follow this distribution; empty if they are compatible with it."""
    windows = _windows(mechanism)
    if windows is not None:
        mechanism = windows
        around = windows.draw(np.zeros((DRAWS // 4, PLACES), np.int64), system_coins())
        problem = another_law(Laplace(windows.scale), around[len(windows.quantiles) :].ravel())
        if problem:
            return f"around a quantile: {problem}"
    step = _depth(mechanism) or int(2 / mechanism.slowest) + 1
    counts = (step, 0, 2 * step, step)
    law = chances_of(mechanism, counts)
    drawn = mechanism.draw(np.tile(np.array(counts, np.int64), (DRAWS, 1)), system_coins())
    times = Counter(map(tuple, drawn[: len(next(iter(law)))].T.tolist()))
    for outcome, chance in law.items():
        low, high = success_bounds(times[outcome], DRAWS, SURE)
        if not low <= math.exp(chance) <= high:
            return f"{list(outcome)} is selected {times[outcome]} times in {DRAWS}; expected: {DRAWS * math.exp(chance):.0f}"
    return ""
