"""Spark as an engine over the snapshots that `refresh` wrote of its tables and of folders of Parquet files.

Statements go to a session of lapcat's own (spark_session.py), in which each table is a temporary view; they name nothing
else. Rows are added up where they lie: what comes back to this process is one line for each group.
"""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapcat.core.release import ExactResult
from lapcat.engines.backends import FIRST, Attempt, OpenTable
from lapcat.engines.cells import Figures, figures, private_cells
from lapcat.engines.snapshots import Opened
from lapcat.engines.sources import ANY_CLUSTER
from lapcat.engines.spark_session import SparkStatements, close, is_gone, quiet, session, unreachable
from lapcat.engines.spark_sources import show_snapshot
from lapcat.engines.sql import SQLStatement, group_statement
from lapcat.engines.sql.spark import SPARK
from lapcat.errors import Bug
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group, scans_of
from lapcat.plan.schema import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkEngine:
    """Looks at tables through a session of its own, made when it is first needed; safe to share among threads."""

    def __init__(self, tables: Mapping[str, OpenTable], max_length: int = DEFAULT_LIMITS.max_length) -> None:
        self._tables = dict(tables)
        self._cluster = next((table.source.cluster for table in tables.values()), ANY_CLUSTER)  # one for all
        self._session: SparkSession | None = None
        self._opened: dict[str, Opened] = {}
        self._lock = threading.Lock()
        self._patience = SparkStatements()
        self._max_length = max_length
        self._printed: tuple[Group, SQLStatement] | None = None
        self._planned: tuple[Group, SparkSession, DataFrame] | None = None

    def ready(self, plan: Group) -> None:
        """Spark analyses the statement, and reads no row; what it says of one that it cannot analyse stays here."""
        spark = self._connected()
        statement = self._statement(plan)
        from pyspark.errors import AnalysisException, ParseException

        planned = True
        try:
            with quiet():
                frame = framed(spark, statement)
                frame.schema  # noqa: B018
                self._planned = plan, spark, frame
        except (AnalysisException, ParseException):
            planned = False
        except Exception:
            raise unreachable(spark) from None
        if not planned:
            raise Bug(
                "statement-unplanned",
                "the engine cannot plan this question; nothing was spent",
                fix="please report the question; meanwhile, write it in another way",
            )

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """One row of cells per statistic. Whatever Spark raises is raised: the door seals it. How many tasks run at once is the
        cluster's to say, and each of them spills by itself: a second try is like the first one."""
        spark = self._connected()
        statement = self._statement(plan)
        planned, self._planned = self._planned, None  # analysed when the question was not yet paid; used once
        if planned is not None and planned[0] == plan and planned[1] is spark:
            frame = planned[2]
            return private_cells(plan, self._patience.run(spark, lambda: fetched(frame), attempt.seconds))
        return private_cells(
            plan, self._patience.run(spark, lambda: fetched(framed(spark, statement)), attempt.seconds)
        )

    def close(self) -> None:
        """Lets go of the session, of which the next look makes another; Spark itself goes on."""
        with self._lock:
            if self._session is not None:
                close(self._session)
            self._session, self._opened, self._planned = None, {}, None

    def _statement(self, plan: Group) -> SQLStatement:
        """The plan as SQL; the last one is kept, since it is asked for before the question is paid and after."""
        tables = {scan.table: self._open(scan.table) for scan in scans_of(plan)}
        printed = self._printed  # read once: another thread may print another plan meanwhile
        if printed is None or printed[0] != plan:
            printed = self._printed = plan, group_statement(plan, tables, SPARK)
        return printed[1]

    def _connected(self) -> SparkSession:
        with self._lock:
            if self._session is None or is_gone(self._session):
                self._opened = {}
                self._session = session(self._cluster)
            return self._session

    def _open(self, name: str) -> Opened:
        spark = self._connected()
        with self._lock:
            if name not in self._tables:
                raise Bug("table-not-open", f"{name} was asked about and never opened")
            if name not in self._opened:
                view = f"lapcat_table_{list(self._tables).index(name)}"
                opening = self._tables[name]
                # What cannot be opened is not remembered: the next question tries again.
                with quiet():
                    self._opened[name] = show_snapshot(
                        spark, opening.table, opening.snapshot, view, self._max_length
                    )
            return self._opened[name]


def framed(spark: SparkSession, statement: SQLStatement) -> DataFrame:
    """A statement, analysed; no row is read."""
    return spark.sql(statement.sql, args=arguments(statement))


def fetched(frame: DataFrame) -> dict[str, Any]:
    """The columns of a statement's result."""
    names = frame.columns
    rows: Sequence[Any] = frame.collect()
    found: dict[str, Any] = {}
    for position, name in enumerate(names):
        values = [row[position] for row in rows]
        if name.startswith("p"):
            found[name] = np.empty(len(rows), dtype=object)
            found[name][:] = values
        else:  # where a private group has no cell, there is no number either
            found[name] = np.array([value or 0 for value in values], dtype=np.int64)
    return found


def look_at(spark: SparkSession, plan: Group, tables: Mapping[str, Opened]) -> Figures:
    """What is found in relations that are given with the plan: for made-up rows."""
    with quiet():
        return figures(plan, fetched(framed(spark, group_statement(plan, tables, SPARK))))


def arguments(statement: SQLStatement) -> dict[str, str]:
    """The lists of keys, each as one text in JSON; those that are looked up by place say their places."""
    return {name: _json(values, name.startswith("list")) for name, values in statement.parameters.items()}


def _json(values: Sequence[Value | None], places: bool) -> str:
    texts = [None if value is None else _text(value) for value in values]
    if not places:
        return json.dumps(texts)
    return json.dumps([{"place": place, "value": text} for place, text in enumerate(texts)])


def _text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case datetime.datetime():
            return value.isoformat(sep=" ")
        case datetime.date():
            return value.isoformat()
    return str(value)
