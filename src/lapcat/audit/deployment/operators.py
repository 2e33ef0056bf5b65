"""Whether an engine means what lapcat thinks that it means, and gets no question where it is known to differ.

The suite of `lapcat check --engine` is put to the engine; an operator that differs must be refused there. What was found by
another suite, or of another version, is not believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import in_rho, program_at, run_at, that_cost
from lapcat.audit.deployment.check import COMPARED, PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, neighbours_of
from lapcat.audit.deployment.questions import sums_of
from lapcat.engines.backends import backend_of
from lapcat.engines.conformance import suite_mark
from lapcat.engines.operators import operators as operators_of
from lapcat.engines.router import engine_of
from lapcat.engines.sources import parse_source
from lapcat.errors import Error
from lapcat.session.engine_checks import verdict_in

ANOTHER = "0.0.0"
"""A version that nobody has tested."""
PRICE = Fraction(1)


def operators(family: Family, folder: Path) -> Iterator[Check]:
    """Of the engine of a family's tables: nothing is read but what stands in the statements."""
    copy = copied(family, neighbours_of(family)[0].here, folder)
    try:
        source = parse_source(family.tables[0].source, folder)
        name = engine_of(source)
        believed = verdict_in(folder)(name)
        for found in backend_of(source).probe(source, lambda fraction: None):
            silent = found.result != "same" and believed is not None and found.operator not in believed
            problem = "the engine means something else, and is asked all the same" if silent else ""
            yield Check("operators", "any", "–", name, COMPARED, found.operator, problem)
        for what, wrong in _refusals(copy, name, folder):
            yield Check("operators", "any", "–", name, PROVED, what, wrong)
    finally:
        copy.remove()


def _refusals(copy: Copy, name: str, folder: Path) -> Iterator[tuple[str, str]]:
    kind = name.partition(" ")[0]
    known = verdict_in(folder)(f"{kind} {ANOTHER}") is not None
    yield "a version that nobody has tested", "it would be asked" if known else ""
    kept = folder / "lapcat.cache" / "engines.json"
    kept.parent.mkdir(mode=0o700, exist_ok=True)
    for text in that_cost(copy, sums_of(copy.family, 0), PRICE, 1):  # a public answer needs no engine
        program = program_at(copy, text, PRICE)
        assert program is not None
        unlike = sorted({used for plan in program.executed_plans for used in operators_of(plan)})
        for what, suite, code in (
            ("an operator that was found to differ", suite_mark(), "engine-differs"),
            ("what another suite has found", f"not {suite_mark()}", "engine-unchecked"),
        ):
            kept.write_text(json.dumps({name: {"suite": suite, "unlike": unlike}}), encoding="utf-8")
            yield what, "" if _refused(copy, text) == code else "a question was answered all the same"
    kept.unlink(missing_ok=True)


def _refused(copy: Copy, text: str) -> str:
    """Why a question is refused; empty where it is answered."""
    try:
        run_at(copy.session(), text, PRICE, rho=in_rho(copy))
    except Error as refused:
        return refused.code
    return ""
