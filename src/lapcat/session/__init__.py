"""The Python API: sessions that plan, price, debit and answer analysts' questions over a catalogue or a data frame."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from lapcat.core.coins import CoinSource
from lapcat.core.exact import exact
from lapcat.errors import BadArgument, BadQuery
from lapcat.plan.schema import Catalogue
from lapcat.session.budgets import Budget
from lapcat.session.deployment import Deployment
from lapcat.session.question import Question
from lapcat.session.schemas import TableInfo, describe_table

if TYPE_CHECKING:
    from lapcat.frontend.frame import Rows
    from lapcat.session.batch import Batch
    from lapcat.session.merged_query import MergedQuery
    from lapcat.workload.workload import Workload


class Session:
    """One analyst's view of a deployment."""

    def __init__(self, deployment: Deployment, analyst: str | None = None) -> None:
        self._deployment, self._analyst = deployment, analyst

    @property
    def catalogue(self) -> Catalogue:
        return self._deployment.catalogue

    def tables(self) -> list[str]:
        """The tables that this analyst may query."""
        analysts = self.catalogue.analysts
        return [
            n for n in self.catalogue.tables if self._analyst is None or n in analysts[self._analyst].tables
        ]

    def schema(self, table: str) -> TableInfo:
        """The public schema of a table: columns, bounds, keys, limits."""
        known = self.catalogue.everything
        if table not in known:
            raise BadQuery("unknown-table", f"no table {table!r}", fix=f"one of: {', '.join(self.tables())}")
        today = self._deployment.today(known[table])
        return replace(describe_table(known[table]), today=None if today is None else today.isoformat())

    def sql(self, text: str) -> Question:
        """The question of a SELECT. Nothing is read or charged yet."""
        from lapcat.frontend.sql import understand

        if not isinstance(text, str):
            raise BadArgument(
                "question-text",
                f"a question is a text, not {type(text).__name__}",
                fix='db.sql("SELECT COUNT(*) AS n FROM data")',
            )
        deployment = self._deployment
        return Question(
            deployment,
            self._analyst,
            text,
            lambda: understand(
                text,
                deployment.catalogue,
                deployment.scan,
                deployment.public,
                deployment.today,
                deployment.public_lookup,
            ),
        )

    def table(self, name: str) -> Rows:
        """The rows of a table, for the query builder: `.group_by(…).agg(…).run(…)`."""
        from lapcat.frontend.frame import Desk, Rows

        desk = Desk(self.catalogue, self.sql)
        return Rows(desk, desk.table(name))

    def batch(
        self,
        questions: Sequence[Any],
        *,
        epsilon: object,
        delta: object = None,
        confidence: object = "0.95",
    ) -> Batch:
        """Several questions under one limit: each a question, its text, or a pair of either and its error target."""
        from lapcat.session.batch import Batch, BatchItem

        items = []
        for given in questions:
            asked, error = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
            items.append(BatchItem(self._question(asked), error))
        return Batch(items, epsilon, delta, confidence)

    @overload
    def workload(
        self, questions: Sequence[Any], *, table: None = None, where: None = None
    ) -> MergedQuery: ...
    @overload
    def workload(
        self, questions: Workload, *, table: str | None = None, where: str | None = None
    ) -> Question: ...
    def workload(
        self, questions: Sequence[Any] | Workload, *, table: str | None = None, where: str | None = None
    ) -> MergedQuery | Question:
        """Questions about the same rows, merged into one query and charged once: each a question, or its text; or one text of
        several statements.

        Or a `lapcat.Workload` over the rows of a table that satisfy `where` (a single table need not be named).
        """
        from lapcat.session.merged_query import MergedQuery, written
        from lapcat.workload.workload import Workload

        if isinstance(questions, Workload):
            return written(self, questions, table, where)
        if table is not None or where is not None:
            raise BadArgument(
                "workload-table",
                "questions that are written in SQL name their own table and rows",
                fix="leave table and where out",
            )
        if isinstance(questions, str):
            from lapcat.frontend.sql.script import statements

            questions = statements(questions)
        return MergedQuery([self._question(given) for given in questions])

    def _question(self, given: Any) -> Question:
        """A question, given as such, as text or by the builder."""
        if hasattr(given, "question"):  # the builder
            given = given.question()
        return given if isinstance(given, Question) else self.sql(given)

    def budget(self) -> Budget:
        """The budget left, and how it was spent."""
        return self._deployment.budget(self._analyst, history=True)

    def gauges(self) -> Budget:
        """The budget left, without its history: the ledger's entries are not read."""
        return self._deployment.budget(self._analyst)

    def __repr__(self) -> str:
        note = "; " + " ".join(self._deployment.notes) if self._deployment.notes else ""
        who = f" as {self._analyst}" if self._analyst else ""
        return f"<lapcat session{who} over {', '.join(self.tables())}{note}>"

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import session_html

        return session_html(self)


def open(catalogue: str | Path = "lapcat.toml", *, analyst: str | None = None) -> Session:
    """Opens the deployment that a catalogue describes; `analyst` is required if it names analysts."""
    from lapcat.session.files import open_deployment

    deployment = open_deployment(catalogue)
    deployment.require_acceptance()
    return as_analyst(deployment, analyst)


def as_analyst(deployment: Deployment, analyst: str | None) -> Session:
    """A session for a named analyst, or without a name if the catalogue names no analysts."""
    known = deployment.catalogue.analysts
    if known and analyst is None:
        raise BadQuery(
            "analyst-missing",
            "this catalogue names its analysts, so a question needs one",
            fix=f"analyst={next(iter(known))!r} in Python, --as {next(iter(known))} on the command line",
        )
    if analyst is not None and analyst not in known:
        raise BadQuery(
            "analyst-unknown",
            f"the catalogue names no analyst {analyst!r}",
            fix=f"one of: {', '.join(known)}" if known else "leave the analyst out",
        )
    return Session(deployment, analyst)


def table(
    data: Any,
    *,
    unit: str,
    epsilon: object,
    delta: object = None,
    rows_per_unit: int | None = None,
    relation: str = "add-remove",
    units: int | None = None,
    bounds: Mapping[str, tuple[object, object]] | None = None,
    keys: Mapping[str, Sequence[object] | range | str] | None = None,
    null: Mapping[str, object] | None = None,
    types: Mapping[str, str] | None = None,
    name: str = "data",
    ledger: str | Path | None = None,
    version: int = 1,
    today: datetime.date | str | None = None,
    i_understand: str | None = None,
) -> Session:
    """A session over a pandas, Polars or Arrow table, or a dict of columns; its name in queries is `name`.

    The budget ends with the process unless `ledger` names a file for it; `version` then labels the data, and a question
    repeated on the same version is free. `today` is the date that CURRENT_DATE has in questions.
    """
    from lapcat.session.frames import hold

    return Session(
        hold(
            data,
            name=name,
            unit=unit,
            epsilon=exact(epsilon),
            delta=None if delta is None else exact(delta),
            rows_per_unit=rows_per_unit,
            relation=relation,
            units=units,
            bounds=bounds or {},
            keys=keys or {},
            null=null or {},
            types=types or {},
            ledger=ledger,
            version=version,
            today=today,
            i_understand=i_understand,
        )
    )


def with_coins(session: Session, coins: CoinSource) -> Session:
    """The same session with other coins; releases made with seeded coins are marked UNSAFE."""
    inner = session._deployment
    copy = Deployment(inner.declared, inner.tables, inner.ledger, notes=inner.notes, coins=coins)
    copy.accepted = inner.accepted
    return Session(copy, session._analyst)
