"""Planted bugs, each with the test that must catch it. A test that cannot fail is no test.

`plant` puts a bug into the running process, by replacing one name where it is used. Only tests/conftest.py calls it,
before any test is imported, in a process of its own that tests/mutants starts and that must come out red.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug, in words, and the test that catches it."""

    name: str
    what: str
    caught_by: str
    plant: Callable[[], None]


def plant(name: str) -> None:
    """Puts the bug of this name into the process, for good."""
    next(mutant for mutant in MUTANTS if mutant.name == name).plant()


def _half_scale() -> None:
    from lapcat.core.mechanisms import laplace

    many, one = laplace.discrete_laplace, laplace.discrete_laplace_one
    _replace(laplace, "discrete_laplace", lambda scale, n, coins: many(scale / 2, n, coins))
    _replace(laplace, "discrete_laplace_one", lambda scale, coins: one(scale / 2, coins))


def _zero_twice() -> None:
    from lapcat.core.sampling import laplace

    honest = laplace.Tail
    _replace(laplace, "Tail", lambda rate, *, folded: honest(rate, folded=False))


def _clamp_after_the_sum() -> None:
    from lapcat.engines.sql import statement
    from lapcat.engines.sql.words import call

    def unclamped(x: Any, low: Any, high: Any, kind: Any, otherwise: Any = None) -> Any:
        return x if otherwise is None else call("coalesce", x, otherwise)

    _replace(statement, "clamped", unclamped)  # what is left is the clamp of the cell's total


def _nan_through_the_clamp() -> None:
    from lapcat.engines.sql import statement
    from lapcat.engines.sql.words import between, case, less

    def careless(x: Any, low: Any, high: Any, kind: Any, otherwise: Any = None) -> Any:
        """NaN sorts above everything, so it becomes the upper end."""
        return case(
            (between(x, low, high), x), (less(x, low), low), (less(high, x), high), otherwise=otherwise
        )

    _replace(statement, "clamped", careless)


def _half_even() -> None:
    from lapcat.engines.sql import statement
    from lapcat.engines.sql.words import call, double, number, times, try_cast

    def rounded(x: Any, exponent: int) -> Any:
        return try_cast(call("round_even", times(x, double(2.0**-exponent)), number(0)), "BIGINT")

    _replace(statement, "_floored", rounded)


def _bound_forgotten() -> None:
    from lapcat.engines.sql import statement
    from lapcat.engines.sql.words import equal, number

    _replace(statement, "at_most", lambda rank, most: equal(number(1), number(1)))


def _event_forgotten() -> None:
    from lapcat.core.event import JointRelease
    from lapcat.core.loss import PureDP

    def all_but_one(event: JointRelease) -> PureDP:
        epsilons = sorted((part.loss.epsilon for part in event.parts), reverse=True)[: event.most]
        return PureDP(sum(epsilons[1:], Fraction(0)))

    _replace(JointRelease, "loss", property(all_but_one))


def _refund() -> None:
    from lapcat.ledger.sqlite.ledger import SQLiteLedger

    def failed(ledger: SQLiteLedger, debit_id: int) -> None:
        with ledger._store.writing() as transaction:
            transaction.append("failed", {"debit": debit_id})
            transaction.connection.execute("UPDATE spent SET epsilon = 0, rho = 0")

    _replace(SQLiteLedger, "failed", failed)


def _unknown_taken_as_proof() -> None:
    from lapcat.plan import predicates

    honest = predicates._better

    def gullible(*arguments: Any, **named: Any) -> Any:
        answer = honest(*arguments, **named)
        return replace(answer, status="unsat") if answer.status == "unknown" else answer

    _replace(predicates, "_better", gullible)


def _stream_shared_after_fork() -> None:
    from lapcat.core.coins import Coins

    honest = Coins._rekey

    def once(coins: Coins) -> None:
        if not hasattr(coins, "_stream"):
            honest(coins)

    _replace(Coins, "_rekey", once)


def _maximum_for_conditions() -> None:
    from lapcat.plan import predicates
    from lapcat.plan.schema import Relation

    honest = predicates.joint

    def largest(parts: Any, relation: Relation, **named: Any) -> Any:
        return honest(parts, Relation.ADD_REMOVE, **named)

    _replace(predicates, "joint", largest)


def _maximum_for_groups() -> None:
    from lapcat.plan import facts

    honest = facts.statistic_facts

    def one_group(group: Any, statistic: Any, rows: Any) -> Any:
        found = honest(group, statistic, rows)
        if group.cells == 1 or rows.relation is not facts.Relation.REPLACE_ONE:
            return found
        half = found.sensitivity.l1 / 2
        linf = min(found.sensitivity.linf, half)
        return replace(
            found, sensitivity=replace(found.sensitivity, linf=linf, l1=half, l2_squared=half * half)
        )

    _replace(facts, "statistic_facts", one_group)


def _replace(owner: Any, name: str, other: object) -> None:
    if not hasattr(owner, name):
        raise AttributeError(
            f"a planted bug replaces {name}, which {owner} no longer has: move the mutant along"
        )
    setattr(owner, name, other)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "half-scale",
        "noise is drawn at half the scale that is paid for",
        "tests/laws/test_laws.py::test_draws_follow_the_law[many at once-laplace-1]",
        _half_scale,
    ),
    Mutant(
        "zero-twice",
        "a magnitude with a fair sign, in which zero has two signs",
        "tests/laws/test_laws.py::test_draws_follow_the_law[many at once-laplace-1]",
        _zero_twice,
    ),
    Mutant(
        "clamp-after-the-sum",
        "rows are added up as they are, and only the total is clamped",
        "tests/engines/test_the_same_rows_any_way.py::test_every_way_to_hold_rows_gives_the_specified_integers[row-parquet]",
        _clamp_after_the_sum,
    ),
    Mutant(
        "nan-through-the-clamp",
        "NaN, which sorts above everything, becomes the upper bound",
        "tests/engines/test_the_same_rows_any_way.py::test_every_way_to_hold_rows_gives_the_specified_integers[row-parquet]",
        _nan_through_the_clamp,
    ),
    Mutant(
        "half-even",
        "values are rounded to the grid half to even instead of floored",
        "tests/engines/test_the_same_rows_any_way.py::test_a_sum_of_tiny_negative_numbers_is_floored_row_by_row",
        _half_even,
    ),
    Mutant(
        "bound-forgotten",
        "the query does not limit the rows of a unit",
        "tests/unit/test_session.py::test_rows_beyond_the_limit_of_a_person_and_rows_of_nobody_do_not_count",
        _bound_forgotten,
    ),
    Mutant(
        "event-forgotten",
        "the largest of the losses that add up is not debited",
        "tests/neighbours/test_prices.py::test_a_question_costs_what_was_asked",
        _event_forgotten,
    ),
    Mutant(
        "refund",
        "a failure gives back what was spent",
        "tests/ledger/test_ledger_steward.py::test_a_failure_refunds_nothing_and_the_question_finishes_under_the_same_debit",
        _refund,
    ),
    Mutant(
        "unknown-taken-as-proof",
        "what the solver had reached when it gave up is taken as a bound",
        "tests/unit/test_predicates.py::test_on_unknown_the_sum_is_taken",
        _unknown_taken_as_proof,
    ),
    Mutant(
        "stream-shared-after-fork",
        "parent and child go on with the same key",
        "tests/unit/test_coins.py::test_parent_and_child_never_draw_alike",
        _stream_shared_after_fork,
    ),
    Mutant(
        "maximum-for-conditions",
        "under replace-one, disjoint conditions cost the maximum instead of the sum of two",
        "tests/neighbours/test_neighbours.py::test_under_replace_one_disjoint_conditions_move_together",
        _maximum_for_conditions,
    ),
    Mutant(
        "maximum-for-groups",
        "under replace-one, a histogram costs the maximum over its groups instead of the sum of two",
        "tests/neighbours/test_neighbours.py::test_under_replace_one_a_moved_row_counts_in_both_parts",
        _maximum_for_groups,
    ),
)
