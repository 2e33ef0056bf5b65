"""Several questions under one limit, with an optimal split of the budget.

A question with an error target gets the least epsilon that meets it. The rest is split over the others to minimize the sum of
their squared relative errors (as one question splits its price over its statistics).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.errors import BadArgument, BudgetExceeded, Refused
from lapcat.ledger.base import Charge, amounts_of
from lapcat.plan.budget import shares_of
from lapcat.plan.compile import Program, priced
from lapcat.plan.error_target import QUANTUM
from lapcat.plan.gaussian_pricing import squared_error
from lapcat.session.floor import WHY
from lapcat.session.pricing import confidence_of, positive
from lapcat.session.question import Question
from lapcat.session.results import Amount, Answer, Preview


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A question of a batch, and its error target, if any."""

    question: Question
    error: object = None

    @property
    def identity(self) -> str:
        return self.question.prepared.identity


class Batch:
    """Questions charged under one limit. Made by `db.batch([...], epsilon=…)`; it holds no data."""

    def __init__(
        self, items: Sequence[BatchItem], epsilon: object, delta: object = None, confidence: object = "0.95"
    ) -> None:
        if not items:
            raise BadArgument(
                "batch-empty",
                "a batch has at least one question",
                fix='db.batch(["SELECT COUNT(*) AS n FROM staff"], epsilon=1)',
            )
        self._items, self._epsilon, self._delta = tuple(items), positive("epsilon", epsilon), delta
        self._level = confidence_of(confidence)

    def __repr__(self) -> str:
        many = "1 question" if len(self._items) == 1 else f"{len(self._items)} questions"
        return f"<batch of {many} at epsilon {exact_text(self._epsilon)}; .preview() shows the prices, .run() asks them>"

    @property
    def questions(self) -> list[str]:
        """The texts of the questions."""
        return [item.question.sql for item in self._items]

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import batch_html

        return batch_html(self)

    def preview(self) -> list[Preview]:
        """Price and error of each question. Free, and no row is read."""
        programs = self._programs()
        self._require_floor(programs)
        return [
            item.question.preview_of(program, self._level, error=item.error)
            for item, program in zip(self._items, programs, strict=True)
        ]

    def run(self, timeout: int | None = None) -> list[Answer]:
        """Asks the questions in order. Nothing is charged unless all of them fit the budgets. timeout: seconds per question.

        Each question is a separate debit: if one fails, the ones before it are answered and stored, and running the same batch
        again returns them for free and continues.
        """
        programs = self._programs()
        self._require_floor(programs)
        self._require_all(programs, timeout)
        return [
            item.question.run_of(program, self._level, item.error, timeout=timeout)
            for item, program in zip(self._items, programs, strict=True)
        ]

    def _programs(self) -> list[Program]:
        """The priced program of each question; a repeated question is charged once, at the larger of its prices."""
        keyed = {item.identity for item in self._items if item.question.prepared.plan.private_keys}
        delta = None if self._delta is None or not keyed else positive("delta", self._delta) / len(keyed)
        programs: dict[str, Program] = {}
        for item in self._items:
            if item.error is not None:
                program = item.question.priced_for(
                    item.error, self._level, delta if item.identity in keyed else None
                )
                if item.identity not in programs or _epsilon(program) > _epsilon(programs[item.identity]):
                    programs[item.identity] = program
        left = self._epsilon - sum(map(_epsilon, programs.values()), Fraction(0))
        others = {item.identity: item for item in self._items if item.identity not in programs}
        if left < 0 or (others and not left):
            raise self._too_little(self._epsilon - left, len(others))
        errors = [_error_at_one(item) for item in others.values()]
        for item, share in zip(others.values(), shares_of(errors, len(errors)), strict=True):
            programs[item.identity] = item.question.priced_at(
                left * share, delta if item.identity in keyed else None
            )
        return [programs[item.identity] for item in self._items]

    def _too_little(self, needed: Fraction, others: int) -> BudgetExceeded:
        more = " and leave nothing for the other questions" if others else ""
        return BudgetExceeded(
            "batch-exceeded",
            f"the error targets need epsilon {exact_text(needed)} together{more}; the limit is {exact_text(self._epsilon)}",
            why="this is the least epsilon that meets each target; nothing was spent",
            fix=f"epsilon={exact_text(2 * needed if others else needed)}, or larger errors",
        )

    def _require_floor(self, programs: Sequence[Program]) -> None:
        """Refuses the batch if a question's share is below the minimum price; the shares scale together."""
        pairs = list(zip(self._items, programs, strict=True))
        low = [_epsilon(p) for item, p in pairs if item.question.is_below_floor(p, self._level)]
        if not low:
            return
        floor = self._items[0].question.limits.min_epsilon
        fixed = {item.identity: _epsilon(p) for item, p in pairs if item.error is not None}
        shared = self._epsilon - sum(fixed.values(), Fraction(0))
        enough = self._epsilon - shared + shared * floor / min(low)
        enough = Fraction(-(-enough // QUANTUM)) * QUANTUM
        raise Refused(
            "price-below-floor",
            f"one of these questions would get epsilon {exact_text(min(low))}; the minimum price of a question is epsilon "
            f"{exact_text(floor)} ([limits] min_epsilon)",
            why=WHY,
            fix=f"epsilon={exact_text(enough)}",
        )

    def _require_all(self, programs: Sequence[Program], timeout: int | None) -> None:
        """Refuses the batch unless the budgets cover all questions."""
        asked = {
            item.identity: (item.question, program)
            for item, program in zip(self._items, programs, strict=True)
        }
        spent: dict[tuple[str, str], Fraction] = {}
        for question, program in asked.values():
            question.require_ready(program, timeout)
            for charge, before, after in question.left_by(program):
                _require_per_query(charge, before, after)
                for kind in ("epsilon", "rho", "delta"):
                    had, has = getattr(before, kind), getattr(after, kind)
                    if has is None:
                        continue
                    key = charge.scope, kind
                    spent[key] = spent.get(key, Fraction(0)) + (had or Fraction(0)) - has
                    if spent[key] > (had or Fraction(0)):
                        raise BudgetExceeded(
                            "batch-exceeded",
                            f"the questions together cost {kind} {exact_text(spent[key])} or more; {charge.called} has "
                            f"{kind} {exact_text(had or Fraction(0))} left",
                            why="a batch is asked as a whole; nothing was spent and no row was read",
                            fix=f"epsilon={exact_text(had)}"
                            if had and kind == "epsilon"
                            else "use a smaller epsilon, or fewer questions",
                        )


def _require_per_query(charge: Charge, before: Amount, after: Amount) -> None:
    per_query = charge.limit.per_query
    kind = "epsilon" if charge.limit.rho is None else "rho"
    asked = (getattr(before, kind) or Fraction(0)) - (getattr(after, kind) or Fraction(0))
    if per_query is not None and asked > per_query:
        raise BudgetExceeded(
            "batch-exceeded",
            f"one of the questions costs {kind} {exact_text(asked)}; {charge.called} allows {kind} {exact_text(per_query)} per question",
            why="a batch is asked as a whole; nothing was spent and no row was read",
            fix="use a smaller epsilon, or a larger error",
        )


def _epsilon(program: Program) -> Fraction:
    return amounts_of(program.event)[0]


def _error_at_one(item: BatchItem) -> float:
    """The squared relative error of a question at epsilon 1; it does not depend on delta."""
    prepared = item.question.prepared
    return squared_error(
        priced(prepared, Fraction(1), Fraction(1, 10**7) if prepared.plan.private_keys else None)
    )
