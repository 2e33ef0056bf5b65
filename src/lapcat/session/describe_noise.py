"""Describes a program in words: the noise of each statistic, the selections, and the notes beside the answer."""

from __future__ import annotations

from collections.abc import Mapping

from lapcat.core.exact import exact_text
from lapcat.frontend.catalogue import LARGE_EPSILON, odds_in_words
from lapcat.ledger.base import amounts_of
from lapcat.plan.aggregates import Estimates
from lapcat.plan.choices import End
from lapcat.plan.compile import ChosenBy, Prepared, Program
from lapcat.plan.coverage import limits_noted, uncovered
from lapcat.plan.notes import Note, Weight
from lapcat.plan.simultaneous import Simultaneous
from lapcat.workload.strategic import StrategySource, strategy_in


def noted(together: Simultaneous | None, prepared: Prepared, *, before: bool = False) -> tuple[str, ...]:
    """The notes beside the numbers. `before`: for a preview, per private group."""
    by_group = ", in each group" if before and prepared.plan.private_keys else ""
    simultaneous = () if together is None else (f"{together}{by_group}",)
    covered = () if before else (uncovered(prepared),)
    at_once = [r.text for r in prepared.facts.reasons if r.rule == "witness"] if before else []
    limited = limits_noted(prepared) if before else ()
    return (*simultaneous, *covered, *prepared.asked.notes, *limited, *at_once)


def statistics_in_words(program: Program) -> list[str]:
    strategy = strategy_in(program)
    if strategy is not None:
        return strategy_in_words(strategy)
    lines = threshold_in_words(program)
    for measurement, label in zip(program.measurements, program.prepared.labels, strict=True):
        noise = measurement.mechanism.in_words(label.step)
        lines.append(f"{label.label}: {noise or 'public, no noise'}")
    return [*lines, *(f"{chosen.choice.label}: {choice_in_words(chosen)}" for chosen in program.chosen)]


def strategy_in_words(strategy: StrategySource) -> list[str]:
    """The measurements of a strategy, part by part."""
    candidate = strategy.inner.candidate
    step = strategy.workload_query.cells.labels[0].step
    descriptions = candidate.strategy.words([axis.name for axis in candidate.questions.axes])
    return [
        f"{words}: {noise.in_words(step)}"
        for words, (_, noise) in zip(descriptions, candidate.measured.parts, strict=True)
    ]


def choice_in_words(chosen: ChosenBy) -> str:
    """The mechanism of a selection, in words."""
    return chosen.mechanism.in_words(chosen.choice.width, chosen.choice.unit_weight)


def threshold_in_words(program: Program) -> list[str]:
    """The threshold of private groups, in words; empty if all groups are public."""
    shown = program.event.composition.threshold
    if shown is None:
        return []
    return [
        f"groups by {shown.label} are shown where the number of their units, with discrete Laplace noise of scale "
        f"{float(shown.scale):.6g}, reaches {shown.tau}"
    ]


def extremes_in_words(program: Program) -> tuple[str, ...]:
    return tuple(
        f"{chosen.choice.label} is {choice_in_words(chosen)}: no private answer can be the true extreme"
        for chosen in program.chosen
        if isinstance(chosen.choice.wishes[0], End)
    )


def notes_of_numbers(estimates: Mapping[str, Estimates]) -> list[str]:
    """Notes that depend on the released numbers."""
    return [f"{name}: {note}" for name, estimate in estimates.items() for note in estimate.notes]


def warnings_of(program: Program) -> tuple[str, ...]:
    epsilon = amounts_of(program.event)[0]
    if epsilon <= LARGE_EPSILON:
        return ()
    odds = f"epsilon {exact_text(epsilon)}: {odds_in_words(epsilon)}, which protects nobody"
    return (Note(odds, Weight.SEVERE),)
