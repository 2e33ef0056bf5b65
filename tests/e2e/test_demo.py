"""The story that a newcomer is told first."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path

from lapcat.cli.demo_data import PEOPLE, Lily, people
from tests.e2e.kit import Desk


def processor_time_of_children() -> float:
    """Seconds, of commands that have ended: on a busy machine others take their share of the clock's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_demo_tells_its_story_quickly_and_plainly(tmp_path: Path) -> None:
    before = processor_time_of_children()
    done = Desk(tmp_path).run("demo")
    took = processor_time_of_children() - before
    assert (done.code, done.err) == (0, ""), done
    assert took < 10, "about 1.5 s on an idle machine"
    for words in (
        "A table about 20 000 people",
        "whether you are in the data: from 50 % to 73.1 % at most",
        "would cost ε 0.5; no row was read, nothing was spent",
        "spent ε 0.5",
        "free: answered before",
        "Lily earns 83 410",
        "the difference: ",
        "BudgetExceeded [budget-exceeded]",
        "epsilon 0.3 left",
        "lapcat init staff.csv",
    ):
        assert words in done.out, words
    assert "Press Enter to continue" not in done.out, "nobody is there to press it"
    assert "\x1b" not in done.out and max(map(len, done.out.splitlines())) <= 100
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_the_demo_leaves_its_files_where_they_are_wanted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert desk.run("demo", "play", "--plain").code == 0
    assert desk.run("budget", "--json", "-c", "play/lapcat.toml").json()["tables"]["staff"]["left"] == {
        "epsilon": "0.3"
    }
    again = desk.run("demo", "play")
    assert again.code == 2 and "[catalogue-exists]" in again.err
    shutil.rmtree(tmp_path / "play")
    assert desk.run("demo", "play").code == 0, "no witness keeps a folder from being made again"


def test_the_people_are_the_same_in_every_run_and_lily_is_alone() -> None:
    columns = people()
    assert columns == people() and {len(values) for values in columns.values()} == {PEOPLE}
    lily = Lily()
    salaries = [
        salary
        for department, age, salary in zip(
            columns["department"], columns["age"], columns["salary"], strict=True
        )
        if department == lily.department and age == lily.age
    ]
    assert salaries == [lily.salary]
