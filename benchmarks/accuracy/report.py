"""Error at the same epsilon and bounds: lapcat beside OpenDP, Tumult Analytics, PipelineDP and SmartNoise SQL.

    python benchmarks/accuracy/peers.py --install            optional, once
    python benchmarks/accuracy/report.py [--repeats 200] [--epsilon 1] [--seconds 60] [--keep FOLDER]
    python benchmarks/accuracy/report.py --table census --question median --tool "Tumult Analytics" --repeats 600

Two tables of 20 000 rows; person-level COUNT, SUM, AVG, MEDIAN, STDDEV by group, each at the full epsilon, and COUNT, SUM and
AVG together at one. Each tool runs in its own process and virtual environment, on the same Parquet. The error is the root mean
square, over groups and repeats, of the released minus the true answer on the raw rows; its interval is the bootstrap's over
repeats. The bias from contribution bounds and clamps is the same in every repeat, so the spread around a tool's own mean is
shown too: that is the error of noise and of sampled rows. `--seconds` is the time limit per question and tool; slow tools
repeat less often. A full run takes hours: `--keep` stores the answers question by question and asks only those that are
missing, so that an interrupted run can continue.
`--table`, `--question` and `--tool` (repeatable) select a subset, to repeat some cells more often.
Exits with 1 if lapcat is significantly worse than a tool, or not 1.4 times better than one that splits epsilon in three.
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
SPLIT_IN_THREE = ("OpenDP", "Tumult Analytics")
"""Tools whose COUNT, SUM and AVG share no statistic, as asked by their scripts here."""
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
        """The figure on BOOTSTRAP resamples of the repeats."""
        rng, n = np.random.default_rng(3), len(self.missed)
        of = getattr(self, figure)
        return np.array([of(rng.integers(0, n, n)) for _ in range(BOOTSTRAP)])

    def shown(self, figure: str) -> str:
        low, high = np.quantile(self.drawn(figure), [0.025, 0.975])
        return f"{getattr(self, figure)():8.4g} [{low:.3g}, {high:.3g}]"


def ratio(peer: Errors, ours: Errors, figure: str) -> tuple[float, float, float]:
    """The ratio of a peer's error to lapcat's, with its 95 % interval."""
    low, high = np.quantile(peer.drawn(figure) / ours.drawn(figure)[::-1], [0.025, 0.975])
    return getattr(peer, figure)() / getattr(ours, figure)(), float(low), float(high)


def ask(peer: Peer, task: Task, folder: Path, keep: Path) -> dict[str, Any]:
    """The tool's answers, new or stored; each question runs in its own process and is stored separately."""
    answers: dict[str, Any] = {"released": {}, "failed": {}}
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
            line = f"{peer.name}, {task.name}, {question}: {time.monotonic() - start:.0f} s"
            print(line, file=sys.stderr, flush=True)
        result: dict[str, Any] = json.loads(kept.read_text())
        merged = {part: {**answers[part], **result[part]} for part in ("released", "failed")}
        answers = {**result, **merged}
    return answers


def errors_of(result: dict[str, Any], task: Task) -> dict[tuple[str, str], Errors]:
    """Errors by question and output."""
    true = truth(task)
    errors = {}
    for question, released in result["released"].items():
        for output in released[0] if released else ():
            answers = np.array(
                [[repeat[output][key] for key in task.keys] for repeat in released], np.float64
            )
            # NaN, such as the root of a negative noisy variance, counts as 0.
            errors[question, output] = Errors(
                np.nan_to_num(answers) - [true[output][key] for key in task.keys]
            )
    return errors


def compare(task: Task, tools: list[Peer], folder: Path, keep: Path) -> list[str]:
    """Prints the figures of one table; returns the missed targets."""
    print(
        f"\n{task.name}: {ROWS:,} rows, {len(task.keys)} groups, epsilon {task.epsilon:g}, at most {task.rows_each} rows each"
    )
    answered = {tool.name: ask(tool, task, folder, keep) for tool in tools}
    errors = {name: errors_of(answers, task) for name, answers in answered.items()}
    ours, missed = errors[LAPCAT.name], []
    for name, answers in answered.items():
        print(f"  {name} {answers['version']}: {answers['how']['all']}")
    for question in (*QUESTIONS, "by hand"):
        print(f"  {question}")
        for name, answers in answered.items():
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
                if question == "together" and name in SPLIT_IN_THREE and times < BETTER:
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
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
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
