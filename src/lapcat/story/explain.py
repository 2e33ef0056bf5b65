"""A question told in plain words, from the same plan and program that run."""

from __future__ import annotations

from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import scan_of


def explain_question(prepared: Prepared, program: Program | None = None) -> str:
    """What is measured, how far one unit can move it and why, and — at a price — with which noise."""
    scan = scan_of(prepared.plan)
    who = "one row" if scan.unit.is_row else f"one {scan.unit}"
    groups = prepared.plan.cells
    by = " by " + ", ".join(key.name for key in prepared.plan.keys) if prepared.plan.keys else ""
    lines = [f"It reads {scan.table} and measures{f' in each of {groups} groups{by}' if by else ''}:"]
    for index, (label, own) in enumerate(zip(prepared.labels, prepared.sensitivities, strict=True)):
        moves = (
            f"{who} can move it by at most {exact_text(own.l1)}"
            if own.l1
            else f"{who} cannot move it: it is public"
        )
        noise = ""
        if program is not None and isinstance(program.measurements[index].mechanism, Laplace):
            scale = float(program.measurements[index].mechanism.scale * label.step)  # type: ignore[union-attr]
            noise = f"; discrete Laplace noise of scale {scale:.6g}"
        lines.append(f"  {label.label}: {moves}{noise}")
    lines.append("because")
    seen: dict[str, None] = {}
    for reason in (
        *prepared.facts.rows.reasons,
        *(reason for fact in prepared.facts.statistics for reason in fact.reasons),
        *prepared.facts.reasons,
    ):
        seen[f"  {reason.text}" + (f"  [{reason.theorem}]" if reason.theorem else "")] = None
    lines += seen
    if prepared.asked.notes:
        lines.append("and")
        lines += [f"  {note}" for note in prepared.asked.notes]
    if program is not None:
        lines.append(f"It costs epsilon {exact_text(program.loss.epsilon)}.")
    return "\n".join(lines)
