"""One Spark for all tests of a run: in this process, on loopback, started by the first test that needs it.

Its warehouse ends with the run. Java is installed first where it is missing and that may be done (as root, or with CI=true);
otherwise, or without PySpark, the tests are skipped, and listed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.debian import Missing, found_or_installed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def require_spark() -> None:
    """Raises Missing where PySpark or Java is not there."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise Missing("PySpark is not installed; pip install 'lapcat[spark]'") from None
    found_or_installed(lambda: shutil.which("java"), "Java, which Spark needs,", "openjdk-17-jre-headless")


class Spark:
    """One local Spark. `stop` as if its machine had gone, `start` again, `remove` for good."""

    def __init__(self) -> None:
        require_spark()
        self.folder = Path(tempfile.mkdtemp(prefix="lapcat-spark-"))
        self.session = self.start()

    def start(self) -> SparkSession:
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "2",
            "spark.default.parallelism": "2",
            "spark.sql.warehouse.dir": (self.folder / "warehouse").as_uri(),
            # Java's second compiler pays only where much is computed: without it these tests take little more than half.
            "spark.driver.extraJavaOptions": f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dderby.system.home={self.folder}",
            "spark.local.dir": str(self.folder / "local"),
        }
        builder = SparkSession.builder.master("local[2]").appName("lapcat tests")
        for setting, value in settings.items():
            builder = builder.config(setting, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        return self.session

    def stop(self) -> None:
        self.session.stop()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
