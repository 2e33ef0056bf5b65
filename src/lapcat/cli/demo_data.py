"""The synthetic people of `lapcat demo`: 20 000, the same in every run."""

from __future__ import annotations

import random
from dataclasses import dataclass

from lapcat.plan.schema import Type

SEED = 11
PEOPLE = 20_000
DEPARTMENTS = {"cat care": 31_000, "kitchen": 29_000, "night watch": 33_000, "office": 44_000, "vets": 62_000}
"""Department → starting salary."""

CATALOGUE = """\
# The catalogue of `lapcat demo`: the decisions of the steward. All of it is public.

[ledger]
witness = "none"                  # made-up people: this folder may be deleted. Remove this line for real data.

[tables.staff]
source = "staff.parquet"
unit = "person_id"                # privacy unit: each person_id is protected
rows_per_unit = 1
budget = { epsilon = 1 }          # the total for all questions of all analysts

[tables.staff.columns]
department = { type = "text", keys = ["cat care", "kitchen", "night watch", "office", "vets"] }
age = { type = "integer", low = 18, high = 70 }
salary = { type = "integer", low = 20000, high = 200000, null = 20000 }
"""

TYPES = {
    "person_id": Type.INTEGER,
    "department": Type.TEXT,
    "age": Type.INTEGER,
    "salary": Type.INTEGER,
}


@dataclass(frozen=True, slots=True)
class Lily:
    """The target of the attack. Her colleagues know her department and her age."""

    department: str = "cat care"
    age: int = 64
    salary: int = 83_410


def people(seed: int = SEED, count: int = PEOPLE) -> dict[str, list[int | str]]:
    """The columns of the table. Lily is the only person of her age in her department."""
    dice = random.Random(seed)
    lily = Lily()
    columns: dict[str, list[int | str]] = {"person_id": [], "department": [], "age": [], "salary": []}
    for number in range(1, count + 1):
        department = dice.choice(list(DEPARTMENTS))
        age = dice.randint(18, 66)
        experience = (age - 18) * 450
        salary = DEPARTMENTS[department] + experience + int(dice.expovariate(1 / 6_000))
        if department == lily.department and age == lily.age:
            age -= dice.randint(1, 20)
        if number == count // 2:
            department, age, salary = lily.department, lily.age, lily.salary
        row: tuple[int | str, ...] = (number, department, age, min(salary, 200_000) // 10 * 10)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return columns
