"""A plain-language description of a question, from the plan and program that are executed."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import Plan, Public, scan_of, scans_of
from lapcat.plan.words import many_groups
from lapcat.session.describe_noise import (
    choice_in_words,
    strategy_in_words,
    threshold_in_words,
)
from lapcat.session.results import cost_text
from lapcat.workload.strategic import strategy_in

CONFIDENCE = Fraction(95, 100)


def explain_question(prepared: Prepared, program: Program | None = None) -> str:
    """What is measured, its sensitivity and the reasons for it, and, if there is a program, the noise."""
    scan, strategy = scan_of(prepared.plan), strategy_in(program)
    who = "one row" if scan.unit.is_row else f"one {scan.unit}"
    lines = [f"It reads {_tables(prepared.plan)} and measures{_groups(prepared.plan)}:"]
    lines += [f"  {sentence}" for sentence in (threshold_in_words(program) if program is not None else ())]
    for index, (label, own) in enumerate(zip(prepared.labels, prepared.sensitivities, strict=True)):
        change = (
            f"{who} can change it by at most {exact_text(own.l1)}"
            if own.l1
            else f"{who} cannot change it: it is public"
        )
        noise = ""
        if program is not None and strategy is None:
            noise = program.measurements[index].mechanism.in_words(label.step)
        lines.append(f"  {label.label}: {change}{noise and '; '}{noise}")
    for index, choice in enumerate(prepared.choices):
        how = "" if program is None else f"; {choice_in_words(program.chosen[index])}"
        lines.append(
            f"  {choice.label}: {who} can change its score by at most {exact_text(choice.score_moved)}{how}"
        )
    lines += [f"  {sentence}" for sentence in _guarantees(prepared, program)]
    if strategy is not None:
        lines.append(f"All answers are computed from the measurements of strategy {strategy.name}:")
        lines += [f"  {sentence}" for sentence in strategy_in_words(strategy)]
    lines.append("because")
    seen: dict[str, None] = {}
    for reason in (
        *prepared.facts.rows.reasons,
        *(reason for fact in prepared.facts.statistics for reason in fact.reasons),
        *prepared.facts.reasons,
        *(reason for choice in prepared.choices for reason in choice.reasons),
    ):
        seen[f"  {reason.text}" + (f"  [{reason.theorem}]" if reason.theorem else "")] = None
    lines += seen
    if prepared.asked.notes:
        lines.append("and")
        lines += [f"  {note}" for note in prepared.asked.notes]
    if program is not None:
        lines.append(f"It costs {cost_text(program.loss)}.")
    return "\n".join(lines)


def _guarantees(prepared: Prepared, program: Program | None) -> list[str]:
    """The accuracy guarantee of each selected value at this price, valid for every table."""
    if program is None or not prepared.choices:
        return []
    foreseen = zip(prepared.values, program.foresee(CONFIDENCE), strict=True)
    guarantees = [(column.name, error.guarantee) for column, error in foreseen if error.guarantee is not None]
    return [
        f"{name}, with {float(CONFIDENCE) * 100:.4g} % probability: {guarantee.words}"
        for name, guarantee in guarantees
    ]


def _tables(plan: Plan) -> str:
    """`items, orders and products (public)`: each table once, in the order it is read."""
    read = dict.fromkeys(
        f"{scan.table} (public)" if isinstance(scan, Public) else scan.table for scan in scans_of(plan)
    )
    *first, last = read
    return f"{', '.join(first)} and {last}" if first else last


def _groups(plan: Plan) -> str:
    """The groups of the plan: declared ones, and private ones that pass the threshold."""
    private = ", ".join(key.name for key in plan.private_keys)
    declared = ", ".join(key.name for key in plan.keys if not key.is_private)
    if not declared:
        return f" in each group by {private} that is shown" if private else ""
    within = f", for each {private} that is shown" if private else ""
    return f" in {'' if plan.cells == 1 else 'each of '}{many_groups(plan.cells)} by {declared}{within}"
