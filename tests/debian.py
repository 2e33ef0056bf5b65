"""Programs that tests need and that Debian has: found, or installed first where that may be done (as root, or with CI=true)."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class Missing(Exception):
    """A program is not there, and may not be installed from here; the text says how to."""


def found_or_installed(find: Callable[[], T | None], what: str, packages: str) -> T:
    """What `find` finds, if need be after these packages were installed."""
    command = f"apt-get update && apt-get install -y --no-install-recommends {packages}"
    tool, output = find(), ""
    if tool is None and _may_install():
        # Tests run in several processes, and each of them may be the first that needs something.
        with open(Path(tempfile.gettempdir()) / f"lapcat-apt-{os.getuid()}", "w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            tool = find()
            if tool is None:
                output = _install(command)
                tool = find()
    if tool is None:
        raise Missing(f"{what} is not installed; as root: {command}{output}")
    return tool


def _may_install() -> bool:
    allowed = os.geteuid() == 0 or os.environ.get("CI", "").lower() in ("1", "true")
    return allowed and shutil.which("apt-get") is not None


def _install(command: str) -> str:
    """Quietly, and patiently: another apt-get may be at work, and a mirror may be in the middle of an update. What it
    said where it failed all the same."""
    by_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    patient = command.replace("apt-get", "apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3")
    line = [*by_root, "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", patient]
    for pause in (5, 20, 0):
        done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode == 0:
            return ""
        time.sleep(pause)
    return "\n" + (done.stdout + done.stderr)[-2000:]
