"""Spark Connect: sessions on a server that runs the driver and may have other clients.

The server comes from the catalogue ([engine.spark] master = "sc://…"), else from the process's active session, else from
SPARK_REMOTE. Sessions have random identifiers, so any number can be open at once.

Pinned settings cannot be lost unnoticed. The server's first response contains its own session identifier, which the client
sends with every later request; a server that was restarted or dropped the session does not know that identifier and refuses
the request instead of running it in a new session (tests/engines/test_spark_connect.py restarts one).
"""

from __future__ import annotations

import atexit
import os
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from lapcat.errors import BadArgument, BadQuery, EngineFailed
from lapcat.plan.schema import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RETRIES, LONGEST = 6, 2000
"""Number of retries of a request that did not arrive, and the maximum backoff in milliseconds: about eight seconds in all. By default
PySpark retries for ten minutes, during which a question seems to be running."""

_open: WeakSet[Any] = WeakSet()


def is_meant() -> bool:
    """Whether this process uses Spark Connect: it has a Connect session, or SPARK_REMOTE is set."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        return True
    from pyspark import SparkContext

    return "SPARK_REMOTE" in os.environ and SparkContext._active_spark_context is None


def open_session(cluster: Cluster) -> SparkSession:
    remote = _pyspark()
    beside, ours = _beside(remote, cluster)
    own = beside.newSession()
    if ours:
        _forget(beside)
    _open.add(own)
    _end_without_pyspark(own)
    from pyspark.sql.connect.client.retries import DefaultPolicy

    own.client.set_retry_policies([DefaultPolicy(max_retries=RETRIES, max_backoff=LONGEST)])
    try:
        for setting, value in cluster.conf.items():
            _set(own, setting, value)
    except Exception:
        close_session(own)
        raise
    return own  # type: ignore[no-any-return]


def _pyspark() -> Any:
    """PySpark's Connect session class."""
    try:
        with warnings.catch_warnings():
            # about the pandas version, which PySpark requires and lapcat does not use
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise _missing("but the packages that PySpark needs for it are not installed") from None
    if not hasattr(SparkSession, "newSession"):
        raise _missing("but this PySpark cannot open a second session")
    return SparkSession


def _missing(what: str) -> BadArgument:
    return BadArgument(
        "extra-missing",
        f"Spark Connect is configured, {what}",
        fix="pip install 'pyspark[connect]>=4.3'",
    )


def _beside(remote: Any, cluster: Cluster) -> tuple[Any, bool]:
    """A session on the server, and whether lapcat opened it."""
    from pyspark.errors import PySparkRuntimeError

    if cluster.master is not None:
        return remote(_channel(cluster.master)), True
    try:
        return remote.active(), False
    except PySparkRuntimeError:
        address = os.environ.get("SPARK_REMOTE", "")
    if not address.startswith("sc://"):
        raise BadQuery(
            "spark-connect",
            "Spark Connect is configured, but no server is named",
            why="this process has no Connect session any more, and SPARK_REMOTE names no server",
            fix='master = "sc://HOST:15002" under [engine.spark]',
        )
    return remote(_channel(address)), True


def _channel(address: str) -> Any:
    """A channel with its own subchannel pool. By default gRPC shares a server's unreachable state among all sessions of a
    process for up to two minutes."""
    from pyspark.sql.connect.client import DefaultChannelBuilder

    return DefaultChannelBuilder(address, [("grpc.use_local_subchannel_pool", 1)])


def _set(spark: Any, setting: str, value: str) -> None:
    try:
        spark.conf.set(setting, value)
    except Exception:
        if is_gone(spark):
            raise
        raise BadQuery(
            "spark-setting",
            f"[engine.spark] sets {setting}, which the Spark Connect server does not let clients set",
            why="the server manages its own resources",
            fix=f"remove {setting} from conf, and start the server with it",
        ) from None


def close_session(spark: SparkSession) -> None:
    """Releases the session on the server too, where it would idle for an hour. Not by `stop`, which would also stop a server that
    the user's session started."""
    client: Any = spark.client
    if not client.is_closed:
        client.set_retry_policies([])
        with suppress(Exception):  # if the server is gone, the session is too
            client.release_session()
    _forget(spark)


def _forget(spark: Any) -> None:
    _open.discard(spark)
    _end_without_pyspark(spark)
    spark.client.close()


def _end_without_pyspark(spark: Any) -> None:
    """Unregisters PySpark's exit handler, which keeps the session alive until exit and then hangs on a call that can no longer
    start; `_close_all` replaces it."""
    on_exit = getattr(spark.client, "_on_exit", None)
    if on_exit is not None:
        atexit.unregister(on_exit)


@atexit.register
def _close_all() -> None:
    for spark in list(_open):
        close_session(spark)


def is_gone(spark: SparkSession) -> bool:
    """Whether the server has dropped the session: it was restarted, or the session expired."""
    try:
        spark.conf.get("spark.app.name", "")
    except Exception:
        return True
    return False


def name_statements(spark: SparkSession, name: str) -> None:
    spark.addTag(name)


def stop_statements(spark: SparkSession, name: str) -> None:
    spark.interruptTag(name)


def hold(spark: SparkSession, text: str, name: str) -> None:
    spark.createDataFrame([(text,)], "value string").createOrReplaceTempView(name)


def unreachable() -> EngineFailed:
    return EngineFailed(
        "spark-unreachable",
        "the Spark Connect server cannot be reached",
        why="it does not respond, or rejects the token; its own message may quote rows and is not shown",
        fix="check that it runs and that PySpark can connect: python -c 'from pyspark.sql import SparkSession; "
        'print(SparkSession.builder.remote("sc://HOST:15002").getOrCreate().version)\'',
    )
