"""A server of Spark Connect of one's own, which asks for a token."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

import pytest

from tests.spark_cluster import PATIENCE, Machines

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
TOKEN = "wellensittich"
NAME = "server"


class ConnectServer(Machines):
    """Two cores. After `kill`, `begin` starts it again at the same address."""

    memory = "1g"

    def __init__(self) -> None:
        super().__init__()
        self._port = "0"
        try:
            self.begin()
        except BaseException:
            self.remove()
            raise

    def begin(self) -> None:
        settings = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": self._port,
            "spark.connect.authenticate.token": TOKEN,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"-Dderby.system.home={self.folder}",
            "spark.ui.port": "0",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": (self.folder / "warehouse").as_uri(),
            "spark.local.dir": str(self.folder / "local"),
        }
        given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        self.start(NAME, "spark-submit", "--master", "local[2]", "--class", SERVER, *given, "spark-internal")
        self._port = self.said(NAME, r"Spark Connect server started at: 127\.0\.0\.1:(\d+)")

    @property
    def url(self) -> str:
        return f"sc://localhost:{self._port}"

    def running(self) -> int:
        """How many jobs the server itself says to be running."""
        return len(json.loads(self._application("jobs?status=running")))

    def shown(self) -> str:
        """What its pages say of statements, and of the plans that it made of them."""
        statements = self._application("sql?details=true&planDescription=true&length=100000")
        return statements + self._page("connect/")

    def _application(self, rest: str) -> str:
        (application,) = json.loads(self._page("api/v1/applications"))
        return self._page(f"api/v1/applications/{application['id']}/{rest}")

    def _page(self, path: str) -> str:
        port = self.said(NAME, r"service 'SparkUI' on port (\d+)")
        with urlopen(f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def comes_to(self, jobs: int, seconds: float = PATIENCE) -> bool:
        """Waits until it has so many jobs running, or is taken for stuck."""
        until = time.monotonic() + seconds
        while self.running() != jobs:
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def log(self) -> str:
        return (self.folder / f"{NAME}.log").read_text(errors="replace")


@contextmanager
def with_token() -> Iterator[None]:
    """Where a process keeps it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN)
        yield
