"""What somebody waits for who types a small command: `lapcat --help` and `lapcat epsilon 4`, beside `import numpy`.

python benchmarks/start.py [ROUNDS]        15 rounds by default; each asks all of them in turn
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
    """Ratios of the fastest runs: what else the machine does only ever adds."""
    fastest: dict[tuple[str, ...], float] = {}
    for _ in range(rounds):
        for command in (BASE, *AIMS):
            fastest[command] = min(seconds(command), fastest.get(command, float("inf")))
    missed = 0
    print(f"import numpy: {1000 * fastest[BASE]:.0f} ms")
    for command, aim in AIMS.items():
        ratio = fastest[command] / fastest[BASE]
        missed += ratio > aim
        told = " ".join(("lapcat", *command[1:]))
        print(
            f"{told}: {1000 * fastest[command]:.0f} ms, {ratio:.2f} × (aim {aim:g}){'' if ratio <= aim else '  MISSED'}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
