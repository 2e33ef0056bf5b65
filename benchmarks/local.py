"""Time of the local model for a million people, compared with pure-ldp and multi-freq-ldpy if they are installed.

    python benchmarks/local.py              exits with 1 if a target is missed
    python benchmarks/local.py --install    installs the peers first, into ~/.cache/lapcat-peers/local

One run, epsilon = 1: encodes and aggregates all reports. The peers take minutes to hours for a million people, so they get
fewer and their time, which is linear in the number of people, is scaled.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from lapcat.core.coins import system_coins
from lapcat.local import Hadamard, Hashing, Response, Unary
from lapcat.local.base import counted

PEOPLE = 10**6
PEERS = Path(os.environ.get("LAPCAT_PEERS", Path.home() / ".cache" / "lapcat-peers")) / "local"
EPSILON = Fraction(1)
REQUIREMENTS = (
    "pure-ldp",
    "multi-freq-ldpy",
    "scikit-learn",
    "statsmodels",
    "xxhash<3.6",
)  # undeclared dependencies of pure-ldp

RESPONSE_SECONDS, HADAMARD_SECONDS = 0.1, 0.2  # at most
RESPONSE_RATIO, HASHING_RATIO = 10.0, 100.0  # minimum speed-up over a peer
HASHING_MEGABYTES = 512.0  # maximum growth of the process

ASK = """
import json, sys, time
people, values, what = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
data = [i % values for i in range(people)]
if what.startswith("pure-ldp"):
    if "response" in what:
        from pure_ldp.frequency_oracles.direct_encoding import DEClient as Client, DEServer as Server
        client, server = Client(epsilon=1, d=values, index_mapper=lambda x: x), Server(epsilon=1, d=values, index_mapper=lambda x: x)
    else:
        from pure_ldp.frequency_oracles.local_hashing import LHClient as Client, LHServer as Server
        client = Client(epsilon=1, d=values, use_olh=True, index_mapper=lambda x: x)
        server = Server(epsilon=1, d=values, use_olh=True, index_mapper=lambda x: x)
    begin = time.perf_counter()
    for value in data:
        server.aggregate(client.privatise(value))
    print(json.dumps(time.perf_counter() - begin))
else:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client, GRR_Aggregator_MI
    GRR_Client(0, values, 1.0)  # compile before timing
    begin = time.perf_counter()
    GRR_Aggregator_MI([GRR_Client(value, values, 1.0) for value in data], values, 1.0)
    print(json.dumps(time.perf_counter() - begin))
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A measured figure and its upper, or lower, limit."""

    what: str
    figure: float
    unit: str
    target: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.figure >= self.target if self.at_least else self.figure <= self.target


def timed(work: Callable[[], object], repeats: int = 9) -> float:
    """The minimum time of several runs."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def collected(randomiser: Response | Unary | Hashing | Hadamard) -> Callable[[], object]:
    """Encodes reports of a million people, and aggregates the support of every value."""
    values = np.arange(PEOPLE) % randomiser.values

    def work() -> object:
        reports = randomiser.draw(values, system_coins())
        return randomiser.support([counted(reports, tally) for tally in randomiser.tallies], PEOPLE)

    return work


def peer_seconds(what: str, people: int, values: int) -> float | None:
    """A peer's time scaled to a million people; None if it is not installed."""
    python = PEERS / "bin" / "python"
    if not (PEERS / "installed").exists():
        return None
    done = subprocess.run(
        [str(python), "-c", ASK, str(people), str(values), what], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"{what} failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return float(json.loads(done.stdout)) * PEOPLE / people


def install() -> None:
    venv.create(PEERS, with_pip=True, clear=True)
    pip = [str(PEERS / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *REQUIREMENTS], check=True)
    (PEERS / "installed").touch()


def run() -> list[Row]:
    response = timed(collected(Response(EPSILON, 100)))
    hadamard = timed(collected(Hadamard(EPSILON, 10_000)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hashing = timed(collected(Hashing(EPSILON, 10_000)))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rows = [
        Row("response, 100 values: encode + aggregate", response, "s", RESPONSE_SECONDS),
        Row("hadamard, 10 000 values: encode + aggregate", hadamard, "s", HADAMARD_SECONDS),
        Row("hashing, 10 000 values: encode + aggregate", hashing, "s", float("inf")),
        Row("hashing, 10 000 values: additional memory", grown, "MB", HASHING_MEGABYTES),
        Row(
            "unary, 100 values: encode + aggregate",
            timed(collected(Unary(EPSILON, 100)), 1),
            "s",
            float("inf"),
        ),
    ]
    for what, people, values, ours, ratio in (
        ("pure-ldp response", 10**5, 100, response, RESPONSE_RATIO),
        ("multi-freq-ldpy response", 10**5, 100, response, RESPONSE_RATIO),
        ("pure-ldp hashing", 10**4, 10_000, hashing, HASHING_RATIO),
    ):
        theirs = peer_seconds(what, people, values)
        if theirs is None:
            print(f"{what}: not installed; python benchmarks/local.py --install", file=sys.stderr)
        else:
            rows.append(
                Row(
                    f"{what}: {theirs:.3g} s for a million, relative to lapcat",
                    theirs / ours,
                    "×",
                    ratio,
                    True,
                )
            )
    return rows


def main() -> int:
    if "--install" in sys.argv:
        install()
    rows = run()
    for row in rows:
        sign = "" if row.target == float("inf") else f"{'≥' if row.at_least else '≤'} {row.target:g}"
        print(f"{'ok  ' if row.met else 'MISS'} {row.what:62} {row.figure:12.4g} {row.unit:3} {sign}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
