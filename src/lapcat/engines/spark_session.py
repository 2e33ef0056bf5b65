"""The session in which Spark is asked: a clone of the one that is there, or of one that lapcat starts, with settings pinned.

`SparkSession.getActiveSession` is taken if there is one, else one is started: where, the catalogue says ([engine.spark]), or
Spark's own configuration (spark-defaults.conf, SPARK_CONF_DIR, spark-submit); where neither does, Spark runs in this process,
on loopback. The clone shares the cluster and the catalogue with it, and nothing else: no setting of the user's changes what lapcat's
statements mean, and none of these changes the user's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from lapcat.engines.sources import ANY_CLUSTER
from lapcat.errors import BadQuery, EngineFailed
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PINNED = {
    "spark.sql.ansi.enabled": "false",  # nothing that a row holds makes an expression fail
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
STARTED = {
    "spark.app.name": "lapcat",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.debug.maxToStringFields": "0",
    "spark.eventLog.enabled": "false",
}
"""Of a session that lapcat starts itself: nothing listens, nothing is logged that tells of rows."""
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(cluster: Cluster = ANY_CLUSTER) -> SparkSession:
    """A pinned clone of the session that is there, or of one that is started; refused where that is elsewhere."""
    with quiet():
        found = _found(cluster)
        try:
            clone = found.newSession()
            for setting, value in PINNED.items():
                clone.conf.set(setting, value)
        except Exception:  # whatever Java or the cluster says: it may name hosts and paths
            raise unreachable() from None
    return clone


def version(cluster: Cluster) -> str:
    """Of the Spark that would be asked, which need not be PySpark's own."""
    with quiet():
        found = _found(cluster)
        try:
            return str(found.version)
        except Exception:
            raise unreachable() from None


def _found(cluster: Cluster) -> SparkSession:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise BadQuery(
            "extra-missing",
            "a table has a spark: source, and PySpark is not installed",
            fix="pip install 'lapcat[spark]'",
        ) from None
    _require_classic(cluster)
    _require_free(cluster)
    try:
        found: SparkSession = SparkSession.getActiveSession() or _started(cluster)
        master = found.sparkContext.master
    except Exception:
        raise unreachable() from None
    if cluster.master is not None and master != cluster.master:
        raise BadQuery(
            "spark-elsewhere",
            "this process has a Spark session already, of another master than [engine.spark] names",
            why="Spark has one context in a process, so nothing would reach the cluster that is declared",
            fix="spark.stop() before lapcat.open(), or leave master out of [engine.spark]",
        )
    return found


def _require_classic(cluster: Cluster) -> None:
    """Spark Connect has no groups of jobs, by which `Patience` stops a statement; and nothing here was tested with it."""
    from pyspark.sql.utils import is_remote

    if is_remote() or (cluster.master or "").startswith("sc://"):
        raise BadQuery(
            "spark-connect",
            "lapcat does not ask through Spark Connect (sc://)",
            why="lapcat stops statements by groups of jobs, which Connect does not have, and was not tested through it",
            fix='master = "spark://HOST:7077" under [engine.spark], and SPARK_REMOTE unset',
        )


def _require_free(cluster: Cluster) -> None:
    for name in cluster.conf:
        if name in PINNED or name in STARTED or name == "spark.master":
            raise BadQuery(
                "spark-setting",
                f"[engine.spark] sets {name}, which lapcat sets itself",
                why="what its statements mean, and what is logged of them, must not depend on the catalogue",
                fix='master = "…" under [engine.spark]'
                if name == "spark.master"
                else f"remove {name} from conf",
            )


def _started(cluster: Cluster) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        return SparkSession.builder.getOrCreate()
    SparkContext._ensure_initialized()  # so that Spark's own configuration is read
    # not the shared builder, which would remember these settings for a session that the user starts later
    builder = SparkSession.Builder()
    master = cluster.master or SparkConf().get("spark.master", None)
    here = LOOPBACK if master is None or master.startswith("local") else {}
    for setting, value in {**here, **cluster.conf, **STARTED}.items():
        builder = builder.config(setting, value)
    started = (builder if cluster.master is None else builder.master(cluster.master)).getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


def unreachable() -> EngineFailed:
    return EngineFailed(
        "spark-unreachable",
        "Spark cannot be started or reached",
        why="it needs Java 17 or newer, and a master that answers; what it says itself may tell of rows, and stays here",
        fix="java -version, then: python -c 'from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate()'",
    )


_heard = threading.local()


@contextmanager
def quiet() -> Iterator[None]:
    """PySpark writes the errors that it raises to standard error as well, with what they quote; not those of lapcat's
    own statements."""
    logger = logging.getLogger("SQLQueryContextLogger")
    if not any(isinstance(each, _Unheard) for each in logger.filters):
        logger.addFilter(_Unheard())
    before = getattr(_heard, "nothing", False)
    _heard.nothing = True
    try:
        yield
    finally:
        _heard.nothing = before


class _Unheard(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(_heard, "nothing", False)


class Patience:
    """Runs statements so that Ctrl-C, or a limit of time, stops their jobs on the cluster.

    Python delivers Ctrl-C to the main thread alone, and only between its own steps; so the statement runs in another
    thread, and its jobs are a group that is cancelled together.
    """

    _groups = count(1)

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds

    def run(self, spark: SparkSession, work: Callable[[], T]) -> T:
        group = f"lapcat-{id(self)}-{next(self._groups)}"

        def grouped() -> T:
            with quiet():
                # of this thread alone
                spark.sparkContext.setJobGroup(group, "lapcat", interruptOnCancel=True)
                return work()

        worker = ThreadPoolExecutor(1, "lapcat-spark")
        running: Future[T] = worker.submit(grouped)
        waited = 0.0
        try:
            # A wait without a limit may sleep through Ctrl-C, when the system hands the signal to another thread.
            while not wait([running], timeout=0.2).done:
                waited += 0.2
                if self._seconds is not None and waited > self._seconds:
                    raise TimeoutError
            return running.result()
        except BaseException:
            while not running.done():  # again, in case no job had begun
                try:
                    spark.sparkContext.cancelJobGroup(group)
                except Exception:
                    break  # the context is gone, and with it the jobs
                wait([running], timeout=0.1)
            raise
        finally:
            worker.shutdown(wait=False)
