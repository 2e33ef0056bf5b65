"""Bugs of the limits on a question's work and price."""

from __future__ import annotations

from lapcat.testing.mutants.mutant import Mutant, put


def _look_for_a_constant() -> None:
    from lapcat.plan.compile import Program

    put(Program, "public_values", None)


def _price_below_the_floor() -> None:
    from lapcat.session import question

    put(question, "require_floor", lambda inquiry, program: None)


MUTANTS = (
    Mutant(
        "look-for-a-constant",
        "rows are read for a question whose every number is public",
        "tests/unit/test_public_numbers.py::test_a_public_number_is_stated_by_the_plan_and_no_engine_is_asked[a count]",
        _look_for_a_constant,
    ),
    Mutant(
        "price-below-the-floor",
        "a question that reads rows may cost next to nothing",
        "tests/unit/test_floor.py::test_private_groups_have_the_same_floor",
        _price_below_the_floor,
    ),
)
