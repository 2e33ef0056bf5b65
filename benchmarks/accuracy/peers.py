"""The tools that lapcat is compared with, each in its own virtual environment.

python benchmarks/accuracy/peers.py             shows which are installed
python benchmarks/accuracy/peers.py --install   installs those that are not; a few hundred megabytes each
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
WHERE = Path(os.environ.get("LAPCAT_PEERS", Path.home() / ".cache" / "lapcat-peers"))


@dataclass(frozen=True)
class Peer:
    """A tool, its script, and its pip requirements."""

    name: str
    script: str
    requirements: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return WHERE / self.script.removeprefix("ask_").removesuffix(".py")

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python" if self.requirements else Path(sys.executable)

    @property
    def installed(self) -> bool:
        return not self.requirements or (self.folder / "installed").exists()

    def install(self) -> str:
        """Empty on success, else the end of pip's error output."""
        venv.create(self.folder, with_pip=True, clear=True)
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, *self.requirements], capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip()[-500:]
        (self.folder / "installed").touch()
        return ""


LAPCAT = Peer("lapcat", "ask_lapcat.py")
PEERS = (
    Peer("OpenDP", "ask_opendp.py", ("opendp[polars]", "pyarrow")),
    Peer("Tumult Analytics", "ask_tumult.py", ("tmlt.analytics", "pyarrow")),
    Peer("PipelineDP", "ask_pipelinedp.py", ("pipeline-dp", "pandas", "pyarrow")),
    Peer("SmartNoise SQL", "ask_smartnoise.py", ("smartnoise-sql", "pyarrow")),
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--install", action="store_true")
    given = arguments.parse_args()
    for peer in PEERS:
        error = ""
        if given.install and not peer.installed:
            print(f"{peer.name}: installing into {peer.folder} …", flush=True)
            error = peer.install()
        print(f"{peer.name}: {'installed' if peer.installed else 'not installed'} {error}")


if __name__ == "__main__":
    main()
