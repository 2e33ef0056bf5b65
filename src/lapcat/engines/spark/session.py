"""lapcat's own Spark session, separate from the user's, with pinned settings.

It shares only the cluster and the catalogue with other sessions: the user's settings do not affect lapcat's statements, nor
the other way round. Spark's driver is either this process (classic.py) or a server (connect.py).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeVar

from lapcat.engines.base.sources import ANY_CLUSTER
from lapcat.engines.spark import classic, connect
from lapcat.errors import BadQuery, EngineFailed, Error
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PINNED = {
    "spark.sql.ansi.enabled": "false",  # no value of a row makes an expression fail
    "spark.sql.cbo.joinReorder.enabled": "false",  # joins in the plan's order have bounded results (plan/produced.py)
    "spark.sql.cbo.starSchemaDetection": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",  # or a text like ${spark.…} would be replaced by a setting
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.legacy.castComplexTypesToString.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",  # a missing or broken file is an error, not fewer rows
    "spark.sql.files.ignoreMissingFiles": "false",
}
"""All settings on which the meaning of lapcat's statements depends."""


class SparkAccess(Protocol):
    """A way to open sessions. Raises Spark's own errors or lapcat's."""

    def open_session(self, cluster: Cluster) -> SparkSession:
        """A new, unshared session. Refuses if it would not be on the declared cluster."""

    def close_session(self, spark: SparkSession) -> None: ...

    def is_gone(self, spark: SparkSession) -> bool:
        """Whether a session can no longer be used."""

    def name_statements(self, spark: SparkSession, name: str) -> None:
        """Tags the statements of this thread, and of no other, with a name."""

    def stop_statements(self, spark: SparkSession, name: str) -> None:
        """Cancels the jobs of the statements with this name."""

    def hold(self, spark: SparkSession, text: str, name: str) -> None:
        """Creates a temporary view of one row with the text, sent as data: no statement or displayed plan contains it."""

    def unreachable(self) -> EngineFailed: ...


def session(cluster: Cluster = ANY_CLUSTER) -> SparkSession:
    """A new session with pinned settings."""
    _require_pyspark()
    with quiet():
        own = _opened(cluster)
        try:
            _pin(own)
        except Error:
            close(own)
            raise
        except Exception:  # any error of Java or the cluster; its text may name hosts and paths
            close(own)
            raise _way_of(own).unreachable() from None
    return own


def version(cluster: Cluster) -> str:
    """The version of the cluster's Spark, which may differ from PySpark's. Not cached, since Spark may be upgraded."""
    _require_pyspark()
    with quiet():
        own = _opened(cluster)
        try:
            return str(own.version)
        except Exception:
            raise _way_of(own).unreachable() from None
        finally:
            close(own)


def close(spark: SparkSession) -> None:
    """Closes one of lapcat's sessions."""
    _way_of(spark).close_session(spark)


def is_gone(spark: SparkSession) -> bool:
    with quiet():
        return _way_of(spark).is_gone(spark)


def hold(spark: SparkSession, text: str, name: str) -> None:
    """Creates a view of one row whose column `value` is the text; Spark's web UI and logs do not show it."""
    _way_of(spark).hold(spark, text, name)


def unreachable(spark: SparkSession) -> EngineFailed:
    """The error for a session whose cluster does not respond."""
    return _way_of(spark).unreachable()


def _require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise BadQuery(
            "extra-missing",
            "a table has a spark: source, and PySpark is not installed",
            fix="pip install 'lapcat[spark]'",
        ) from None


def _opened(cluster: Cluster) -> SparkSession:
    _require_free(cluster)
    way = _way_to(cluster)
    try:
        return way.open_session(cluster)
    except Error:
        raise
    except Exception:
        raise way.unreachable() from None


def _way_to(cluster: Cluster) -> SparkAccess:
    if (cluster.master or "").startswith("sc://"):
        return connect
    if not connect.is_meant():
        return classic
    if cluster.master is not None:
        raise BadQuery(
            "spark-elsewhere",
            "this process uses Spark Connect, but [engine.spark] names another master",
            why="PySpark starts no driver in such a process, so no statement would reach the declared cluster",
            fix="leave master out of [engine.spark], or use a process without SPARK_REMOTE and without a Connect session",
        )
    return connect


def _way_of(spark: SparkSession) -> SparkAccess:
    return connect if type(spark).__module__.startswith("pyspark.sql.connect.") else classic


def _pin(spark: SparkSession) -> None:
    """Sets each pinned setting that differs. A server that refuses one can be started with it instead."""
    for setting, value in PINNED.items():
        if _has(spark, setting, value):
            continue
        try:
            spark.conf.set(setting, value)
        except Exception:
            if is_gone(spark):
                raise
            raise EngineFailed(
                "spark-unpinned",
                f"Spark does not let lapcat set {setting}",
                why="the meaning of lapcat's statements depends on it",
                fix=f"start Spark, or its server, with --conf {setting}={value}",
            ) from None


def _has(spark: SparkSession, setting: str, value: str) -> bool:
    try:
        return spark.conf.get(setting) == value
    except Exception:
        return False  # unknown setting or no response: the attempt to set it decides


def _require_free(cluster: Cluster) -> None:
    for name in cluster.conf:
        where = name in ("spark.master", "spark.remote")
        if where or name in PINNED or name in classic.STARTED:
            raise BadQuery(
                "spark-setting",
                f"[engine.spark] sets {name}, which lapcat sets itself",
                why="the meaning and logging of its statements must not depend on the catalogue",
                fix='master = "…" under [engine.spark]' if where else f"remove {name} from conf",
            )


LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "pyspark.sql.connect.logging")
_heard = threading.local()


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses PySpark's logging of errors to standard error, which may quote rows, for lapcat's statements."""
    _listen()
    before = getattr(_heard, "nothing", False)
    _heard.nothing = True
    try:
        yield
    finally:
        _heard.nothing = before


@cache
def _listen() -> None:
    from pyspark.logger import PySparkLogger

    for name in LOGGERS:
        # Must be PySpark's own logger class: another class does not accept PySpark's arguments, and that error would replace
        # Spark's.
        PySparkLogger.getLogger(name).addFilter(_Unheard())


class _Unheard(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(_heard, "nothing", False)


class SparkStatements:
    """Runs statements so that Ctrl-C or a timeout cancels their jobs on the cluster.

    Python delivers Ctrl-C only to the main thread, between bytecodes; so the statement runs in another thread, and its jobs
    carry a name by which they are cancelled.
    """

    _names = count(1)

    def run(self, spark: SparkSession, work: Callable[[], T], seconds: float | None = None) -> T:
        way, name = _way_of(spark), f"lapcat-{id(self)}-{next(self._names)}"

        def named() -> T:
            with quiet():
                way.name_statements(spark, name)
                return work()

        worker = ThreadPoolExecutor(1, "lapcat-spark")
        running: Future[T] = worker.submit(named)
        end = None if seconds is None else time.monotonic() + seconds
        try:
            # A wait without a timeout may miss Ctrl-C if the system delivers the signal to another thread.
            while not wait([running], timeout=0.2).done:
                if end is not None and time.monotonic() > end:
                    raise TimeoutError
            return running.result()
        except BaseException:
            while not running.done():  # repeated in case no job had started
                try:
                    with quiet():
                        way.stop_statements(spark, name)
                except Exception:
                    break  # the context or the server is gone, and the jobs with it
                wait([running], timeout=0.1)
            raise
        finally:
            worker.shutdown(wait=False)
