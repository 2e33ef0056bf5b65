"""Questions about the same rows that are asked together: paid for once, with the sensitivity that they have together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lapcat.core.answers import Group
from lapcat.core.loss import PureDP
from lapcat.errors import BadArgument
from lapcat.frontend.words import identifier
from lapcat.plan.aggregates import Estimates
from lapcat.plan.columns import KeyColumn
from lapcat.plan.compile import Prepared, Query
from lapcat.plan.merging import Merged, merged
from lapcat.plan.released import Field, ReleasedTable
from lapcat.plan.released.table import Part
from lapcat.session.query_context import Tables
from lapcat.session.question import Question
from lapcat.session.results import Answer, AnswerMethod, Preview, SensitivityReport
from lapcat.session.strategies import SEPARATELY
from lapcat.session.work import require
from lapcat.workload.axes import axis_of
from lapcat.workload.workload import Workload

if TYPE_CHECKING:
    from lapcat.session import Session

Number = object
TOGETHER = "asked together"


class MergedQuery:
    """Several questions as one. Made by `db.workload([...])`; it holds no data.

    The whole costs what one question costs: `epsilon` is the loss of all answers together, and there is one receipt.
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        if not questions:
            raise BadArgument(
                "workload-empty",
                "a workload has at least one question",
                fix='db.workload(["SELECT COUNT(*) AS n FROM staff"])',
            )
        require("aggregates", len(questions), questions[0].limits)
        self._questions = tuple(questions)
        self._latest: Merged | None = None
        first = questions[0]
        self._whole = first.beside(";\n".join(self.questions), self._asked, self._tables)

    def __repr__(self) -> str:
        many = "1 question" if len(self._questions) == 1 else f"{len(self._questions)} questions"
        return (
            f"<workload of {many}; .preview(epsilon=…) shows its price, .run(epsilon=…) asks them together>"
        )

    def __len__(self) -> int:
        return len(self._questions)

    @property
    def questions(self) -> list[str]:
        """The questions as they were asked."""
        return [question.sql for question in self._questions]

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import question_html

        return question_html(self._whole)

    def sensitivity(self) -> SensitivityReport:
        """How far one unit can move all exact answers together. Free."""
        return self._whole.sensitivity()

    def explain(self, epsilon: Number = None, *, delta: Number = None) -> str:
        """In plain words: what is measured, what one unit can do to all of it, with which noise."""
        return self._whole.explain(epsilon, delta=delta)

    def preview(
        self,
        epsilon: Number = None,
        *,
        delta: Number = None,
        rho: Number = None,
        error: Number = None,
        confidence: Number = "0.95",
        simultaneous: bool = False,
    ) -> Preview:
        """Price and error of all of them; columns are called `2: n` for n of the second. Free, and no row is read."""
        found = self._whole.preview(
            epsilon, delta=delta, rho=rho, error=error, confidence=confidence, simultaneous=simultaneous
        )
        return found if found.ways or found.free else replace(found, ways=self._compared(found))

    def _compared(self, together: Preview) -> tuple[AnswerMethod, ...]:
        """What the numbers would be off by if each question were asked with an even part of the price; nothing where they
        are in different units of measure, or their error is not known beforehand."""
        prepared = self._whole.prepared
        alike = prepared.sensitivity is not None and not (prepared.choices or prepared.plan.private_keys)
        if not alike or len(self._questions) == 1 or not isinstance(together.cost, PureDP):
            return ()
        share = together.cost.epsilon / len(self._questions)
        programs = [question.priced_at(share, None) for question in self._questions]
        apart = [
            (one.variance, p.cells) for p in programs for one in p.foresee(together.columns[0].confidence)
        ]
        errors = [rmse([(column.variance, 1) for column in together.columns]), rmse(apart)]
        if None in errors:
            return ()
        named = zip((TOGETHER, SEPARATELY), errors, strict=True)
        return tuple(
            AnswerMethod(name, error, name == TOGETHER) for name, error in named if error is not None
        )

    def run(
        self,
        epsilon: Number = None,
        *,
        delta: Number = None,
        rho: Number = None,
        error: Number = None,
        confidence: Number = "0.95",
        simultaneous: bool = False,
        key: str | None = None,
        timeout: int | None = None,
    ) -> list[Answer]:
        """Pays once, looks, blurs; an answer for each question, in their order. Their cost and receipt are one."""
        found = self._whole.answers(
            epsilon,
            delta=delta,
            rho=rho,
            error=error,
            confidence=confidence,
            simultaneous=simultaneous,
            key=key,
            timeout=timeout,
        )
        many = len(found)
        note = f"one payment for all {many} questions that were asked together"
        return [replace(answer, notes=(*answer.notes, note)) for answer in found] if many > 1 else found

    def _asked(self) -> Query:
        self._latest = merged([question.asked() for question in self._questions])
        return self._latest.asked

    def _tables(
        self, prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
    ) -> list[ReleasedTable]:
        assert self._latest is not None, "what is answered was asked"
        return self._latest.tables(estimates, keys)


def rmse(numbers: Sequence[tuple[float | None, int]]) -> float | None:
    """The root of the mean of variances, each of so many numbers; None where one is not known."""
    squares = 0.0
    for variance, many in numbers:
        if variance is None:
            return None
        squares += variance * many
    return math.sqrt(squares / sum(many for _, many in numbers))


def written(session: Session, workload: Workload, table: str | None, where: str | None) -> Question:
    """The question for a workload about one table: the counts by its columns, and what is asked of them.

    The columns are read one by one, for all of them together may have more cells than anybody looks at.
    """
    tables = session.tables()
    if table is None and len(tables) != 1:
        raise BadArgument(
            "workload-table",
            "a workload names columns, and here there are several tables",
            fix=f"table={tables[0]!r}" if tables else "table=…",
        )
    source = identifier(tables[0] if table is None else table)
    condition = f" FROM {source}" + ("" if where is None else f" WHERE {where}")
    names = [identifier(column) for column in workload.columns]
    by_column = [session.sql(f"SELECT {n}, COUNT(*) AS n{condition} GROUP BY {n}") for n in names]

    def asked() -> Query:
        found = [question.asked() for question in by_column]
        keys = tuple(replace(one.keys[0], name=c) for one, c in zip(found, workload.columns, strict=True))
        shown = tuple(KeyColumn(key.name, n) for n, key in enumerate(keys))
        notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
        return replace(found[0], keys=keys, columns=(*shown, found[0].columns[-1]), notes=notes)

    text = f"{_said(workload)}: SELECT COUNT(*){condition}"
    return by_column[0].beside(text, asked, _listed(workload), workload)


def _said(workload: Workload) -> str:
    """`ranges of age; each sex, each region`: what is asked, for a receipt; its identity says it exactly."""
    terms = (
        ", ".join(
            f"{what.kind} {'' if what.kind == 'each' else 'of '}{column}" for column, what in term.wanted
        )
        for term in workload.terms
    )
    return "; ".join(dict.fromkeys(said or "all rows" for said in terms))


def _listed(workload: Workload) -> Tables:
    """Each answer as a row: what was asked, in words, and how many."""

    def tables(
        prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
    ) -> list[ReleasedTable]:
        questions = workload.over([axis_of(key) for key in prepared.plan.keys])
        found = estimates["n"]
        fields = (
            Field("question", "text", "key"),
            *(
                Field(name, "integer", role)
                for name, role in (("n", "value"), ("n_low", "low"), ("n_high", "high"))
            ),
        )
        make: dict[str, Callable[[], Part]] = {
            "question": lambda: [questions.label(row) for row in range(questions.rows)],
            "n": lambda: found.value,
            "n_low": lambda: found.low,
            "n_high": lambda: found.high,
        }
        return [ReleasedTable(fields, questions.rows, make)]

    return tables
