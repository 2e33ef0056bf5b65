"""The sensitivity of released integers against the debit; and each engine against the reference engine.

Integers  With the same coins on both neighbouring tables the noise is the same, so the released integers differ exactly as the
          exact ones do, without opening them. For integers that differ by d_i in cell i, Laplace noise of scale b_i has a
          privacy loss of at most Σ |d_i| / b_i, K-norm noise one of epsilon times the norm of d, Gaussian noise a rho of at most
          Σ d_i² / (2 s_i²), and epsilon is a rho of epsilon²/2; this must not exceed the debit of any scope that is charged for
          the unit. A proof for this pair, not a sample.
Engine    The same question through the release gate, with the same coins, over the reference engine: the same bytes.
Price     A question has the same event on both neighbouring tables: its cost depends on no row.

The first pair takes the whole path, from SQL to receipt; the other pairs run the same program through their engines and the
release gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from lapcat.audit.deployment.asking import (
    AskedAnswer,
    ask,
    charged_scopes,
    engine_of,
    noisy_parts,
    program_at,
    release,
)
from lapcat.audit.deployment.check import COMPARED, PROVED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated, copied
from lapcat.audit.deployment.fixtures import Family, Neighbours, World, neighbours_of
from lapcat.audit.deployment.questions import ExampleQuestion, choices_of, private_of, sums_of
from lapcat.core.answers import NoisyResult, packed
from lapcat.core.loss import ZCDP, Loss, PureDP
from lapcat.core.mechanisms.base import StatisticMechanism
from lapcat.core.sensitivity import Sensitivity
from lapcat.engines.backends import backend_of, parse_source
from lapcat.mechanisms.integers.knorm import KNorm, KNormLaw

WIDEST = 1000
"""Selections with more candidates are skipped: they have the same mechanism, and take too long."""

FEW = ("an ordinary unit", "not a number", "many rows, all high")
"""On an engine that takes most of a second for each statement, only these units are tried, with one question per aggregate."""


def integers(family: Family, folder: Path, at_random: int) -> Iterator[Check]:
    """Every question on every pair of neighbouring tables."""
    copies: dict[int, Copy] = {}

    def copy_of(rows: World) -> Copy:
        if id(rows) not in copies:
            copies[id(rows)] = copied(family, rows, folder / f"{len(copies)}")
        return copies[id(rows)]

    pairs, questions = neighbours_of(family), list(_questions(family, at_random))
    if backend_of(parse_source(family.tables[0].source, folder)).is_slow:
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
    price = 1 + Fraction(number, 8)  # increasing, so that no answer follows from an earlier one
    seed = f"{number}"
    first = copies[id(pairs[0].here)]
    program = program_at(first, asked.text, price)
    if program is None or any(chosen.choice.width > WIDEST for chosen in program.chosen):
        return
    through = {key: ask(copies[key], asked.text, price, seed) for key in whole}
    answer = through[id(pairs[0].here)]
    if answer is None:
        return
    other = through[id(pairs[0].there)]
    same = other is not None and other.program.event == answer.program.event
    noise, engine = noise_of(answer.program), first.engine
    yield Check(
        "price",
        asked.aggregate,
        noise,
        engine,
        COMPARED,
        asked.text,
        "" if same else "the price differs between neighbouring tables",
    )
    public = any(value is not None for value in answer.program.publics)
    released: dict[int, NoisyResult] = {}
    for key, copy in copies.items():
        whole_path = through.get(key)
        released[key] = (
            whole_path.released
            if whole_path is not None
            else release(answer.program, engine_of(copy, answer.program), Repeated(seed))
        )
        expected = release(answer.program, copy.reference(), Repeated(seed))
        yield Check(
            "engine",
            asked.aggregate,
            noise,
            engine,
            COMPARED,
            asked.text,
            (not_public(asked, price, copy) if public else "")
            if alike(released[key], expected)
            else "the engine's integers differ from the reference engine's (engines/reference.py)",
        )
    if answer.program.chosen or answer.program.threshold is not None:
        return  # selections are checked by their distribution, not by sensitivity
    for pair in pairs:
        scopes = charged_scopes(first, answer.program, pair.block)
        debit = (
            Fraction(0) if scopes is None else min(answer.debits.get(scope, Fraction(0)) for scope in scopes)
        )
        yield Check(
            "integers",
            asked.aggregate,
            noise,
            engine,
            PROVED,
            asked.text,
            too_far(answer, released[id(pair.here)], released[id(pair.there)], debit, pair.what),
        )


def alike(left: NoisyResult, right: NoisyResult) -> bool:
    """Whether two releases are identical."""
    return packed(left) == packed(right)


def not_public(asked: ExampleQuestion, price: Fraction, copy: Copy) -> str:
    """The first number that is declared public but differs in these rows; empty if there is none."""
    program = program_at(copy, asked.text, price)  # with the unit counts declared for these rows
    if program is None:
        return ""
    cells, *_ = copy.reference().figures(program.executed_plan)
    for value, true in zip(program.publics, cells, strict=False):
        if value is not None and (true != value).any():
            return f"{value} is treated as public, but these rows have another number"
    return ""


def too_far(answer: AskedAnswer, first: NoisyResult, second: NoisyResult, debit: Fraction, what: str) -> str:
    """The problem if the debit does not cover the privacy loss of one unit; empty if it does."""
    pure = rho = Fraction(0)
    here, there = (noisy_parts(answer.program, released) for released in (first, second))
    for (noise, mine), (_, theirs) in zip(here, there, strict=True):
        moved = [int(d) for d in mine.astype(object) - theirs.astype(object)]
        if isinstance(noise, StatisticMechanism) and noise.public is not None and any(moved):
            return f"{what}: a number that is treated as public changed by {sum(map(abs, moved))}"
        own = loss_of(noise, moved)
        if own is None:
            return f"{what}: numbers change in a direction without noise"
        if isinstance(own, ZCDP):
            rho += own.rho
        else:
            pure += own.epsilon
    loss = rho + pure**2 / 2 if answer.in_rho else pure
    if loss > debit or (rho and not answer.in_rho):
        kind = "rho" if answer.in_rho else "epsilon"
        return f"{what}: a privacy loss of {kind} {float(loss):.6g} for a debit of {float(debit):.6g}"
    return ""


def loss_of(noise: StatisticMechanism | KNorm, moved: Sequence[int]) -> Loss | None:
    """The privacy loss between answers that differ by this vector; None if the noise never connects them."""
    if isinstance(noise, StatisticMechanism):
        return noise.privacy(Sensitivity.of([Fraction(step) for step in moved]))
    within = in_norm(noise, list(moved))
    return None if within is None else PureDP(within)


def in_norm(noise: KNorm, moved: list[int]) -> Fraction | None:
    """The privacy loss of K-norm noise for this difference: epsilon times its norm, rounded up; None if the noise never connects
    the two answers."""
    if noise.lattice is not None:
        try:
            steps = noise.lattice.coordinates(moved)
        except ValueError:
            return None
        if any(step.denominator != 1 for step in steps):
            return None
    zero = (0,) * len(moved)
    return KNormLaw(noise, zero).log_ratio(KNormLaw(noise, tuple(moved)), zero)
