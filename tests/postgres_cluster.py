"""A PostgreSQL server of one's own: in a temporary folder, behind a Unix socket, gone at the end however that comes.

Debian's binaries are used, and installed first where they are missing and that may be done (as root, or with CI=true).
The server runs as a user without rights, listens on no port, and syncs to the disk as a real one does.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.debian import found_or_installed

ACCESS = "local all guarded scram-sha-256\nlocal all all trust\n"
"""pg_hba.conf: who reaches the socket, in a folder that only the owner enters, is let in; but `guarded` by password."""


def binaries() -> Path:
    """The folder with initdb and pg_ctl, of the newest version there is; installs them if it may."""
    return found_or_installed(_find, "PostgreSQL", "postgresql")


def _find() -> Path | None:
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    versions = sorted(debian, key=lambda initdb: float(initdb.parts[-3]))
    if versions:
        return versions[-1].parent
    elsewhere = shutil.which("initdb")
    return None if elsewhere is None else Path(elsewhere).resolve().parent


class Cluster:
    """One server. `stop` and `start` as a power cut would, `remove` for good."""

    def __init__(self) -> None:
        self._bin = binaries()
        self._as_user = ["runuser", "-u", _user(), "--"] if os.geteuid() == 0 else []
        self.folder = Path(tempfile.mkdtemp(prefix="lapcat-pg-", dir="/tmp"))  # a socket's path must be short
        if self._as_user:
            shutil.chown(self.folder, _user())
        self._guard = self._guarded()
        self._run("initdb", "-U", "steward", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", self._data)
        (self.folder / "data" / "pg_hba.conf").write_text(ACCESS)
        with open(self.folder / "data" / "postgresql.conf", "a") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n")
            settings.write("max_connections = 60\nshared_buffers = 32MB\n")
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def url(self, database: str = "postgres", user: str = "steward") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def emptied(self) -> str:
        """The address of a database without a ledger. Whoever is still connected, from a test before, is sent away."""
        from lapcat.ledger.store_urls import state_witness

        self.cut("DROP SCHEMA IF EXISTS lapcat CASCADE")
        state_witness(self.url()).path.unlink(missing_ok=True)  # as if nobody had ever been here
        return self.url()

    def cut(self, then: str = "") -> None:
        """Ends every other session, as a restarted server or a firewall does."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                f"WHERE datname = current_database() AND pid <> pg_backend_pid(); {then}"
            )

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-D", self._data, "-l", str(self.folder / "log"), "start")

    def stop(self, mode: str = "immediate") -> None:
        """`immediate` is what a power cut is to the server: no checkpoint, nothing finished."""
        self._run("pg_ctl", "-w", "-D", self._data, "-m", mode, "stop")

    def remove(self) -> None:
        """Stops the server and deletes its folder."""
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        self._guard.wait(60)

    def _guarded(self) -> subprocess.Popen[bytes]:
        """A process that waits until its input ends, by `remove` or because we are gone (killed, too), and cleans up."""
        stop = shlex.join([*self._as_user, str(self._bin / "pg_ctl"), "-D", self._data, "-m", "immediate"])
        script = f"cat; cd /; {stop} stop; rm -rf {shlex.quote(str(self.folder))}"
        return subprocess.Popen(
            ["sh", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, not for it
        )

    def _run(self, program: str, *arguments: str) -> None:
        command: Sequence[str] = [*self._as_user, str(self._bin / program), *arguments]
        # To a file, not to a pipe: the server inherits it, and a pipe would be waited for as long as the server lives.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=self.folder
            )
            if done.returncode != 0:
                output.seek(0)
                raise RuntimeError(f"{shlex.join(command)} failed:\n{output.read()}")


def _user() -> str:
    """Whoever root lets the server run as: PostgreSQL refuses to run as root."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
