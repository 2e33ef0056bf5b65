"""Mutants of the limits on a question's work and price."""

from __future__ import annotations

from lapcat.testing.mutants.mutant import Mutant, put


def _look_for_a_constant() -> None:
    from lapcat.plan.compile import Program

    put(Program, "public_values", None)


def _price_below_the_floor() -> None:
    from lapcat.session import question

    put(question, "require_floor", lambda context, program: None)


def _size_not_checked() -> None:
    from lapcat.session import work

    put(work, "require", lambda name, number, limits: None)


def _joined_rows_not_checked() -> None:
    from lapcat.plan import compile as compiled

    put(compiled, "require_room", lambda plan, room: None)


MUTANTS = (
    Mutant(
        "size-not-checked",
        "a question may have more groups, conditions or tables than [limits] allows",
        "tests/unit/test_limits.py::"
        "test_a_question_beyond_a_limit_is_refused_by_its_name_and_the_stewards_line_helps[predicates]",
        _size_not_checked,
    ),
    Mutant(
        "joined-rows-not-checked",
        "one unit may contribute any number of joined rows",
        "tests/golden/test_golden.py::test_a_question_becomes_what_is_written_down[shop/error_joined_rows]",
        _joined_rows_not_checked,
    ),
    Mutant(
        "look-for-a-constant",
        "rows are read for a question whose every number is public",
        "tests/unit/test_public_numbers.py::test_a_public_number_is_stated_by_the_plan_and_no_engine_is_asked[a count]",
        _look_for_a_constant,
    ),
    Mutant(
        "price-below-the-floor",
        "a question that reads rows may cost less than the minimum price",
        "tests/unit/test_floor.py::test_private_groups_have_the_same_floor",
        _price_below_the_floor,
    ),
)
