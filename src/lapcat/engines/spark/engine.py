"""The Spark engine, over snapshots of Spark tables and of folders of Parquet files.

Statements run in lapcat's own session (session.py) and refer only to temporary views, one per table. Spark aggregates
the rows; this process receives one row per group.
"""

from __future__ import annotations

import datetime
import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapcat.core.release import ExactResult
from lapcat.engines.base.cells import Figures, figures, private_cells
from lapcat.engines.base.engine import FIRST, Attempt, OpenTable, table_of, unplanned
from lapcat.engines.base.snapshots import Opened
from lapcat.engines.base.sources import ANY_CLUSTER
from lapcat.engines.base.statement import SQLStatement, group_statement
from lapcat.engines.spark.dialect import SPARK
from lapcat.engines.spark.session import SparkStatements, close, is_gone, quiet, session, unreachable
from lapcat.engines.spark.sources import show_snapshot
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group, scans_of
from lapcat.plan.schema import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkEngine:
    """Executes plans in its own session, opened on first use; safe to share among threads."""

    def __init__(self, tables: Mapping[str, OpenTable], max_length: int = DEFAULT_LIMITS.max_length) -> None:
        self._tables = dict(tables)
        self._cluster = next((table.source.cluster for table in tables.values()), ANY_CLUSTER)  # one for all
        self._session: SparkSession | None = None
        self._opened: dict[str, Opened] = {}
        self._lock = threading.Lock()
        self._statements = SparkStatements()
        self._max_length = max_length
        self._printed: tuple[Group, SQLStatement] | None = None
        self._planned: tuple[Group, SparkSession, DataFrame] | None = None

    def ready(self, plan: Group) -> None:
        """Spark analyses the statement but reads no row. Its error texts are not passed on."""
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
            raise unplanned()

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """One row of cells per statistic. Spark's errors are raised; the release gate hides their text. The cluster controls
        parallelism and spilling, so a retry does not differ from the first attempt."""
        spark = self._connected()
        statement = self._statement(plan)
        planned, self._planned = self._planned, None  # analysed before the debit; used once
        if planned is not None and planned[0] == plan and planned[1] is spark:
            frame = planned[2]
            return private_cells(plan, self._statements.run(spark, lambda: fetched(frame), attempt.seconds))
        return private_cells(
            plan, self._statements.run(spark, lambda: fetched(framed(spark, statement)), attempt.seconds)
        )

    def close(self) -> None:
        """Closes the session; the next execution opens another. Spark itself keeps running."""
        with self._lock:
            if self._session is not None:
                close(self._session)
            self._session, self._opened, self._planned = None, {}, None

    def _statement(self, plan: Group) -> SQLStatement:
        """The plan as SQL. The last statement is cached, since it is needed before the debit and after."""
        tables = {scan.table: self._open(scan.table) for scan in scans_of(plan)}
        printed = self._printed  # read once: another thread may replace it
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
            opening = table_of(self._tables, name)
            if name not in self._opened:
                view = f"lapcat_table_{list(self._tables).index(name)}"
                # Failures are not cached: the next question tries again.
                with quiet():
                    self._opened[name] = show_snapshot(
                        spark, opening.table, opening.snapshot, view, self._max_length
                    )
            return self._opened[name]


def framed(spark: SparkSession, statement: SQLStatement) -> DataFrame:
    """The analysed statement; reads no row."""
    return spark.sql(statement.sql, args=arguments(statement))


def fetched(frame: DataFrame) -> dict[str, Any]:
    """The columns of a statement's result."""
    names = frame.columns
    rows: Sequence[Any] = frame.collect()
    arrays: dict[str, Any] = {}
    for position, name in enumerate(names):
        values = [row[position] for row in rows]
        if name.startswith("p"):
            arrays[name] = np.empty(len(rows), dtype=object)
            arrays[name][:] = values
        else:  # NULL where a private group has no cell
            arrays[name] = np.array([value or 0 for value in values], dtype=np.int64)
    return arrays


def fixture_figures(spark: SparkSession, plan: Group, tables: Mapping[str, Opened]) -> Figures:
    """Figures of a plan over given relations. For fixture rows only."""
    with quiet():
        return figures(plan, fetched(framed(spark, group_statement(plan, tables, SPARK))))


def arguments(statement: SQLStatement) -> dict[str, str]:
    """The key lists, each as a JSON text; lists that are joined by position include the positions."""
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
