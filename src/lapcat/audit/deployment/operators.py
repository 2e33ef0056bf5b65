"""Engine conformance: an engine computes what lapcat expects, and operators that differ are refused.

Runs the suite of `lapcat check --engine`; an operator that differs must be refused. Findings of another suite, or for another
version, must not be trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import charged_texts, in_rho, program_at, run_at
from lapcat.audit.deployment.check import COMPARED, PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.conformance import suite_mark
from lapcat.engines.operators import operators as operators_of
from lapcat.engines.router import engine_of
from lapcat.errors import Error
from lapcat.session.engine_checks import verdict_in

ANOTHER = "0.0.0"
"""A version that nobody has tested."""
PRICE = Fraction(1)


def operators(family: Family, folder: Path) -> Iterator[Check]:
    """Checks the engine of a family's tables; the statements contain all their data."""
    copy = copied(family, neighbours_of(family)[0].here, folder)
    try:
        source = parse_source(family.tables[0].source, folder)
        name = engine_of(source)
        differing = verdict_in(folder)(name)
        for probe in backend_of(source).probe(source, lambda fraction: None):
            silent = probe.result != "same" and differing is not None and probe.operator not in differing
            problem = "the engine differs, and is used all the same" if silent else ""
            yield Check("operators", "any", "–", name, COMPARED, probe.operator, problem)
        for what, wrong in _refusals(copy, name, folder):
            yield Check("operators", "any", "–", name, PROVED, what, wrong)
    finally:
        copy.remove()


def _refusals(copy: Copy, name: str, folder: Path) -> Iterator[tuple[str, str]]:
    kind = name.partition(" ")[0]
    known = verdict_in(folder)(f"{kind} {ANOTHER}") is not None
    yield "a version that nobody has tested", "it would be used" if known else ""
    kept = folder / "lapcat.cache" / "engines.json"
    kept.parent.mkdir(mode=0o700, exist_ok=True)
    for text in charged_texts(copy, sums_of(copy.family, 0), PRICE, 1):  # a public answer needs no engine
        program = program_at(copy, text, PRICE)
        assert program is not None
        unlike = sorted({used for plan in program.executed_plans for used in operators_of(plan)})
        for what, suite, code in (
            ("an operator that differs", suite_mark(), "engine-differs"),
            ("a finding of another suite", f"not {suite_mark()}", "engine-unchecked"),
        ):
            kept.write_text(json.dumps({name: {"suite": suite, "unlike": unlike}}), encoding="utf-8")
            yield what, "" if _refused(copy, text) == code else "a question was answered nevertheless"
    kept.unlink(missing_ok=True)


def _refused(copy: Copy, text: str) -> str:
    """The error code if a question is refused; empty if it is answered."""
    try:
        run_at(copy.session(), text, PRICE, rho=in_rho(copy))
    except Error as refused:
        return refused.code
    return ""
