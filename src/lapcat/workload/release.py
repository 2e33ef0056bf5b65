"""Compiles a workload into a program (a strategy with its noise and price), and released numbers into answers.

    program = compile_workload(prepared, Workload.ranges("age"), PureDP(1))
    released = gate.release(program.plan, [program.candidate.measured], debit, …)
    program.finish(released, confidence)

The price is derived a second time, from the finished plan and from the maps applied to single rows, as in plan/compile.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from lapcat.core.answers import NoisyResult
from lapcat.core.event import (
    Conversion,
    Event,
    GaussianRelease,
    JointGaussianRelease,
    KNormRelease,
    NoiseRelease,
)
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.base import Mechanism
from lapcat.core.mechanisms.registry import charged_mechanism
from lapcat.core.zcdp import best_order, rho_of
from lapcat.errors import BadQuery, Bug, Refused
from lapcat.mechanisms.integers.knorm import KNorm
from lapcat.plan.compile import Prepared
from lapcat.plan.facts import group_facts
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Relation
from lapcat.plan.sources import joint
from lapcat.stored.digest import identity_of
from lapcat.workload.axes import axis_of
from lapcat.workload.factors import Floats
from lapcat.workload.knorm import jointly
from lapcat.workload.linear import IntegerMap, probed
from lapcat.workload.nested import LARGEST
from lapcat.workload.nonnegative import nonnegative
from lapcat.workload.planner import (
    Moved,
    PricedStrategy,
    Reach,
    candidates,
    starts,
    with_joint_noise,
    with_noise,
)
from lapcat.workload.specification import specification_in, specification_of, strategy_of
from lapcat.workload.strategy import split
from lapcat.workload.workload import MAX_ANSWERS, AxisWorkload, Workload


@dataclass(frozen=True)
class Answers:
    """The estimates of all questions with their intervals; the values are consistent."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class PricedWorkload:
    """A workload at a price."""

    workload: Workload
    prepared: Prepared
    candidate: PricedStrategy
    others: tuple[PricedStrategy, ...] = ()
    """The other candidates, by expected error."""
    quoted: Conversion | None = None
    """The conversion of the rho of Gaussian noise to (epsilon, delta), if quoted that way."""

    @property
    def plan(self) -> Group:
        """The plan for the engine: the tables of counts that the strategy reads."""
        return _tables(self.prepared.plan, self.candidate.strategy.sets)

    @property
    def identity(self) -> str:
        """The identity of the question: equal for equal workloads over the same rows."""
        return identity_of((self.prepared.plan, self.workload.terms))

    @property
    def event(self) -> Event:
        parts: list[NoiseRelease] = []
        measured = zip(
            self.candidate.strategy.labels,
            self.candidate.measured.parts,
            self.candidate.moved,
            strict=True,
        )
        for label, (_, noise), moved in measured:
            if not isinstance(noise, Mechanism):
                return noise.event(label)  # joint noise on all numbers
            parts.append(noise.event(label, moved))
        return joint(parts, len(parts), self.quoted, self.specification)

    @property
    def specification(self) -> str:
        """The strategy as the ledger stores it."""
        return specification_of(self.candidate.strategy)

    @property
    def loss(self) -> PureDP | ZCDP | ApproxDP:
        return self.event.loss

    @property
    def questions(self) -> AxisWorkload:
        return self.candidate.questions

    def finish(self, released: NoisyResult, confidence: Fraction, *, at_least_zero: bool = False) -> Answers:
        """The answers from the released numbers, each with its interval.

        at_least_zero: the values come from non-negative counts with the same total; the intervals are cut off at 0 and
        widened to contain the values, so their coverage does not fall.
        """
        strategy, noise, unit = self.candidate.strategy, self.candidate.noise, self.candidate.unit
        noisy = split(strategy, released.cells[0])
        value = unit * strategy.answers(self.questions, noisy, noise)
        margin = self.candidate.margins(confidence)
        low, high = value - margin, value + margin
        if not at_least_zero:
            return Answers(value, low, high)
        if self.questions.cells > LARGEST:
            raise BadQuery(
                "workload-nonnegative",
                f"the columns of this workload have {self.questions.cells:.3g} cells together",
                why="non-negative answers need an estimate of every cell, and these are too many",
                fix="leave at_least_zero out, or ask about fewer columns at once",
            )
        value = self.questions.answers(nonnegative(unit * strategy.cells(self.questions, noisy, noise)))
        lower = np.maximum(low, 0.0) if self.questions.counting else low
        return Answers(value, np.minimum(lower, value), np.maximum(high, value))


def range_of(plan: Group) -> Reach:
    """How far one unit can change the counts of a plan, grouped by some of its keys."""

    def reach(axes: tuple[int, ...]) -> Moved:
        table = _tables(plan, (axes,))
        facts = group_facts(table)
        counts = table.cells > 1 and table.statistics[0].low >= 0
        replaced = facts.rows.relation is Relation.REPLACE_ONE and counts
        return Moved(facts.statistics[0].sensitivity, replaced)

    return reach


def compile_workload(
    prepared: Prepared, workload: Workload, budget: PureDP | ZCDP | ApproxDP
) -> PricedWorkload:
    """The workload at this price, by the strategy with the least expected error.

    `prepared` is the query for the counts by all columns of the workload: one statistic, public keys in the order of
    `workload.columns`. Epsilon alone gives Laplace or K-norm noise, rho Gaussian noise, epsilon and delta the better of both.
    """
    plan = prepared.plan
    if len(plan.statistics) != 1 or plan.private_keys or prepared.choices or prepared.by_threshold:
        raise Bug("workload-plan", "a workload needs one count over public keys")
    questions = workload.over([axis_of(key) for key in plan.keys])
    if questions.rows > MAX_ANSWERS:
        raise Refused(
            "workload-too-large",
            f"this workload has {questions.rows:.3g} questions",
            why=f"lapcat gives at most {MAX_ANSWERS:,} answers at once",
            fix="name the ranges that you need: Workload.ranges(column, [(low, high)]); running totals give all others",
        )
    reach, unit = range_of(plan), float(prepared.labels[0].step)
    quoted = None
    if isinstance(budget, ApproxDP):
        rho = rho_of(budget.epsilon, budget.delta)
        ranked = candidates(questions, PureDP(budget.epsilon), reach, unit)
        if rho:
            ranked += candidates(questions, ZCDP(rho), reach, unit)
            ranked.sort(key=lambda candidate: candidate.expected_rmse)
        if ranked[0].kind == "gaussian":
            quoted = Conversion(best_order(rho, budget.delta), budget.delta)
    else:
        ranked = candidates(questions, budget, reach, unit)
    program = PricedWorkload(workload, prepared, ranked[0], tuple(ranked[1:]), quoted)
    agree(program, budget)
    return program


def program_of(prepared: Prepared, workload: Workload, event: Event) -> PricedWorkload:
    """The workload with the noise of a stored debit, rebuilt from its event rather than planned again."""
    questions = workload.over([axis_of(key) for key in prepared.plan.keys])
    reach, unit = range_of(prepared.plan), float(prepared.labels[0].step)
    quoted = None
    if isinstance(event, KNormRelease):
        moved = reach(tuple(range(len(questions.axes))))
        joint = jointly(questions, event.epsilon, moved.cells, replaced=moved.replaced)
        candidate = None if joint is None else with_joint_noise(joint, questions, moved, unit)
    else:
        charged, specification = event.composition, specification_in(event)
        if specification is None:
            raise Bug("cost-differs", "the stored debit is not of a workload")
        noises = [_noise(part) for part in charged.sums]
        candidate = with_noise(strategy_of(questions, specification), questions, noises, reach, unit)
        quoted = charged.quoted
    program = None if candidate is None else PricedWorkload(workload, prepared, candidate, (), quoted)
    if program is None or not _is_of(program, event):
        raise Bug("cost-differs", "the stored debit is for another workload")
    return program


def _is_of(program: PricedWorkload, event: Event) -> bool:
    """Whether a program has the event that was stored. 0.1.0 stored the strategy in the labels of the parts."""
    now = program.event
    before = event.composition.strategy is None
    return now == event or (before and _without_strategy(now) == _without_strategy(event))


def _without_strategy(event: Event) -> tuple[object, object]:
    written: dict[str, Any] = event.as_json()
    written.pop("strategy", None)
    return [{**part, "label": ""} for part in written.pop("parts", ())], written


def _noise(part: NoiseRelease) -> Mechanism[Any]:
    if part.is_public:
        raise Bug("cost-differs", "the stored debit is not of a workload")
    return charged_mechanism(part)


def agree(program: PricedWorkload, budget: PureDP | ZCDP | ApproxDP) -> None:
    """Derives the cost a second time, from the finished plan, the maps and the scales; raises Bug if it exceeds the price."""
    reach, candidate = range_of(program.prepared.plan), program.candidate
    tables = starts(candidate.strategy, program.questions)
    pure = concentrated = Fraction(0)
    for linear, noise in candidate.measured.parts:
        l1, l2_squared = probed(linear)
        if l1 > linear.l1 or l2_squared > linear.l2_squared:
            raise Bug("cost-differs", "a row changes a measurement more than its map states")
        moved = reach(tables[linear.start])
        if not isinstance(noise, Mechanism):
            pure += noise.epsilon * farthest(noise, linear, moved)
            continue
        match noise.privacy(moved.by(linear)):
            case PureDP(epsilon):
                pure += epsilon
            case ZCDP(rho):
                concentrated += rho
            case ApproxDP():
                raise Bug("cost-differs", "a part of a workload has a delta")
    stated = program.loss
    match stated:
        case PureDP(epsilon):
            agreed = pure == epsilon and not concentrated
        case ZCDP(rho):
            agreed = concentrated == rho and not pure
        case ApproxDP():
            rho = concentrated
            agreed = not pure and program.quoted is not None and stated == _quoted(rho, program.quoted)
    if not agreed or not _within(stated, budget):
        raise Bug(
            "cost-differs", f"the workload costs {pure or concentrated} but states {stated}, for {budget}"
        )


def _quoted(rho: Fraction, quoted: Conversion) -> object:
    """The (epsilon, delta) of one Gaussian release of this rho at the quoted order and delta."""
    return JointGaussianRelease((GaussianRelease("", 2 * rho, Fraction(1)),), 1, quoted).loss


def _within(cost: PureDP | ZCDP | ApproxDP, price: PureDP | ZCDP | ApproxDP) -> bool:
    """Whether a cost is at most a price of its kind."""
    if isinstance(cost, ZCDP) or isinstance(price, ZCDP):
        return isinstance(cost, ZCDP) and isinstance(price, ZCDP) and cost.rho <= price.rho
    delta, allowed = (loss.delta if isinstance(loss, ApproxDP) else Fraction(0) for loss in (cost, price))
    return cost.epsilon <= price.epsilon and delta <= allowed


def farthest(noise: KNorm, linear: IntegerMap, moved: Moved) -> Fraction:
    """The sensitivity of the answers in the norm of K: 1 if K is exact."""
    nothing = (0,) * linear.rows
    single = np.eye(linear.axes[0].size, dtype=np.int64)
    kinds = sorted({tuple(linear.applied(row).tolist()) for row in single} | {nothing})
    length, others = (moved.cells.l1 / 2, kinds) if moved.replaced else (moved.cells.l1, [nothing])
    largest = Fraction(0)
    for kind in kinds:
        for other in others:
            move = [length * (x - y) for x, y in zip(kind, other, strict=True)]
            inside = move if noise.lattice is None else noise.lattice.coordinates(move)
            scale = np.lcm.reduce([part.denominator for part in inside])  # norms are of whole vectors
            whole = tuple(int(part * int(scale)) for part in inside)
            largest = max(largest, noise.norm.of(whole) / int(scale))
    return largest


def _tables(plan: Group, sets: tuple[tuple[int, ...], ...]) -> Group:
    """The plan for the counts by these lists of keys, one table after the other."""
    if len(sets) == 1:
        return replace(plan, keys=tuple(plan.keys[i] for i in sets[0]), sets=())
    return replace(plan, sets=sets)
