"""What is checked of a deployment, each by a theorem: integers, laws, choices, thresholds and books.

Integers  With the same coins on both neighbours the noise is the same, so what was released differs exactly as the integers
          before the noise do: they are seen without being opened. For integers that differ by d_i in cell i, Laplace noise of
          scale b_i has a privacy loss of at most the sum of |d_i| / b_i, Gaussian noise a rho of at most the sum of
          d_i² / (2 s_i²), and epsilon is a rho of epsilon²/2; this must not exceed what the ledger was debited. A proof for this pair, and no sample.
Engine    The same question through the same door, with the same coins, over the reference engine: the same bytes.
Law       Draws through the door, over the zeros of a table without rows, fall into cells of the claimed law as often as it says
          (Clopper & Pearson at a level that fails once in a million audits).
Choices   What is chosen, and which private groups are shown, is bet on (lapcat.audit) with and without one unit.
Books     A question beyond the cap is refused, a failure gives nothing back, and the chain of the ledger verifies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from lapcat.audit.auditing import audit
from lapcat.audit.deployment.asking import (
    Said,
    Seen,
    ask,
    engine_of,
    noisy_parts,
    program_at,
    program_in_epsilon,
    release,
)
from lapcat.audit.deployment.copies import Copy, Repeated, copied
from lapcat.audit.deployment.made import Neighbours, lone_keys, neighbours_of
from lapcat.audit.deployment.questions import Asked, choices_of, private_of, sums_of
from lapcat.core.coins import system_coins
from lapcat.core.door import Private
from lapcat.core.mechanisms.binomial import success_bounds
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.errors import BadQuery, BudgetExceeded, Bug, EngineFailed, Refused
from lapcat.plan.compile import Program
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Limit, Relation, Table
from lapcat.workload.strategic import Strategic

PROVED, SAMPLED, COMPARED = "proved", "sampled", "compared"
DELTA = Fraction(1, 20)
"""Of private groups in an audit: large, so that a threshold that is too low is seen."""
DRAWS = 50_000
SAMPLES = 2_500
SURE = 1e-9
"""The level of one comparison of draws with their law; there are some hundreds in an audit."""
PRICED = (Laplace, Gaussian, Constant)
LEVEL = "1e-7"
"""The level of one bet on choices or groups; there are a dozen in an audit."""
WIDEST = 1000
"""Candidates of a choice that is drawn thousands of times; wider ones have the same mechanism, and take too long."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked."""

    kind: str
    """integers, engine, law, choice, threshold, books."""
    aggregate: str
    mechanism: str
    engine: str
    how: str
    """proved, sampled or compared."""
    text: str
    """The question, or what was done."""
    problem: str = ""
    """What is wrong; empty where nothing is."""


def checks_of(table: Table, folder: Path, at_random: int) -> Iterator[Check]:
    """Everything that is checked of a table, as it is found."""
    parts = {
        "books": _books(table, folder),
        "law": _laws(table, folder),
        "integers": _integers(table, folder, at_random),
        "threshold": _thresholds(table, folder),
        "choice": _choices(table, folder),
    }
    for kind, part in parts.items():
        try:
            yield from part
        except (Bug, EngineFailed) as error:  # a question may be refused; lapcat may not contradict itself
            yield Check(
                kind, "any", "–", "–", PROVED, "a question of the audit", f"[{error.code}] {error.message}"
            )


# ------------------------------------------------------------------------------------------------ integers and engines


def _integers(table: Table, folder: Path, at_random: int) -> Iterator[Check]:
    questions = sums_of(table, at_random)
    copies: dict[int, Copy] = {}

    def copy_of(rows: list[dict[str, object]]) -> Copy:
        if id(rows) not in copies:
            copies[id(rows)] = copied(table, rows, folder / f"{table.name}-{len(copies)}")
        return copies[id(rows)]

    pairs = [(pair, copy_of(pair.here), copy_of(pair.there)) for pair in neighbours_of(table)]
    for number, asked in enumerate(questions):
        price = 1 + Fraction(number, 8)  # ever more, so that no answer follows from an earlier one
        seed = f"{number}"
        said = {key: ask(copy, asked.text, price, seed) for key, copy in copies.items()}
        for pair, here, _ in pairs:
            first, second = said[id(pair.here)], said[id(pair.there)]
            if first is None or second is None or not _is_summed(first):
                continue
            yield Check(
                "integers",
                asked.aggregate,
                _noise_of(first.program),
                here.deployment.engine_name,
                PROVED,
                asked.text,
                _moved_too_far(first, second, pair),
            )
        for key, copy in copies.items():
            one = said[key]
            if one is not None:
                yield _as_the_reference(asked, copy, one, seed)


def _is_summed(said: Said) -> bool:
    """Whether each noise is one whose price is a sum over coordinates; that of K-norm noise is not."""
    return all(isinstance(noise, PRICED) for noise, _ in noisy_parts(said.program, said.released))


def _moved_too_far(first: Said, second: Said, pair: Neighbours) -> str:
    """Why the price does not cover what one unit did; empty where it does."""
    pure = rho = Fraction(0)
    here, there = (noisy_parts(said.program, said.released) for said in (first, second))
    for (noise, mine), (_, theirs) in zip(here, there, strict=True):
        moved = mine.astype(object) - theirs.astype(object)
        distance = sum(abs(int(d)) for d in moved)
        match noise:
            case Laplace(scale):
                pure += distance / scale
            case Gaussian(sigma_squared):
                rho += Fraction(sum(int(d) ** 2 for d in moved)) / (2 * sigma_squared)
            case Constant() if distance:
                return f"{pair.what}: a number that is called public moved by {distance}"
    loss = rho + pure**2 / 2 if first.in_rho else pure
    if loss > first.charged or (rho and not first.in_rho):
        kind = "rho" if first.in_rho else "epsilon"
        return f"{pair.what}: a loss of {float(loss):.6g} {kind} for a price of {float(first.charged):.6g}"
    return ""


def _as_the_reference(asked: Asked, copy: Copy, said: Said, seed: str) -> Check:
    expected = release(said.program, copy.reference(), Repeated(seed))
    same = np.array_equal(expected.cells, said.released.cells)
    return Check(
        "engine",
        asked.aggregate,
        _noise_of(said.program),
        copy.deployment.engine_name,
        COMPARED,
        asked.text,
        "" if same else "the engine's integers are not those that the question means (engines/reference.py)",
    )


# ------------------------------------------------------------------------------------------------ laws


def _laws(table: Table, folder: Path) -> Iterator[Check]:
    """The noise of sums where nobody is: there what is released is the noise."""
    empty = copied(
        replace(table, relation=Relation.ADD_REMOVE, units=None), [], folder / f"{table.name}-empty"
    )
    seen: set[tuple[str, Fraction]] = set()
    for asked in sums_of(table, 0):
        program = program_at(empty, asked.text, Fraction(1))
        if program is None:
            continue
        new = {(_noise_of(program), _spread(m.mechanism)) for m in program.measurements} - seen
        if not new:
            continue
        seen |= new
        drawn = release(program, _Nobody(), system_coins()).cells
        for measurement, noise in zip(program.measurements, drawn, strict=False):
            yield Check(
                "law",
                asked.aggregate,
                type(measurement.mechanism).__name__,
                empty.deployment.engine_name,
                SAMPLED,
                asked.text,
                _another_law(measurement.mechanism, noise),
            )


class _Nobody:
    """What every engine sees of a table without rows: zeros; here in many groups, for many draws at once."""

    def look(self, plan: Group) -> Private:
        return Private(np.zeros((len(plan.statistics), DRAWS), np.int64))


def _another_law(mechanism: object, noise: np.ndarray) -> str:
    """Why these are no draws of the claimed law; empty where they may well be."""
    if isinstance(mechanism, Constant):
        return "a number that is called public has noise" if noise.any() else ""
    law = mechanism.law()  # type: ignore[attr-defined]
    cuts = sorted({law.quantile(Fraction(i, 16)) for i in range(1, 16)})
    events = [(f"is at most {cut}", int((noise <= cut).sum()), law.cdf(cut)) for cut in cuts]
    events.append(("is zero", int((noise == 0).sum()), law.pmf(0)))
    for what, times, claimed in events:
        low, high = success_bounds(times, len(noise), SURE)
        if not low <= claimed <= high:
            return f"the noise {what} in {100 * times / len(noise):.2f} % of the draws, its law says {100 * claimed:.2f} %"
    return ""


# ------------------------------------------------------------------------------------------------ choices and thresholds


def _choices(table: Table, folder: Path) -> Iterator[Check]:
    """Medians, extremes, modes: chosen with and without a unit at the end of its bounds, by bets."""
    wanted = "at the upper bounds" if table.unit.is_row or table.rows_per_unit == 1 else "many rows, all high"
    pairs = [pair for pair in neighbours_of(table) if pair.what.startswith(wanted)]
    for at, pair in enumerate(pairs[:1]):
        copies = [
            copied(table, rows, folder / f"{table.name}-choice-{at}-{side}")
            for side, rows in enumerate((pair.here, pair.there))
        ]
        for asked in choices_of(table):
            programs = [program_in_epsilon(copy, asked.text, Fraction(1)) for copy in copies]
            if programs[0] is None or programs[1] is None:
                continue
            if any(chosen.choice.width > WIDEST for chosen in programs[0].chosen):
                continue
            engines = [Seen(engine_of(copy, program)) for copy, program in zip(copies, programs, strict=True)]  # type: ignore[arg-type]
            found = audit(
                lambda side, size, p=programs, e=engines: [
                    release(p[side], e[side], system_coins()).cells.ravel() for _ in range(size)
                ],
                0,
                1,
                1,
                samples=SAMPLES,
                level=LEVEL,
            )
            yield Check(
                "choice",
                asked.aggregate,
                ", ".join(sorted({type(c.mechanism).__name__ for c in programs[0].chosen})) or "–",
                copies[0].deployment.engine_name,
                SAMPLED,
                asked.text,
                f"{pair.what}: {found.witness.sentence(found.claim)}" if found.violated else "",
            )


def _thresholds(table: Table, folder: Path) -> Iterator[Check]:
    """A group that one unit alone is in is shown with probability at most delta."""
    for at, (column, asked) in enumerate(private_of(table)):
        keys = table.groups_per_unit or table.rows_per_unit
        pair = lone_keys(table, column, max(2, keys * 4))
        copies = [
            copied(table, rows, folder / f"{table.name}-keys-{at}-{side}")
            for side, rows in enumerate((pair.here, pair.there))
        ]
        programs = [program_in_epsilon(copy, asked.text, Fraction(1), DELTA) for copy in copies]
        if programs[0] is None or programs[1] is None:
            continue
        engines = [Seen(engine_of(copy, program)) for copy, program in zip(copies, programs, strict=True)]  # type: ignore[arg-type]

        def shown(side: int, p: list[Program | None] = programs, e: list[Seen] = engines) -> str:
            released = release(p[side], e[side], system_coins())  # type: ignore[arg-type]
            return " ".join(sorted(str(group[0]) for group in released.keys or ()))

        found = audit(shown, 0, 1, 1, DELTA, samples=SAMPLES, level=LEVEL)
        yield Check(
            "threshold",
            asked.aggregate,
            "Threshold",
            copies[0].deployment.engine_name,
            SAMPLED,
            asked.text,
            f"{pair.what}: {found.witness.sentence(found.claim)}" if found.violated else "",
        )


# ------------------------------------------------------------------------------------------------ books


class _Failing:
    """An engine that fails after the debit."""

    def ready(self, plan: Group) -> None: ...

    def look(self, plan: Group) -> Private:
        raise RuntimeError("an engine that fails, for an audit")


def _books(table: Table, folder: Path) -> Iterator[Check]:
    rho = table.limit.rho is not None
    cap = Limit(rho=Fraction(1)) if rho else Limit(epsilon=Fraction(1))
    copy = copied(table, neighbours_of(table)[0].here, folder / f"{table.name}-books", limit=cap)
    kind = "rho" if rho else "epsilon"
    questions = [
        asked.text
        for asked in sums_of(table, 0)
        if (program := program_at(copy, asked.text, Fraction(1, 4))) is not None
        and any(not isinstance(m.mechanism, Constant) for m in program.measurements)
    ]  # under replace-one some answers are public, and cost nothing
    if not questions:
        return

    def spent() -> Fraction:
        scopes = [charge.scope for charge in copy.deployment.charges([copy.table], None)]
        return max(getattr(copy.ledger.spent(scope), kind) or Fraction(0) for scope in scopes)

    def check(text: str, problem: str) -> Check:
        return Check("books", "any", "–", copy.deployment.engine_name, PROVED, text, problem)

    deployment = copy.deployment
    deployment.engine = lambda scans: _Failing()  # type: ignore[method-assign, assignment, misc]
    try:
        copy.session().sql(questions[0]).run(**{kind: Fraction(1, 4)})  # type: ignore[arg-type]
        problem = "there was an answer all the same"
    except EngineFailed:
        problem = (
            ""
            if spent() == Fraction(1, 4)
            else f"{float(spent()):.6g} is booked for a failed question of 0.25"
        )
    finally:
        del deployment.engine
    yield check("an engine that fails: the charge stands", problem)
    answered = Fraction(1, 4)
    for text in questions[1:] * 2:
        try:
            answer = copy.session().sql(text).run(**{kind: Fraction(1, 5)})  # type: ignore[arg-type]
            answered += Fraction(0) if answer.free else Fraction(1, 5)
        except BudgetExceeded:
            break
        except (BadQuery, Refused):
            continue
    over = answered > 1 or spent() > 1
    yield check(
        "questions until the cap", f"{float(answered):.6g} was answered under a cap of 1" if over else ""
    )
    copy.ledger.verify()
    yield check("the chain of the ledger", "")


def _noise_of(program: Program) -> str:
    if isinstance(program, Strategic):
        return f"strategy {program.name}"
    return ", ".join(sorted({type(m.mechanism).__name__ for m in program.measurements})) or "–"


def _spread(mechanism: object) -> Fraction:
    return getattr(mechanism, "scale", None) or getattr(mechanism, "sigma_squared", None) or Fraction(0)
