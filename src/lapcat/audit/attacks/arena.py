"""The deployment that attacks run against: synthetic people in a temporary folder, with a catalogue, a ledger and a budget.

The secrets are known, so the success of an attack can be measured. Of a real deployment only the budget is used.
"""

from __future__ import annotations

import csv
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lapcat.core.exact import exact_text
from lapcat.session import Session
from lapcat.session import open as open_session
from lapcat.session.files import open_deployment, refresh

NUMBER = 128
CANARY = "canary-7f31c9"
"""A text that occurs in rows and must occur nowhere else."""

Person = dict[str, object]


@dataclass(frozen=True, slots=True)
class Arena:
    """A deployment of synthetic people."""

    folder: Path
    people: list[Person]
    epsilon: str
    """The budget, as written in the catalogue."""

    @property
    def catalogue(self) -> Path:
        return self.folder / "lapcat.toml"

    def session(self, analyst: str | None = None) -> Session:
        return open_session(self.catalogue, analyst=analyst)

    def rewrite(self, people: Sequence[Person]) -> None:
        """Replaces the rows in the file. No version is declared, so no query may change."""
        _write(self.folder / "people.csv", people)


def fixture_people(number: int = NUMBER, seed: int = 7) -> list[Person]:
    """People with a public code, and a secret salary and illness."""
    dice = random.Random(seed)
    return [
        {
            "person_id": i + 1,
            "code": i,
            "salary": dice.randrange(20_000, 200_000, 10),
            "ill": dice.randrange(2),
            "note": CANARY,
        }
        for i in range(number)
    ]


@contextmanager
def arena(
    epsilon: object, people: list[Person] | None = None, analysts: Sequence[str] = ()
) -> Iterator[Arena]:
    """A temporary deployment of these people with this budget."""
    from lapcat.core.exact import exact

    written = exact_text(exact(epsilon))
    with tempfile.TemporaryDirectory(prefix="lapcat-attack-") as name:
        deployed = Arena(Path(name), fixture_people() if people is None else people, written)
        _write(deployed.folder / "people.csv", deployed.people)
        deployed.catalogue.write_text(_catalogue(written, len(deployed.people), analysts), encoding="utf-8")
        deployment = open_deployment(deployed.catalogue)
        deployment.require_acceptance()
        refresh(deployment, "people")
        yield deployed


def _write(path: Path, people: Sequence[Person]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, ["person_id", "code", "salary", "ill", "note"])
        rows.writeheader()
        rows.writerows(people)


def _catalogue(epsilon: str, number: int, analysts: Sequence[str]) -> str:
    reason = ', i_understand = "synthetic people"' if float(epsilon) > 10 else ""
    granted = "".join(
        f"\n[analysts.{name}]\ntables = {{ people = {{ epsilon = {epsilon} }} }}\n" for name in analysts
    )
    return f"""\
[ledger]
witness = "none"

[tables.people]
source = "people.csv"
unit = "person_id"
rows_per_unit = 1
budget = {{ epsilon = {epsilon}{reason} }}

[tables.people.columns]
code = {{ type = "integer", low = 0, high = {number - 1} }}
salary = {{ type = "integer", low = 20000, high = 200000, null = 20000 }}
ill = {{ type = "integer", low = 0, high = 1 }}
note = {{ type = "text" }}
{granted}"""
