"""Start-up time of small commands, `lapcat --help` and `lapcat epsilon 4`, relative to `import numpy`.

python benchmarks/start.py [ROUNDS]        15 rounds by default; each runs all of them once
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

LAPCAT = str(Path(sys.executable).with_name("lapcat"))
BASE = (sys.executable, "-c", "import numpy")
AIMS = {(LAPCAT, "--help"): 2.5, (LAPCAT, "epsilon", "4"): 4.0}


def seconds(command: tuple[str, ...]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main(rounds: int) -> int:
    """Prints ratios of the fastest runs, since other load only adds time."""
    fastest: dict[tuple[str, ...], float] = {}
    for _ in range(rounds):
        for command in (BASE, *AIMS):
            fastest[command] = min(seconds(command), fastest.get(command, float("inf")))
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
