"""Spark whose driver is this process: the session that is there, or one that is started.

Where to start one the catalogue says ([engine.spark]), or Spark's own configuration (spark-defaults.conf, SPARK_CONF_DIR,
spark-submit); where neither does, Spark runs in this process, on loopback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapcat.errors import BadQuery, EngineFailed
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STARTED = {
    "spark.app.name": "lapcat",
    "spark.api.mode": "classic",  # or PySpark may start a server of Spark Connect in its place
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.debug.maxToStringFields": "0",
    "spark.eventLog.enabled": "false",
}
"""Of a session that lapcat starts itself: nothing listens, nothing is logged that tells of rows."""
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def open_session(cluster: Cluster) -> SparkSession:
    return _found(cluster).newSession()


def _found(cluster: Cluster) -> SparkSession:
    from pyspark.sql import SparkSession

    found: SparkSession = SparkSession.getActiveSession() or _started(cluster)
    if cluster.master is not None and found.sparkContext.master != cluster.master:
        raise BadQuery(
            "spark-elsewhere",
            "this process has a Spark session already, of another master than [engine.spark] names",
            why="Spark has one context in a process, so nothing would reach the cluster that is declared",
            fix="spark.stop() before lapcat.open(), or leave master out of [engine.spark]",
        )
    return found


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


def close_session(spark: SparkSession) -> None:
    """Nothing: a session ends with the context, which others may use."""


def is_gone(spark: SparkSession) -> bool:
    """Whether the context under a session is gone: a session outlives it, and is of no use."""
    try:
        return bool(spark.sparkContext._jsc is None or spark.sparkContext._jsc.sc().isStopped())
    except Exception:
        return True


def name_statements(spark: SparkSession, name: str) -> None:
    spark.sparkContext.setJobGroup(name, "lapcat", interruptOnCancel=True)


def stop_statements(spark: SparkSession, name: str) -> None:
    spark.sparkContext.cancelJobGroup(name)


def hold(spark: SparkSession, text: str, name: str) -> None:
    jvm: Any = (
        spark._jvm
    )  # by PySpark's createDataFrame the machines of the cluster would need a Python like this one
    texts = jvm.org.apache.spark.sql.Encoders.STRING()
    spark._jsparkSession.createDataset([text], texts).createOrReplaceTempView(name)


def unreachable() -> EngineFailed:
    return EngineFailed(
        "spark-unreachable",
        "Spark cannot be started or reached",
        why="it needs Java 17 or newer, and a master that answers; what it says itself may tell of rows, and stays here",
        fix="java -version, then: python -c 'from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate()'",
    )
