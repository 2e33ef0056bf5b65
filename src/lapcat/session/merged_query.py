"""Merged queries: several questions about the same rows, charged once with their joint sensitivity."""

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

    `epsilon` is the loss of all answers together, and there is one receipt.
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
        """The texts of the questions."""
        return [question.sql for question in self._questions]

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import question_html

        return question_html(self._whole)

    def sensitivity(self) -> SensitivityReport:
        """The joint sensitivity of all exact answers to one unit. Free."""
        return self._whole.sensitivity()

    def explain(self, epsilon: Number = None, *, delta: Number = None) -> str:
        """An explanation in words: the measurements, their sensitivity and the noise."""
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
        """Price and error of all questions; column n of the second is named `2: n`. Free, and no row is read."""
        preview = self._whole.preview(
            epsilon, delta=delta, rho=rho, error=error, confidence=confidence, simultaneous=simultaneous
        )
        return preview if preview.ways or preview.free else replace(preview, ways=self._compared(preview))

    def _compared(self, together: Preview) -> tuple[AnswerMethod, ...]:
        """The error of the merged query against asking each question with an equal share of the price; empty if the numbers have
        different units of measure, or their error is not known beforehand."""
        prepared = self._whole.prepared
        alike = prepared.sensitivity is not None and not (prepared.choices or prepared.plan.private_keys)
        if not alike or len(self._questions) == 1 or not isinstance(together.cost, PureDP):
            return ()
        share = together.cost.epsilon / len(self._questions)
        programs = [question.priced_at(share, None) for question in self._questions]
        apart = [
            (foreseen.variance, p.cells)
            for p in programs
            for foreseen in p.foresee(together.columns[0].confidence)
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
        """Debits once, executes and adds noise; returns an answer for each question, in order, with a common cost and receipt."""
        answers = self._whole.answers(
            epsilon,
            delta=delta,
            rho=rho,
            error=error,
            confidence=confidence,
            simultaneous=simultaneous,
            key=key,
            timeout=timeout,
        )
        many = len(answers)
        note = f"one charge for all {many} questions asked together"
        return [replace(answer, notes=(*answer.notes, note)) for answer in answers] if many > 1 else answers

    def _asked(self) -> Query:
        self._latest = merged([question.asked() for question in self._questions])
        return self._latest.asked

    def _tables(
        self, prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
    ) -> list[ReleasedTable]:
        assert self._latest is not None, "the query was merged before it was answered"
        return self._latest.tables(estimates, keys)


def rmse(numbers: Sequence[tuple[float | None, int]]) -> float | None:
    """Root mean square error from pairs of a variance and its count of numbers; None if a variance is unknown."""
    squares = 0.0
    for variance, many in numbers:
        if variance is None:
            return None
        squares += variance * many
    return math.sqrt(squares / sum(many for _, many in numbers))


def written(session: Session, workload: Workload, table: str | None, where: str | None) -> Question:
    """The question for a workload over one table: the counts by its columns, and the workload's queries on them.

    The columns are parsed one by one, because all of them together may exceed the limit on groups.
    """
    tables = session.tables()
    if table is None and len(tables) != 1:
        raise BadArgument(
            "workload-table",
            "a workload names columns, and there are several tables",
            fix=f"table={tables[0]!r}" if tables else "table=…",
        )
    source = identifier(tables[0] if table is None else table)
    condition = f" FROM {source}" + ("" if where is None else f" WHERE {where}")
    names = [identifier(column) for column in workload.columns]
    by_column = [session.sql(f"SELECT {n}, COUNT(*) AS n{condition} GROUP BY {n}") for n in names]

    def asked() -> Query:
        queries = [question.asked() for question in by_column]
        keys = tuple(
            replace(query.keys[0], name=c) for query, c in zip(queries, workload.columns, strict=True)
        )
        shown = tuple(KeyColumn(key.name, n) for n, key in enumerate(keys))
        notes = tuple(dict.fromkeys(note for query in queries for note in query.notes))
        return replace(queries[0], keys=keys, columns=(*shown, queries[0].columns[-1]), notes=notes)

    text = f"{_describe(workload)}: SELECT COUNT(*){condition}"
    return by_column[0].beside(text, asked, _listed(workload), workload)


def _describe(workload: Workload) -> str:
    """`ranges of age; each sex, each region`: a description for the receipt; the identity is exact."""
    terms = (
        ", ".join(
            f"{what.kind} {'' if what.kind == 'each' else 'of '}{column}" for column, what in term.wanted
        )
        for term in workload.terms
    )
    return "; ".join(dict.fromkeys(term_text or "all rows" for term_text in terms))


def _listed(workload: Workload) -> Tables:
    """Each answer as a row: the query in words, and the count."""

    def tables(
        prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
    ) -> list[ReleasedTable]:
        questions = workload.over([axis_of(key) for key in prepared.plan.keys])
        counts = estimates["n"]
        fields = (
            Field("question", "text", "key"),
            *(
                Field(name, "integer", role)
                for name, role in (("n", "value"), ("n_low", "low"), ("n_high", "high"))
            ),
        )
        make: dict[str, Callable[[], Part]] = {
            "question": lambda: [questions.label(row) for row in range(questions.rows)],
            "n": lambda: counts.value,
            "n_low": lambda: counts.low,
            "n_high": lambda: counts.high,
        }
        return [ReleasedTable(fields, questions.rows, make)]

    return tables
