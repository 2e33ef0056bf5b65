"""The session in which Spark is asked: one of lapcat's own, beside those that are there, with settings pinned.

It shares the cluster and the catalogue with them, and nothing else: no setting of the user's changes what lapcat's statements
mean, and none of these changes the user's. A session is had in one of two ways: Spark's driver is this process
(spark_classic.py), or a server (spark_connect.py).
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

from lapcat.engines import spark_classic, spark_connect
from lapcat.engines.sources import ANY_CLUSTER
from lapcat.errors import BadQuery, EngineFailed, Error
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PINNED = {
    "spark.sql.ansi.enabled": "false",  # nothing that a row holds makes an expression fail
    "spark.sql.cbo.joinReorder.enabled": "false",  # joins in the plan's order have bounded results (plan/produced.py)
    "spark.sql.cbo.starSchemaDetection": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",  # or a text like ${spark.…} would become a setting's value
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
    "spark.sql.files.ignoreCorruptFiles": "false",  # a file that is gone or broken is a failure, not fewer rows
    "spark.sql.files.ignoreMissingFiles": "false",
}
"""What lapcat's statements mean must depend on nothing else."""


class SparkAccess(Protocol):
    """How a session is had. What goes wrong is raised as Spark says it, if not as an error of lapcat's."""

    def open_session(self, cluster: Cluster) -> SparkSession:
        """A new one, of nobody else; refused where the cluster that is declared would not be asked."""

    def close_session(self, spark: SparkSession) -> None: ...

    def is_gone(self, spark: SparkSession) -> bool:
        """Whether a session is of no use any more."""

    def name_statements(self, spark: SparkSession, name: str) -> None:
        """From now on those of this thread, and of no other, bear this name."""

    def stop_statements(self, spark: SparkSession, name: str) -> None:
        """Their jobs end on the cluster."""

    def hold(self, spark: SparkSession, text: str, name: str) -> None:
        """A temporary view of one row, the text, which comes as data: no statement and no plan that Spark shows holds it."""

    def unreachable(self) -> EngineFailed: ...


def session(cluster: Cluster = ANY_CLUSTER) -> SparkSession:
    """A session of lapcat's own, with settings pinned."""
    _require_pyspark()
    with quiet():
        own = _opened(cluster)
        try:
            _pin(own)
        except Error:
            close(own)
            raise
        except Exception:  # whatever Java or the cluster says: it may name hosts and paths
            close(own)
            raise _way_of(own).unreachable() from None
    return own


def version(cluster: Cluster) -> str:
    """Of the Spark that would be asked, which need not be PySpark's own; asked anew, since it may have been upgraded."""
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
    """Lets go of a session of lapcat's own."""
    _way_of(spark).close_session(spark)


def is_gone(spark: SparkSession) -> bool:
    with quiet():
        return _way_of(spark).is_gone(spark)


def hold(spark: SparkSession, text: str, name: str) -> None:
    """A view of one row, whose column `value` is the text; Spark's pages and logs do not show it."""
    _way_of(spark).hold(spark, text, name)


def unreachable(spark: SparkSession) -> EngineFailed:
    """What is said of the cluster of a session that does not answer."""
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
        return spark_connect
    if not spark_connect.is_meant():
        return spark_classic
    if cluster.master is not None:
        raise BadQuery(
            "spark-elsewhere",
            "this process asks Spark through Spark Connect, and [engine.spark] names a master",
            why="PySpark starts no driver in such a process, so nothing would reach the cluster that is declared",
            fix="leave master out of [engine.spark], or ask in a process without SPARK_REMOTE and without such a session",
        )
    return spark_connect


def _way_of(spark: SparkSession) -> SparkAccess:
    return spark_connect if type(spark).__module__.startswith("pyspark.sql.connect.") else spark_classic


def _pin(spark: SparkSession) -> None:
    """Sets what is not so yet: a server may refuse to have it set, and then can be started with it."""
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
                why="what lapcat's statements mean depends on it",
                fix=f"have Spark, or its server, started with --conf {setting}={value}",
            ) from None


def _has(spark: SparkSession, setting: str, value: str) -> bool:
    try:
        return spark.conf.get(setting) == value
    except Exception:
        return False  # no such setting in this version, or nobody answers: setting it will tell


def _require_free(cluster: Cluster) -> None:
    for name in cluster.conf:
        where = name in ("spark.master", "spark.remote")
        if where or name in PINNED or name in spark_classic.STARTED:
            raise BadQuery(
                "spark-setting",
                f"[engine.spark] sets {name}, which lapcat sets itself",
                why="what its statements mean, and what is logged of them, must not depend on the catalogue",
                fix='master = "…" under [engine.spark]' if where else f"remove {name} from conf",
            )


LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "pyspark.sql.connect.logging")
_heard = threading.local()


@contextmanager
def quiet() -> Iterator[None]:
    """PySpark writes the errors that it raises to standard error as well, with what they quote; not those of lapcat's
    own statements."""
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
        # Asked for by PySpark's own class: one of another class could not take what PySpark says, and the error of that would
        # be raised in place of Spark's.
        PySparkLogger.getLogger(name).addFilter(_Unheard())


class _Unheard(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(_heard, "nothing", False)


class SparkStatements:
    """Runs statements so that Ctrl-C, or a limit of time, stops their jobs on the cluster.

    Python delivers Ctrl-C to the main thread alone, and only between its own steps; so the statement runs in another
    thread, and what it sends bears a name, by which it is stopped.
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
            # A wait without a limit may sleep through Ctrl-C, when the system hands the signal to another thread.
            while not wait([running], timeout=0.2).done:
                if end is not None and time.monotonic() > end:
                    raise TimeoutError
            return running.result()
        except BaseException:
            while not running.done():  # again, in case no job had begun
                try:
                    with quiet():
                        way.stop_statements(spark, name)
                except Exception:
                    break  # the context or the server is gone, and with it the jobs
                wait([running], timeout=0.1)
            raise
        finally:
            worker.shutdown(wait=False)
