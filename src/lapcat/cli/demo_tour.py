"""The scenes of `lapcat demo`. Every answer in it is computed by lapcat itself, as for a user."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import lapcat
from lapcat.cli.answers import answer_lines
from lapcat.cli.budgets import budget_lines
from lapcat.cli.commands.epsilon import short_lines
from lapcat.cli.demo_data import CATALOGUE, PEOPLE, TYPES, Lily, people
from lapcat.cli.demo_exact import ask_exactly
from lapcat.cli.failing import error_lines
from lapcat.cli.previews import preview_lines
from lapcat.cli.screen import Screen, StyledText
from lapcat.errors import BadQuery, Bug
from lapcat.render.meaning import explain
from lapcat.render.tables import shown_number

if TYPE_CHECKING:
    from lapcat.session.results import Answer

QUESTION = "SELECT department, AVG(salary) AS pay, COUNT(*) AS people FROM staff GROUP BY department"
_LILY = Lily()
EVERYBODY = f"SELECT COUNT(*) AS n, SUM(salary) AS total FROM staff WHERE department = '{_LILY.department}'"
WITHOUT_LILY = f"{EVERYBODY} AND age <> {_LILY.age}"
PRICE, ATTACK_PRICE, TOO_MUCH = "0.5", "0.1", "0.4"


class DemoTour:
    """Creates the table in a folder, then plays analyst and attacker. `turn` is called between scenes."""

    def __init__(self, folder: Path, screen: Screen, turn: Callable[[], None] = lambda: None) -> None:
        self.folder, self.turn = folder, turn
        self.screen = replace(screen, terminal=True)  # wraps sentences in a pipe too
        self.scene_number = 0

    def play(self) -> None:
        self.make_table()
        self.explain_epsilon()
        self.preview()
        answer = self.ask()
        self.ask_again(answer)
        self.attack_exact_answers()
        self.attack_lapcat()
        self.overspend()

    # -------------------------------------------------------------------------------------------- scenes

    def make_table(self) -> None:
        from lapcat.engines.duckdb.fixtures import write_fixture_file
        from lapcat.session.files import open_deployment, refresh

        self.scene(
            f"A table about {shown_number(PEOPLE, 0)} people",
            "They are made up, and work at a cat shelter. The steward has declared in lapcat.toml who is protected (each "
            "person) and the budget for all questions together: ε = 1. The number ε (epsilon) bounds how much the answers "
            "can reveal about any one person; smaller is safer.",
        )
        catalogue = self.folder / "lapcat.toml"
        if catalogue.exists():
            raise BadQuery(
                "catalogue-exists",
                f"{catalogue} already exists and is not overwritten",
                fix="lapcat demo ./another-folder",
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data = self.folder / "staff.parquet"
        write_fixture_file(people(), TYPES, self.data)
        catalogue.write_text(CATALOGUE, encoding="utf-8")
        deployment = open_deployment(catalogue)
        deployment.require_acceptance()
        refresh(deployment, "staff", lambda fraction: None)
        self.session = lapcat.open(catalogue)
        self.screen.show(budget_lines(self.session.budget(), self.screen))

    def explain_epsilon(self) -> None:
        self.scene(
            "What does ε = 1 mean for one of them?",
            "Somebody thinks it 50 % likely that Lily works there. Then they see every answer that this budget can buy. At "
            "worst, whatever else they know, they become this sure:",
        )
        self.typed("lapcat epsilon 1")
        self.screen.show(short_lines(explain(1), self.screen))

    def preview(self) -> None:
        self.scene("What would a question cost?", "A preview is free and reads no row.")
        self.typed(f'lapcat preview "{QUESTION}" --epsilon {PRICE}')
        preview = self.session.sql(QUESTION).preview(epsilon=PRICE)
        self.screen.show(preview_lines(preview, self.session.gauges(), self.screen))

    def ask(self) -> Answer:
        self.scene(
            "The answer, with error bars",
            "Random noise, just enough to hide any one person, is added to every number. The intervals show how far off "
            "each number may be.",
        )
        self.typed(f'lapcat ask "{QUESTION}" --epsilon {PRICE}')
        return self.answered(QUESTION, PRICE)

    def ask_again(self, first: Answer) -> None:
        self.scene(
            "The same question again",
            "It is free and gives the same numbers, so nobody can average the noise away by asking a thousand times.",
        )
        again = self.answered(QUESTION, PRICE)
        if again.rows != first.rows or not again.free:
            raise Bug("demo-differs", "the repeated question of the demo was not free or gave another answer")

    def attack_exact_answers(self) -> None:
        self.scene(
            "An attack on exact answers",
            f"Lily works in {_LILY.department} and is the only one there aged {_LILY.age}. What does she earn? An ordinary "
            "database answers two harmless totals, one of them without her:",
        )
        everybody = ask_exactly(self.data, "staff", EVERYBODY)
        without = ask_exactly(self.data, "staff", WITHOUT_LILY)
        for label, (count, total) in ((_LILY.department, everybody), (f"… except age {_LILY.age}", without)):
            self.line(
                f"{label:<18}{shown_number(int(count), 0):>8} people  {shown_number(int(total), 0):>13} in salaries"
            )
        difference = shown_number(int(everybody[1] - without[1]), 0)
        self.line(
            f"{'the difference':<18}{int(everybody[0] - without[0]):>8} person  {difference:>13}", "bold red"
        )
        self.say(f"Lily earns {difference}. Neither question named her, and both were totals over thousands.")

    def attack_lapcat(self) -> None:
        self.scene("The same attack on lapcat", "The same two questions, each for ε = 0.1:")
        self.typed(f'lapcat ask "{EVERYBODY}" --epsilon {ATTACK_PRICE}')
        everybody = self.answered(EVERYBODY, ATTACK_PRICE)
        self.typed(f'lapcat ask "{WITHOUT_LILY}" --epsilon {ATTACK_PRICE}')
        without = self.answered(WITHOUT_LILY, ATTACK_PRICE)
        difference = everybody["total"][0] - without["total"][0]
        reach = sum(answer["total_high"][0] - answer["total_low"][0] for answer in (everybody, without)) / 2
        shown = f"{shown_number(round(difference), 0)}, give or take {shown_number(round(reach), 0)}"
        self.line(f"the difference: {shown}", "bold green")
        self.say(
            "That says nothing about a salary between 20 000 and 200 000: Lily could earn anything, or not work there at "
            "all. Yet each total is accurate to a few per cent."
        )

    def overspend(self) -> None:
        self.scene(
            "The budget ends",
            "Every new question reveals a little, so each is charged. When the budget is used up, new questions are refused.",
        )
        self.screen.show(budget_lines(self.session.budget(), self.screen))
        question = "SELECT AVG(age) AS age FROM staff"
        self.typed(f'lapcat ask "{question}" --epsilon {TOO_MUCH}')
        try:
            self.session.sql(question).run(epsilon=TOO_MUCH)
        except lapcat.BudgetExceeded as refusal:
            width = self.screen.wrapping_width
            lines = error_lines(refusal, None if width is None else width - 1)
            self.screen.show([[StyledText(" "), *line] for line in lines])
        else:
            raise Bug("demo-differs", "a question of the demo beyond the budget was answered")
        self.say("A refusal costs nothing and reads no row.", "")
        self.line("Your own data:      lapcat init staff.csv", "bold")
        self.line(
            "What an ε means:    lapcat epsilon 1"
            if self.screen.drawn
            else "What epsilon means: lapcat epsilon 1",
            "bold",
        )

    # -------------------------------------------------------------------------------------------- output

    def scene(self, title: str, text: str) -> None:
        if self.scene_number:
            self.turn()
        self.scene_number += 1
        self.screen.show([[], [StyledText(f"{self.scene_number}. {title}", "bold cyan")]])
        self.say(text)

    def say(self, *texts: str) -> None:
        for text in texts:
            if not self.screen.drawn:
                text = text.replace("ε", "epsilon").replace("…", "...")
            lines = textwrap.wrap(text, min(self.screen.width, 100) - 2) or [""]
            self.screen.say(*(f" {line}" for line in lines))

    def typed(self, command: str) -> None:
        lines = textwrap.wrap(command, min(self.screen.width, 100) - 5, break_on_hyphens=False)
        self.screen.show(
            [
                [StyledText(" $ " if index == 0 else "   ", "dim"), StyledText(line, "bold")]
                for index, line in enumerate(lines)
            ]
        )

    def line(self, text: str, style: str = "") -> None:
        self.screen.show([[StyledText(f" {text}", style)]])

    def answered(self, question: str, price: str) -> Answer:
        answer = self.session.sql(question).run(epsilon=price)
        self.screen.show(answer_lines(answer, self.screen))
        return answer
