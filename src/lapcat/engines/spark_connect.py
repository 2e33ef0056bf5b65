"""Spark Connect: sessions on a server that has a driver of its own, and others who use it.

Which server the catalogue says ([engine.spark] master = "sc://…"), else the session that the process has, else SPARK_REMOTE. A
session is known to the server by a number that is drawn for it, so any number of them can be open side by side.

What was pinned in a session is not lost unnoticed. The first answer of the server names its own number of the session, which the
client sends with every later request; a server that has begun again, or has dropped the session, does not have that number, and
refuses the request in place of running it in a new session (tests/engines/test_spark_connect.py begins one again).
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
"""How often a request is sent again that did not arrive, and the milliseconds before the last ones: all in all eight seconds or
so. By itself PySpark goes on for ten minutes, in which a question seems to be computed."""

_open: WeakSet[Any] = WeakSet()


def is_meant() -> bool:
    """Whether this process asks Spark through Connect: it has such a session, or the environment says so."""
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
    """PySpark's class of sessions by Connect."""
    try:
        with warnings.catch_warnings():
            # of versions of pandas, which PySpark wants to be there and lapcat makes no use of
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise _missing("and what PySpark needs for that is not installed") from None
    if not hasattr(SparkSession, "newSession"):
        raise _missing("and this PySpark cannot open a second session there")
    return SparkSession


def _missing(what: str) -> BadArgument:
    return BadArgument(
        "extra-missing",
        f"Spark is to be asked through Spark Connect, {what}",
        fix="pip install 'pyspark[connect]>=4.3'",
    )


def _beside(remote: Any, cluster: Cluster) -> tuple[Any, bool]:
    """A session at the server, and whether it is there for our sake alone."""
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
            "Spark is to be asked through Spark Connect, and nothing says where its server is",
            why="this process has no session of Connect any more, and SPARK_REMOTE names no server",
            fix='master = "sc://HOST:15002" under [engine.spark]',
        )
    return remote(_channel(address)), True


def _channel(address: str) -> Any:
    """By default gRPC remembers for all sessions of a process that a server was away, and for up to two minutes does not see
    that it is back."""
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
            f"[engine.spark] sets {setting}, which a server of Spark Connect does not let others set",
            why="its machines and their memory are the server's own",
            fix=f"remove {setting} from conf, and have the server started with it",
        ) from None


def close_session(spark: SparkSession) -> None:
    """Ends it on the server as well, where it would wait an hour for more; not by its own `stop`, which would end a server that
    the user's session has started."""
    client: Any = spark.client
    if not client.is_closed:
        client.set_retry_policies([])
        with suppress(Exception):  # if the server is gone, so is the session
            client.release_session()
    _forget(spark)


def _forget(spark: Any) -> None:
    _open.discard(spark)
    _end_without_pyspark(spark)
    spark.client.close()


def _end_without_pyspark(spark: Any) -> None:
    """What PySpark would do with a session when the process ends keeps it alive until then, and makes that end wait for ever
    for a call that it begins when nothing can be begun any more; `_close_all` does what is needed."""
    on_exit = getattr(spark.client, "_on_exit", None)
    if on_exit is not None:
        atexit.unregister(on_exit)


@atexit.register
def _close_all() -> None:
    for spark in list(_open):
        close_session(spark)


def is_gone(spark: SparkSession) -> bool:
    """Whether the server knows the session no more: it was begun again, or nobody has asked for long."""
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
        "the server of Spark Connect cannot be reached",
        why="it does not answer, or not to this token; what it says itself may tell of rows, and stays here",
        fix="see that it runs, and whether PySpark reaches it: python -c 'from pyspark.sql import SparkSession; "
        'print(SparkSession.builder.remote("sc://HOST:15002").getOrCreate().version)\'',
    )
