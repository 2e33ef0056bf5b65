"""Spark on machines of one's own: on loopback, from PySpark's own jars, gone at the end however that comes.

A machine is a process group, so that a worker and its executors go together. Ports are the system's choice.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 300
"""Seconds after which a machine is taken for stuck."""
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
WORKERS = ("worker1", "worker2")


class Machines:
    """Programs of Spark, each by a name. `kill` as if a plug were pulled, `remove` for good."""

    memory = "256m"
    """Of each program."""

    def __init__(self) -> None:
        import pyspark

        self._home = Path(pyspark.__file__).parent
        self.folder = Path(tempfile.mkdtemp(prefix="lapcat-cluster-"))
        self._guard = self._guarded()
        self._machines: dict[str, subprocess.Popen[bytes]] = {}

    def kill(self, name: str) -> None:
        machine = self._machines.pop(name)
        os.killpg(machine.pid, signal.SIGKILL)
        machine.wait(PATIENCE)

    def remove(self) -> None:
        for name in list(self._machines):
            self.kill(name)
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        self._guard.wait(PATIENCE)

    def start(self, name: str, program: str, *options: str) -> None:
        environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": self.memory,
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            machine = subprocess.Popen(
                [str(self._home / "bin" / program), *options],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        self._machines[name] = machine
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{machine.pid}\n".encode())
        self._guard.stdin.flush()

    def said(self, name: str, pattern: str) -> str:
        log = self.folder / f"{name}.log"
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._machines[name].poll() is None:
            if match := re.search(pattern, log.read_text(errors="replace")):
                return match[1]
            time.sleep(0.1)
        raise AssertionError(f"{name} does not start:\n{log.read_text(errors='replace')[-2000:]}")

    def _guarded(self) -> subprocess.Popen[bytes]:
        """A process that is told of each machine, waits until its input ends (by `remove`, or because we are gone, killed
        too), and cleans up."""
        script = (
            'all=""; while read -r machine; do all="$all $machine"; done; cd /; '
            'for machine in $all; do kill -9 -- "-$machine" 2>/dev/null; done; '
            f"rm -rf {shlex.quote(str(self.folder))}"
        )
        return subprocess.Popen(
            ["sh", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, not for it
        )


class SparkCluster(Machines):
    """A master, and two workers of one core each."""

    def __init__(self) -> None:
        super().__init__()
        try:
            self._start("master", MASTER)
            self.url = self.said("master", r"Starting Spark master at (spark://\S+)")
            for worker in WORKERS:
                own = ("--work-dir", str(self.folder / worker), "--cores", "1", "--memory", "700m")
                self._start(worker, WORKER, *own, self.url)
            for worker in WORKERS:
                self.said(worker, r"Successfully registered with master (\S+)")
        except BaseException:
            self.remove()
            raise

    def _start(self, name: str, kind: str, *options: str) -> None:
        here = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.start(name, "spark-class", kind, *here, *options)
