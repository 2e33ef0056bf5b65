"""Error at the same epsilon and bounds: lapcat beside OpenDP, Tumult Analytics, PipelineDP and SmartNoise SQL.

    python benchmarks/accuracy/peers.py --install            optional, once
    python benchmarks/accuracy/report.py [--repeats 200] [--epsilon 1] [--seconds 60] [--keep FOLDER]
    python benchmarks/accuracy/report.py --table census --question median --tool "Tumult Analytics" --repeats 600

Two tables of 20 000 rows; person-level COUNT, SUM, AVG, MEDIAN, STDDEV by group, each for the whole epsilon, and COUNT, SUM
and AVG together for one. Each tool runs in a process and a virtual environment of its own, on the same Parquet. The error is
the root mean square over groups and repeats of the released minus the true answer on the raw rows; its interval is the
bootstrap's over repeats. What a limit on a person's rows and a clamp add is the same on average for every repeat, so the spread
around a tool's own average is shown beside it: that is the error of noise and of sampled rows. `--seconds` is the time for each
question of a tool, which is then repeated less often. All of it takes hours: `--keep` keeps what tools answered,
question by question, and asks only those that are not there yet, so that a run that was broken off goes on.
`--table`, `--question` and `--tool` (each once or several times) leave the others out, to repeat some cells more often.
Exits with 1 if lapcat is worse than a tool by more than chance, or not 1.4 times better than one that pays three times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from asking import QUESTIONS, Task
from numpy.typing import NDArray
from peers import HERE, LAPCAT, PEERS, Peer
from tables import ROWS, census, shop, truth

TABLES = {"census": census, "shop": shop}
BETTER = 1.4
PAY_THREE_TIMES = ("OpenDP", "Tumult Analytics")
"""Whose COUNT, SUM and AVG share no statistic, as their files here ask for them."""
OUTPUTS = ("count", "sum", "avg")
BOOTSTRAP = 1000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """Released minus true, by repeat and group."""

    missed: Floats

    def rmse(self, picks: NDArray[np.int64] | slice = slice(None)) -> float:
        return float(np.sqrt(np.mean(self.missed[picks] ** 2)))

    def spread(self, picks: NDArray[np.int64] | slice = slice(None)) -> float:
        return float(np.sqrt(np.mean(np.var(self.missed[picks], axis=0, ddof=1))))

    def drawn(self, figure: str) -> Floats:
        """The figure of so many drawings of repeats with replacement."""
        rng, n = np.random.default_rng(3), len(self.missed)
        of = getattr(self, figure)
        return np.array([of(rng.integers(0, n, n)) for _ in range(BOOTSTRAP)])

    def shown(self, figure: str) -> str:
        low, high = np.quantile(self.drawn(figure), [0.025, 0.975])
        return f"{getattr(self, figure)():8.4g} [{low:.3g}, {high:.3g}]"


def ratio(peer: Errors, ours: Errors, figure: str) -> tuple[float, float, float]:
    """How many times lapcat's error a peer's is, with its 95 % interval."""
    low, high = np.quantile(peer.drawn(figure) / ours.drawn(figure)[::-1], [0.025, 0.975])
    return getattr(peer, figure)() / getattr(ours, figure)(), float(low), float(high)


def ask(peer: Peer, task: Task, folder: Path, keep: Path) -> dict[str, Any]:
    """What the tool answered: now, or before, if it was kept; each question in a process of its own, and kept by itself."""
    found: dict[str, Any] = {"released": {}, "failed": {}}
    for question in task.questions:
        kept = keep / f"{peer.folder.name}_{task.name}_{question}.json"
        if not kept.exists():
            path = folder / f"{task.name}.json"
            replace(task, questions=[question]).write(path)
            command = [str(peer.python), str(HERE / peer.script), str(path)]
            start = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            if done.returncode:
                sys.exit(f"{peer.name} on {task.name}: {done.stderr[-2000:]}")
            kept.write_text(done.stdout)
            told = f"{peer.name}, {task.name}, {question}: {time.monotonic() - start:.0f} s"
            print(told, file=sys.stderr, flush=True)
        one: dict[str, Any] = json.loads(kept.read_text())
        merged = {part: {**found[part], **one[part]} for part in ("released", "failed")}
        found = {**one, **merged}
    return found


def errors_of(found: dict[str, Any], task: Task) -> dict[tuple[str, str], Errors]:
    """By question and output."""
    true = truth(task)
    errors = {}
    for question, released in found["released"].items():
        for output in released[0] if released else ():
            answers = np.array([[one[output][key] for key in task.keys] for one in released], np.float64)
            # What is not a number, as the root of a noisy variance below 0, counts as 0.
            errors[question, output] = Errors(
                np.nan_to_num(answers) - [true[output][key] for key in task.keys]
            )
    return errors


def compare(task: Task, tools: list[Peer], folder: Path, keep: Path) -> list[str]:
    """Prints the figures of one table; the targets that were missed."""
    print(
        f"\n{task.name}: {ROWS:,} rows, {len(task.keys)} groups, epsilon {task.epsilon:g}, at most {task.rows_each} rows each"
    )
    found = {tool.name: ask(tool, task, folder, keep) for tool in tools}
    errors = {name: errors_of(answers, task) for name, answers in found.items()}
    ours, missed = errors[LAPCAT.name], []
    for name, answers in found.items():
        print(f"  {name} {answers['version']}: {answers['how']['all']}")
    for question in (*QUESTIONS, "by hand"):
        print(f"  {question}")
        for name, answers in found.items():
            outputs = [output for asked, output in errors[name] if asked == question]
            if not outputs:
                why = answers["failed"].get(question) or answers["how"].get(question)
                if why and question in QUESTIONS:
                    print(f"    {name:17} –  {why}")
                continue
            for output in outputs:
                error = errors[name][question, output]
                line = (
                    f"    {name:17}{output:7} RMSE {error.shown('rmse'):30} spread {error.shown('spread'):30}"
                )
                mine = ours.get((question if question in QUESTIONS else "together", output))
                if mine and name != LAPCAT.name:
                    times, low, high = ratio(error, mine, "spread")
                    line += f" {times:5.2f} × [{low:.2f}, {high:.2f}]"
                    if high < 1 and question in QUESTIONS:
                        missed.append(
                            f"{task.name}: {name} has less error than lapcat in {question} {output}"
                        )
                print(line + f"  ({len(error.missed)} repeats; {answers['how'].get(question, 'as above')})")
            if question in ("together", "by hand") and name != LAPCAT.name and ("together", "avg") in ours:
                figures = [errors[name][question, o].spread() / ours["together", o].spread() for o in OUTPUTS]
                times = float(np.exp(np.mean(np.log(figures))))
                print(f"    {name:17}COUNT, SUM and AVG: {times:.2f} × lapcat's error (geometric mean)")
                if question == "together" and name in PAY_THREE_TIMES and times < BETTER:
                    missed.append(f"{task.name}: {name} together, {times:.2f} instead of {BETTER} ×")
    return missed


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--epsilon", type=float, default=1)
    arguments.add_argument("--repeats", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--table", action="append", choices=list(TABLES))
    arguments.add_argument("--question", action="append", choices=QUESTIONS)
    arguments.add_argument("--tool", action="append", choices=[peer.name for peer in PEERS])
    given = arguments.parse_args()
    peers = [peer for peer in PEERS if not given.tool or peer.name in given.tool]
    tools = [LAPCAT, *(peer for peer in peers if peer.installed)]
    for peer in peers:
        if not peer.installed:
            print(f"{peer.name} is not installed: python benchmarks/accuracy/peers.py --install")
    missed = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        keep = given.keep or folder / "kept"
        keep.mkdir(exist_ok=True)
        for name in given.table or TABLES:
            questions = given.question or list(QUESTIONS)
            task = TABLES[name](folder, given.epsilon, given.repeats, given.seconds, questions)
            missed += compare(task, tools, folder, keep)
    print("\n" + "\n".join(missed or ["no target was missed"]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
