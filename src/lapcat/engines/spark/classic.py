"""Spark with the driver in this process: uses the active session, or starts one.

The master comes from the catalogue ([engine.spark]) or from Spark's own configuration (spark-defaults.conf, SPARK_CONF_DIR,
spark-submit); by default Spark runs locally in this process, on loopback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapcat.errors import BadQuery, EngineFailed
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STARTED = {
    "spark.app.name": "lapcat",
    "spark.api.mode": "classic",  # or PySpark may start a Spark Connect server instead
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.debug.maxToStringFields": "0",
    "spark.eventLog.enabled": "false",
}
"""Settings of a session that lapcat starts: no web UI, and no logs that could reveal rows."""
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def open_session(cluster: Cluster) -> SparkSession:
    return _shared_session(cluster).newSession()


def _shared_session(cluster: Cluster) -> SparkSession:
    from pyspark.sql import SparkSession

    session: SparkSession = SparkSession.getActiveSession() or _started(cluster)
    if cluster.master is not None and session.sparkContext.master != cluster.master:
        raise BadQuery(
            "spark-elsewhere",
            "this process already has a Spark session, whose master is not the one in [engine.spark]",
            why="Spark has one context per process, so no statement would reach the declared cluster",
            fix="spark.stop() before lapcat.open(), or leave master out of [engine.spark]",
        )
    return session


def _started(cluster: Cluster) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._active_spark_context is not None:
        return SparkSession.builder.getOrCreate()
    SparkContext._ensure_initialized()  # reads Spark's own configuration
    # not the shared builder, which would apply these settings to sessions that the user starts later
    builder = SparkSession.Builder()
    master = cluster.master or SparkConf().get("spark.master", None)
    here = LOOPBACK if master is None or master.startswith("local") else {}
    for setting, value in {**here, **cluster.conf, **STARTED}.items():
        builder = builder.config(setting, value)
    started = (builder if cluster.master is None else builder.master(cluster.master)).getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


def close_session(spark: SparkSession) -> None:
    """Does nothing: a session ends with the context, which others may use."""


def is_gone(spark: SparkSession) -> bool:
    """Whether the session's context has stopped. A session outlives its context but cannot be used."""
    try:
        return bool(spark.sparkContext._jsc is None or spark.sparkContext._jsc.sc().isStopped())
    except Exception:
        return True


def name_statements(spark: SparkSession, name: str) -> None:
    spark.sparkContext.setJobGroup(name, "lapcat", interruptOnCancel=True)


def stop_statements(spark: SparkSession, name: str) -> None:
    spark.sparkContext.cancelJobGroup(name)


def hold(spark: SparkSession, text: str, name: str) -> None:
    jvm: Any = spark._jvm  # PySpark's createDataFrame would need the same Python on the cluster
    texts = jvm.org.apache.spark.sql.Encoders.STRING()
    spark._jsparkSession.createDataset([text], texts).createOrReplaceTempView(name)


def unreachable() -> EngineFailed:
    return EngineFailed(
        "spark-unreachable",
        "Spark cannot be started or reached",
        why="it needs Java 17 or newer and a reachable master; its own message may quote rows and is not shown",
        fix="java -version, then: python -c 'from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate()'",
    )
