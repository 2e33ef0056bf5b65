"""How far one unit moves exact integers, against what was paid for it; and whether an engine means what a question means.

Integers  With the same coins on both neighbours the noise is the same, so what was released differs exactly as the integers
          before the noise do: they are seen without being opened. For integers that differ by d_i in cell i, Laplace noise of
          scale b_i has a privacy loss of at most the sum of |d_i| / b_i, K-norm noise one of epsilon times the norm of d,
          Gaussian noise a rho of at most the sum of d_i² / (2 s_i²), and epsilon is a rho of epsilon²/2; this must not exceed
          what the ledger debited any scope that pays for the unit. A proof for this pair, and no sample.
Engine    The same question through the same door, with the same coins, over the reference engine: the same bytes.
Price     A question has the same event on both neighbours: what it costs follows from no row.

The first pair is asked through the whole path, from SQL to receipt; the same program is then put to the engines and the door of
all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import AskedAnswer, ask, due, engine_of, noisy_parts, program_at, release
from lapcat.audit.deployment.check import COMPARED, PROVED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated, copied
from lapcat.audit.deployment.fixtures import Family, Neighbours, World, neighbours_of
from lapcat.audit.deployment.questions import ExampleQuestion, choices_of, private_of, sums_of
from lapcat.core.answers import NoisyResult, packed
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.knorm import KNorm, KNormLaw
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.engines.sources import parse_source

WIDEST = 1000
"""Candidates of a choice that is asked of every world; wider ones have the same mechanism, and take too long."""

FEW = ("an ordinary unit", "not a number", "many rows, all high")
"""What the unit is where a statement takes most of a second whatever it reads, as on Spark; and one question of each kind."""


def integers(family: Family, folder: Path, at_random: int) -> Iterator[Check]:
    """Every question of every pair of neighbours."""
    copies: dict[int, Copy] = {}

    def copy_of(rows: World) -> Copy:
        if id(rows) not in copies:
            copies[id(rows)] = copied(family, rows, folder / f"{len(copies)}")
        return copies[id(rows)]

    pairs, questions = neighbours_of(family), list(_questions(family, at_random))
    if parse_source(family.tables[0].source, folder).kind == "spark":
        pairs = [pair for pair in pairs if pair.what.startswith(FEW)]
        questions = list({asked.aggregate: asked for asked in questions}.values())
    try:
        for pair in pairs:
            copy_of(pair.here), copy_of(pair.there)
        whole = {id(pairs[0].here), id(pairs[0].there)}
        for number, asked in enumerate(questions):
            yield from _asked(asked, number, copies, whole, pairs)
    finally:
        for copy in copies.values():
            copy.remove()


def _questions(family: Family, at_random: int) -> Iterator[ExampleQuestion]:
    yield from sums_of(family, at_random)
    for table in family.tables:
        yield from choices_of(table)
        yield from (asked for _, asked in private_of(table))


def _asked(
    asked: ExampleQuestion, number: int, copies: Mapping[int, Copy], whole: set[int], pairs: list[Neighbours]
) -> Iterator[Check]:
    price = 1 + Fraction(number, 8)  # ever more, so that no answer follows from an earlier one
    seed = f"{number}"
    first = copies[id(pairs[0].here)]
    program = program_at(first, asked.text, price)
    if program is None or any(chosen.choice.width > WIDEST for chosen in program.chosen):
        return
    through = {key: ask(copies[key], asked.text, price, seed) for key in whole}
    said = through[id(pairs[0].here)]
    if said is None:
        return
    other = through[id(pairs[0].there)]
    same = other is not None and other.program.event == said.program.event
    noise, engine = noise_of(said.program), first.engine
    yield Check(
        "price",
        asked.aggregate,
        noise,
        engine,
        COMPARED,
        asked.text,
        "" if same else "a question has another price where somebody else is",
    )
    public = any(isinstance(mechanism, Constant) for mechanism in said.program.mechanisms)
    released: dict[int, NoisyResult] = {}
    for key, copy in copies.items():
        answer = through.get(key)
        released[key] = (
            answer.released
            if answer is not None
            else release(said.program, engine_of(copy, said.program), Repeated(seed))
        )
        expected = release(said.program, copy.reference(), Repeated(seed))
        yield Check(
            "engine",
            asked.aggregate,
            noise,
            engine,
            COMPARED,
            asked.text,
            (not_public(asked, price, copy) if public else "")
            if alike(released[key], expected)
            else "the engine's integers are not those that the question means (engines/reference.py)",
        )
    if said.program.chosen or said.program.threshold is not None:
        return  # what is chosen is checked by its law, and not by how far anything moves
    for pair in pairs:
        scopes = due(first, said.program, pair.block)
        paid = Fraction(0) if scopes is None else min(said.booked.get(scope, Fraction(0)) for scope in scopes)
        yield Check(
            "integers",
            asked.aggregate,
            noise,
            engine,
            PROVED,
            asked.text,
            too_far(said, released[id(pair.here)], released[id(pair.there)], paid, pair.what),
        )


def alike(one: NoisyResult, other: NoisyResult) -> bool:
    """Whether the same was released."""
    return packed(one) == packed(other)


def not_public(asked: ExampleQuestion, price: Fraction, copy: Copy) -> str:
    """Which number is called public, and is another one in these rows; empty where none is."""
    program = program_at(copy, asked.text, price)  # by the numbers of units that are declared for these rows
    if program is None:
        return ""
    cells, *_ = copy.reference().figures(program.executed_plan)
    for mechanism, true in zip(program.mechanisms, cells, strict=False):
        if isinstance(mechanism, Constant) and (true != mechanism.value).any():
            return f"{mechanism.value} is called public, and these rows have another number"
    return ""


def too_far(said: AskedAnswer, first: NoisyResult, second: NoisyResult, paid: Fraction, what: str) -> str:
    """Why the price does not cover what one unit did; empty where it does."""
    pure = rho = Fraction(0)
    here, there = (noisy_parts(said.program, released) for released in (first, second))
    for (noise, mine), (_, theirs) in zip(here, there, strict=True):
        moved = [int(d) for d in mine.astype(object) - theirs.astype(object)]
        distance = sum(map(abs, moved))
        match noise:
            case Laplace(scale):
                pure += distance / scale
            case Gaussian(sigma_squared):
                rho += Fraction(sum(d**2 for d in moved)) / (2 * sigma_squared)
            case KNorm():
                within = in_norm(noise, moved)
                if within is None:
                    return f"{what}: numbers moved in a direction in which there is no noise"
                pure += within
            case Constant() if distance:
                return f"{what}: a number that is called public moved by {distance}"
    loss = rho + pure**2 / 2 if said.in_rho else pure
    if loss > paid or (rho and not said.in_rho):
        kind = "rho" if said.in_rho else "epsilon"
        return f"{what}: a loss of {float(loss):.6g} {kind} for a price of {float(paid):.6g}"
    return ""


def in_norm(noise: KNorm, moved: list[int]) -> Fraction | None:
    """The loss of K-norm noise between answers that differ by this: epsilon times its norm, rounded up; None where the noise
    never leads from one to the other."""
    if noise.lattice is not None:
        try:
            steps = noise.lattice.coordinates(moved)
        except ValueError:
            return None
        if any(step.denominator != 1 for step in steps):
            return None
    nothing = (0,) * len(moved)
    return KNormLaw(noise, nothing).log_ratio(KNormLaw(noise, tuple(moved)), nothing)
