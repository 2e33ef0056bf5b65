"""Start-up time of commands relative to `import numpy`: `lapcat --help`, `lapcat epsilon 4` and `lapcat preview`.

python benchmarks/start.py [ROUNDS]        15 rounds by default; each runs all of them once
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from question import SUMMARY, deployment

LAPCAT = str(Path(sys.executable).with_name("lapcat"))
BASE = (sys.executable, "-c", "import numpy")
PREVIEW = (LAPCAT, "preview", SUMMARY.format(source="staff"), "--epsilon", "0.5")
AIMS = {(LAPCAT, "--help"): 2.5, (LAPCAT, "epsilon", "4"): 4.0, PREVIEW: 6.0}


def seconds(command: tuple[str, ...], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    return time.perf_counter() - start


def main(rounds: int) -> int:
    """Prints ratios of the fastest runs, since other load only adds time."""
    fastest: dict[tuple[str, ...], float] = {}
    with tempfile.TemporaryDirectory() as folder:
        deployment(Path(folder), 1000)
        for _ in range(rounds):
            for command in (BASE, *AIMS):
                fastest[command] = min(seconds(command, folder), fastest.get(command, float("inf")))
    missed = 0
    print(f"import numpy: {1000 * fastest[BASE]:.0f} ms")
    for command, aim in AIMS.items():
        ratio = fastest[command] / fastest[BASE]
        missed += ratio > aim
        shown = " ".join(("lapcat", *command[1:]))
        print(
            f"{shown}: {1000 * fastest[command]:.0f} ms, {ratio:.2f} × (aim {aim:g}){'' if ratio <= aim else '  MISSED'}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
