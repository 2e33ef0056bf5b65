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
    from lapcat.engines.sql import grids
    from lapcat.engines.sql.words import call

    def unclamped(x: Any, low: Any, high: Any, kind: Any, otherwise: Any = None, **_: Any) -> Any:
        return x if otherwise is None else call("coalesce", x, otherwise)

    _replace(grids, "clamped", unclamped)  # what is left is the clamp of the cell's total


def _nan_through_the_clamp() -> None:
    from lapcat.engines.sql import rows

    honest = rows.read

    def careless(x: Any, physical: str, kind: Any, dialect: Any) -> Any:
        """NaN stays, and sorts above everything, so a clamp makes the upper end of it."""
        return x if physical == "DOUBLE" else honest(x, physical, kind, dialect)

    _replace(rows, "read", careless)


def _half_even() -> None:
    from lapcat.engines.sql import grids
    from lapcat.engines.sql.words import call, double, number, times, try_cast

    def rounded(x: Any, exponent: int) -> Any:
        return try_cast(call("round_even", times(x, double(2.0**-exponent)), number(0)), "BIGINT")

    _replace(grids, "_floored", rounded)


def _bound_forgotten() -> None:
    from lapcat.engines.sql import rows, weights
    from lapcat.engines.sql.words import cast, equal, number

    _replace(rows, "at_most", lambda rank, most: equal(number(1), number(1)))
    _replace(weights, "weighed", lambda x, most, size, as_double: cast(x, "BIGINT"))


def _event_forgotten() -> None:
    from lapcat.core.event import JointRelease
    from lapcat.core.loss import PureDP

    def all_but_one(event: JointRelease) -> PureDP:
        epsilons = sorted((part.loss.epsilon for part in event.parts), reverse=True)[: event.most]
        return PureDP(sum(epsilons[1:], Fraction(0)))

    _replace(JointRelease, "loss", property(all_but_one))


def _log_believed() -> None:
    from lapcat.ledger.sqlite import opening, store

    for module in (opening, store):
        _replace(module, "write_log_anew", lambda connection, wait: True)


def _refund() -> None:
    from lapcat.ledger.ledger import SQLLedger
    from lapcat.ledger.store import Transaction

    def failed(ledger: SQLLedger, debit_id: int) -> None:
        def work(transaction: Transaction) -> None:
            transaction.append("failed", {"debit": debit_id})
            transaction.connection.execute("UPDATE spent SET epsilon = 0, rho = 0")

        ledger._store.write(work)

    _replace(SQLLedger, "failed", failed)


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


def _threshold_for_one_key() -> None:
    from lapcat.core.mechanisms import threshold

    honest = threshold._least_tau
    _replace(threshold, "_least_tau", lambda scale, keys, delta: honest(scale, 1, delta))


def _groups_below_tau_kept() -> None:
    from lapcat.core.mechanisms.laplace import Laplace
    from lapcat.core.mechanisms.threshold import Shown, Threshold

    def everything(threshold: Threshold, counts: Any, coins: Any) -> Shown:
        return Shown(counts >= 1, Laplace(threshold.scale).draw(counts, coins))

    _replace(Threshold, "draw", everything)


def _weights_rounded_down() -> None:
    from lapcat.engines.sql import weights
    from lapcat.engines.sql.words import call, cast, integer, times

    def floored(x: Any, most: int, size: Any, as_double: bool) -> Any:
        share = call("pow", cast(size, "DOUBLE"), integer(-1))
        return cast(call("floor", times(cast(times(x, integer(most)), "DOUBLE"), share)), "BIGINT")

    _replace(weights, "weighed", floored)


def _weight_of_an_older_version() -> None:
    from lapcat.engines.sql import rows

    _replace(rows, "ROWS", rows.RANK)  # as many rows as the unit had when this one came


def _ready_whatever_was_written() -> None:
    from lapcat.engines.sql.weights import Ready

    _replace(Ready, "as_written", lambda ready, header: ready)


def _groups_not_bounded() -> None:
    from lapcat.engines.sql import rows
    from lapcat.engines.sql.words import equal, number

    honest = rows.at_most
    _replace(
        rows,
        "at_most",
        lambda x, most: equal(number(1), number(1)) if x.name == "which" else honest(x, most),
    )


def _groups_that_tie_kept() -> None:
    from lapcat.engines.sql import rows

    honest = rows._window
    _replace(rows, "_window", lambda function, partition, *order: honest(function, partition, order[0]))


def _unit_join_called_unique() -> None:
    from lapcat.plan import facts

    honest = facts._join

    def as_many_as_left(join: Any) -> Any:
        return replace(honest(join), rows=facts.rows_facts(join.left).rows)

    _replace(facts, "_join", as_many_as_left)


def _per_unit_not_folded() -> None:
    from lapcat.engines import reference

    def each_row(engine: Any, node: Any) -> Any:
        for held in engine._rows(node.source):
            row = {name: reference.evaluate(key, held.row) for name, key in node.keys}
            row |= {folded.name: reference.fold(folded, [held.row]) for folded in node.values}
            yield replace(held, row=row)

    _replace(reference.ReferenceEngine, "_folded", each_row)


def _grouping_sets_counted_once() -> None:
    from lapcat.plan import facts

    honest = facts.statistic_facts
    _replace(
        facts,
        "statistic_facts",
        lambda group, statistic, rows: honest(replace(group, sets=group.sets[:1]), statistic, rows),
    )


def _units_moved_by_rows() -> None:
    from lapcat.plan import facts

    honest = facts._units_facts
    _replace(facts, "_units_facts", lambda *of: replace(honest(*of), by_rows=True))


def _one_side_not_bounded() -> None:
    from lapcat.engines.sql.rows import RowWriter
    from lapcat.plan.nodes import Bound

    honest = RowWriter.side

    def forgetful(writer: Any, rows: Any, wanted: Any, keys: Any, stem: str) -> Any:
        whole = rows.source if stem == "right" and isinstance(rows, Bound) else rows
        return honest(writer, whole, wanted, keys, stem)

    _replace(RowWriter, "side", forgetful)


def _public_number_of_a_union() -> None:
    from lapcat.plan import facts

    honest = facts._union

    def anybody(union: Any) -> Any:
        parts = [facts.rows_facts(branch.rows) for branch in union.branches]
        return replace(honest(union), everyone=any(part.everyone for part in parts), size=parts[0].size)

    _replace(facts, "_union", anybody)


def _keys_of_a_unit_forgotten() -> None:
    from lapcat.plan import facts

    honest = facts._cells_of_a_unit

    def one_key(rows: Any, group: Any, *, private: bool) -> int:
        return 1 if private else honest(rows, group, private=private)

    _replace(facts, "_cells_of_a_unit", one_key)


def _rows_of_private_groups_counted() -> None:
    from lapcat.engines.sql import statement

    honest = statement._private
    _replace(statement, "_private", lambda *of: honest(*of[:-1], False))


def _nan_by_comparison() -> None:
    from lapcat.engines.sql import relation
    from lapcat.engines.sql.expressions import INFINITY
    from lapcat.engines.sql.words import at_most, call

    def compared(function: str, *of: Any) -> Any:
        return at_most(of[0], INFINITY) if function == "isfinite" else call(function, *of)

    _replace(relation, "call", compared)


def _rows_left_out_add_up() -> None:
    from lapcat.plan import contents

    _replace(contents, "_is_total", lambda key: True)


def _a_sum_as_noisy_as_one() -> None:
    from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
    from lapcat.session import derived

    _replace(derived, "LaplaceSum", lambda scale, cells: DiscreteLaplaceLaw(scale))


def _derived_from_other_rows() -> None:
    from lapcat.plan import contents

    honest = contents.identity_of
    _replace(contents, "identity_of", lambda of: honest(of[1:] if isinstance(of, list) else of))


def _seeded_noise_taken_for_real() -> None:
    from lapcat.session import derived

    _replace(derived, "is_cryptographic", lambda head: True)


def _derived_for_nobody() -> None:
    from lapcat.ledger.ledger import SQLLedger

    _replace(SQLLedger, "share", lambda *of: False)


def _replace(owner: Any, name: str, other: object) -> None:
    if not hasattr(owner, name):
        raise AttributeError(
            f"a planted bug replaces {name}, which {owner} no longer has: move the mutant along"
        )
    setattr(owner, name, other)


def _signature_not_checked() -> None:
    from lapcat.ledger import receipts

    _replace(receipts, "is_signed", lambda value, signature, public: True)


def _checkpoint_not_checked() -> None:
    from lapcat.ledger import checkpoints

    _replace(checkpoints, "is_signed", lambda value, signature, public: True)


def _removed_entry_unseen() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.chain import check_self

    def each_by_itself(head: Any, entry: Any) -> Any:
        check_self(entry)
        return entry.id, entry.hash

    _replace(ledger, "check_link", each_by_itself)


def _opened_unchecked() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.entries import read_head

    _replace(ledger, "check_book", lambda connection, guards, said: read_head(connection))


def _witness_ignored() -> None:
    from lapcat.ledger.witness import Witness

    _replace(Witness, "check", lambda self, said, head, hash_of: None)


def _witness_not_awaited() -> None:
    from lapcat.ledger.witness import Witness

    _replace(Witness, "settle", lambda self, head: None)


def _spent_left_out() -> None:
    from lapcat.ledger import receipts

    _replace(receipts, "read_after", lambda entry, charges: {})


def _split_that_exceeds() -> None:
    from lapcat.plan import budget

    honest = budget.shares_of

    def too_much(matters: Any, most: int, power: int = 2) -> Any:
        return [share * Fraction(101, 100) for share in honest(matters, most, power)]

    _replace(budget, "shares_of", too_much)


def _replayed_by_price() -> None:
    from lapcat.core.loss import ApproxDP
    from lapcat.plan.compile import compile_program
    from lapcat.session import question

    def recomputed(prepared: Any, event: Any) -> Any:
        loss = event.loss
        return compile_program(prepared, loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else None)

    _replace(question, "program_of", recomputed)


def _l1_for_l2_squared() -> None:
    from lapcat.plan import facts

    honest = facts._sensitivity
    _replace(facts, "_sensitivity", lambda l0, linf, l1, l2: honest(l0, linf, l1, min(l1, l2)))


def _ranks_at_twice_the_rate() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.spread_of
    _replace(ranks, "spread_of", lambda branch, lone: honest(branch, lone) / 2)


def _rows_of_a_pick_in_both_halves() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.quantile_scores

    def inclusive(target: Any, below: Any, first: int, last: int, rate: Any) -> Any:
        return honest(target, below, max(first - 1, -1), min(last + 1, len(below) - 1), rate)

    _replace(ranks, "quantile_scores", inclusive)


def _ranks_that_end_at_the_last_row() -> None:
    import numpy as np

    from lapcat.core.mechanisms import ranks

    honest = ranks.smoothed

    def within_rows(below: Any, reach: int) -> Any:
        held = np.flatnonzero(np.diff(below))
        first, end = (held[0], held[-1] + 2) if len(held) else (0, len(below))
        return np.concatenate([below[:first], honest(below[first:end], reach), below[end:]])

    _replace(ranks, "smoothed", within_rows)


def _windows_with_half_the_noise() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.Laplace
    _replace(ranks, "Laplace", lambda scale: honest(scale / 2))


def _noise_of_one_group() -> None:
    from lapcat.plan.aggregates import running

    honest = running.margins_of_equal_sums
    _replace(
        running, "margins_of_equal_sums", lambda law, ks, confidence: honest(law, ks * 0 + 1, confidence)
    )


def _share_of_one_noise() -> None:
    from lapcat.plan.aggregates import running

    _replace(running, "sqrt_up", lambda confidence: confidence * confidence)


def _null_of_a_pair_forgotten() -> None:
    from lapcat.plan.aggregates import pairs

    _replace(pairs, "_beside", lambda value, other: value)


def _noise_of_the_count_forgotten() -> None:
    from lapcat.plan.aggregates.equations import Equations

    honest = Equations.noise_of

    def as_if_n_were_public(equations: Equations, coefficients: Any, cells: int, failure: Fraction) -> Any:
        law = replace(equations.noises[0], law=None)
        return honest(replace(equations, noises=(law, *equations.noises[1:])), coefficients, cells, failure)

    _replace(Equations, "noise_of", as_if_n_were_public)


def _one_noise_taken_for_two() -> None:
    from lapcat.plan.aggregates.moments import Layout

    _replace(Layout, "places", property(lambda layout: tuple(range(len(layout.statistics)))))


def _void_after_a_look() -> None:
    from lapcat.ledger import ledger
    from lapcat.ledger.base import State

    honest = ledger.state_of

    def forgetful(connection: Any, debit_id: int) -> Any:
        state, answer = honest(connection, debit_id)
        return (State.DEBITED if state is State.LOOKED else state), answer

    _replace(ledger, "state_of", forgetful)


def _key_taken_at_its_name() -> None:
    from lapcat.ledger import ledger

    honest = ledger.find_keyed

    def trusting(connection: Any, key: Any, analyst: Any) -> Any:
        kept = connection.execute("SELECT asks FROM keys WHERE key = ?", (key.name,)).fetchone()
        return honest(connection, key if kept is None else replace(key, asks=kept[0]), analyst)

    _replace(ledger, "find_keyed", trusting)


def _old_catalogue_goes_on() -> None:
    from lapcat.ledger import ledger

    _replace(ledger, "refuse_outdated", lambda connection, accepted: None)


def _or_names_a_block() -> None:
    from lapcat.plan import blocks
    from lapcat.plan.expressions import Logic

    honest = blocks.named

    def careless(predicate: Any, column: str) -> Any:
        return honest(Logic("and", predicate.operands) if isinstance(predicate, Logic) else predicate, column)

    _replace(blocks, "named", careless)


def _a_condition_above_a_join_names_blocks() -> None:
    from lapcat.plan import blocks

    _replace(blocks, "_by_unit", lambda rows: True)


def _two_blocks_unseen() -> None:
    from lapcat.engines import duckdb_snapshot

    _replace(duckdb_snapshot, "_require_one_block", lambda *given: None)


def _undeclared_blocks_read() -> None:
    from lapcat.frontend.sql import sources

    honest = sources.in_declared_blocks
    more = ("2024-09",)
    _replace(
        sources,
        "in_declared_blocks",
        lambda scan, blocks: honest(scan, replace(blocks, values=(*blocks.values, *more))),
    )


def _coins_of_two_epsilons_alike() -> None:
    from lapcat.local.response import Response

    _replace(Response, "parameters", lambda self: {})


def _the_true_bit_always_set() -> None:
    from lapcat.local import unary

    _replace(unary, "HALF", unary.ONE - 1)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "ranks-at-twice-the-rate",
        "quantiles are chosen at twice the rate that is paid for",
        "tests/unit/test_ranks.py::test_one_unit_changes_the_chance_of_no_outcome_by_more_than_its_price",
        _ranks_at_twice_the_rate,
    ),
    Mutant(
        "rows-of-a-pick-in-both-halves",
        "the rows at a chosen quantile decide about those below it and those above it",
        "tests/unit/test_ranks.py::test_rows_at_a_choice_decide_about_no_other",
        _rows_of_a_pick_in_both_halves,
    ),
    Mutant(
        "ranks-that-end-at-the-last-row",
        "ranks are smoothed with the first and the last row beyond the rows, which are secret, not with the bounds",
        "tests/unit/test_smoothing.py::test_rows_that_are_added_raise_no_rank_by_more_than_their_weight",
        _ranks_that_end_at_the_last_row,
    ),
    Mutant(
        "windows-with-half-the-noise",
        "the rows around a quantile are counted with half the noise that is paid for",
        "tests/unit/test_ranks.py::test_the_windows_have_the_noise_that_is_paid_for",
        _windows_with_half_the_noise,
    ),
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
        "tests/ledger/test_ledger_steward.py::test_a_failure_refunds_nothing_and_the_question_finishes_under_the_same_debit[sqlite]",
        _refund,
    ),
    Mutant(
        "log-believed",
        "a log whose last sync failed is believed when it is opened again",
        "tests/ledger/test_ledger_faults.py::test_a_disk_may_fail_at_any_operation[closed-until-it-is-mended]",
        _log_believed,
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
    Mutant(
        "threshold-for-one-key",
        "the threshold keeps delta for one key of a unit, which may be in several",
        "tests/unit/test_threshold.py::test_a_city_of_one_is_shown_once_in_a_million",
        _threshold_for_one_key,
    ),
    Mutant(
        "groups-below-tau-kept",
        "private groups whose noisy number of units does not reach the threshold leave all the same",
        "tests/unit/test_door.py::test_only_groups_that_reach_the_threshold_leave_and_by_value",
        _groups_below_tau_kept,
    ),
    Mutant(
        "weights-rounded-down",
        "a negative number times its weight is rounded down, not towards zero",
        "tests/neighbours/test_corners.py::test_many_small_negative_numbers_of_a_heavy_person_add_up_to_no_more",
        _weights_rounded_down,
    ),
    Mutant(
        "weight-of-an-older-version",
        "a row's weight goes by the number of rows that its unit had when it came",
        "tests/neighbours/test_corners.py::test_a_weight_goes_by_all_rows_that_a_person_has_now",
        _weight_of_an_older_version,
    ),
    Mutant(
        "ready-whatever-was-written",
        "integers that were weighed for other bounds or another limit are read as if for those declared now",
        "tests/engines/test_ready.py::test_a_catalogue_that_changed_since_refresh_gets_the_integers_that_it_declares",
        _ready_whatever_was_written,
    ),
    Mutant(
        "groups-not-bounded",
        "the rows in each of a unit's groups are limited, but not the groups",
        "tests/neighbours/test_corners.py::test_a_person_is_in_no_more_groups_than_may_be",
        _groups_not_bounded,
    ),
    Mutant(
        "groups-that-tie-kept",
        "of groups that have the same least rank all are kept",
        "tests/neighbours/test_corners.py::test_groups_of_pairs_that_tie_are_no_more_than_may_be",
        _groups_that_tie_kept,
    ),
    Mutant(
        "unit-join-called-unique",
        "a join of each with each is claimed to have no more pairs than left rows",
        "tests/neighbours/test_corners.py::test_both_sides_of_a_self_join_multiply",
        _unit_join_called_unique,
    ),
    Mutant(
        "per-unit-not-folded",
        "what should be one row of each unit is one of each row",
        "tests/neighbours/test_corners.py::test_one_row_of_each_unit_is_one_row",
        _per_unit_not_folded,
    ),
    Mutant(
        "grouping-sets-counted-once",
        "a row is claimed to lie in one group, though there are several grouping sets",
        "tests/neighbours/test_corners.py::test_each_grouping_set_counts_a_row_again",
        _grouping_sets_counted_once,
    ),
    Mutant(
        "units-moved-by-rows",
        "numbers of units are claimed to move together no more than one row moves them",
        "tests/neighbours/test_corners.py::test_different_rows_of_a_person_move_numbers_of_units_together",
        _units_moved_by_rows,
    ),
    Mutant(
        "one-side-not-bounded",
        "the rows of a unit are limited on one side of a join alone",
        "tests/neighbours/test_corners.py::test_both_sides_of_a_self_join_multiply",
        _one_side_not_bounded,
    ),
    Mutant(
        "public-number-of-a-union",
        "the units of a union are taken for those of one of its tables",
        "tests/neighbours/test_corners.py::test_the_units_of_several_tables_have_no_public_number",
        _public_number_of_a_union,
    ),
    Mutant(
        "keys-of-a-unit-forgotten",
        "a unit is claimed to be in one private group, and may be in several",
        "tests/neighbours/test_lone_keys.py::test_lone_keys_are_shown_no_more_often_than_claimed[3]",
        _keys_of_a_unit_forgotten,
    ),
    Mutant(
        "rows-of-private-groups-counted",
        "the threshold is compared with a private group's rows instead of its units",
        "tests/neighbours/test_lone_keys.py::test_lone_keys_are_shown_no_more_often_than_claimed[1]",
        _rows_of_private_groups_counted,
    ),
    Mutant(
        "nan-by-comparison",
        "NaN is told by a comparison, which a Parquet file's statistics decide",
        "tests/engines/test_expression_cases.py::test_nan_is_null_whatever_else_the_file_holds[None]",
        _nan_by_comparison,
    ),
    Mutant(
        "split-that-exceeds",
        "the shares of the statistics add up to a hundredth more than the limit",
        "tests/unit/test_budget.py::test_a_question_splits_all_it_pays_and_no_more",
        _split_that_exceeds,
    ),
    Mutant(
        "replayed-by-price",
        "a stored answer is read with the scales that its price would give today",
        "tests/unit/test_budget.py::test_an_answer_keeps_the_noise_that_was_paid_for_whatever_the_split_is_now",
        _replayed_by_price,
    ),
    Mutant(
        "l1-for-l2-squared",
        "Gaussian noise is calibrated to l1 where it needs the square of l2",
        "tests/unit/test_concentrated.py::test_gaussian_noise_is_calibrated_to_the_square_of_what_one_person_moves",
        _l1_for_l2_squared,
    ),
    Mutant(
        "noise-of-one-group",
        "a running total is claimed to have the noise of one group, and has that of all it adds up",
        "tests/unit/test_running.py::test_intervals_of_running_totals_hold_as_often_as_they_say_and_hardly_more",
        _noise_of_one_group,
    ),
    Mutant(
        "share-of-one-noise",
        "a share's two noises are each less sure than both must be together",
        "tests/unit/test_running.py::test_intervals_of_shares_hold_at_least_as_often_as_they_say",
        _share_of_one_noise,
    ),
    Mutant(
        "null-of-a-pair-forgotten",
        "a value counts for the moments of a pair although the other one is NULL",
        "tests/unit/test_moments.py::test_without_noise_they_are_what_sql_says[y, x]",
        _null_of_a_pair_forgotten,
    ),
    Mutant(
        "noise-of-the-count-forgotten",
        "the interval of a variance takes the noisy number of rows for the true one",
        "tests/laws/test_coverage.py::test_the_interval_is_no_wider_than_it_must_be_where_rows_are_many[var_pop]",
        _noise_of_the_count_forgotten,
    ),
    Mutant(
        "one-noise-taken-for-two",
        "a sum that is read twice is taken for two sums with independent noises",
        "tests/unit/test_moments.py::test_a_sum_that_is_read_twice_has_one_noise",
        _one_noise_taken_for_two,
    ),
    Mutant(
        "rows-left-out-add-up",
        "groups that leave rows out are added up to the whole",
        "tests/unit/test_derived.py::test_a_key_that_leaves_rows_out_does_not_add_up",
        _rows_left_out_add_up,
    ),
    Mutant(
        "a-sum-as-noisy-as-one",
        "a number that was added up from released cells has the interval of one of them",
        "tests/unit/test_derived.py::test_the_interval_of_a_rolled_up_count_is_that_of_the_sum_of_its_cells",
        _a_sum_as_noisy_as_one,
    ),
    Mutant(
        "derived-from-other-rows",
        "stored statistics are known without the rows that they were taken over",
        "tests/unit/test_derived.py::test_a_filter_makes_another_question",
        _derived_from_other_rows,
    ),
    Mutant(
        "seeded-noise-taken-for-real",
        "answers with seeded noise serve where real noise is expected",
        "tests/unit/test_derived.py::test_seeded_noise_and_real_noise_are_never_mixed",
        _seeded_noise_taken_for_real,
    ),
    Mutant(
        "derived-for-nobody",
        "an analyst receives what another paid for, and is not debited",
        "tests/unit/test_derived.py::test_an_analyst_is_debited_once_for_what_another_paid",
        _derived_for_nobody,
    ),
    Mutant(
        "void-after-a-look",
        "a debit is taken back although somebody may have looked",
        "tests/ledger/test_ledger_verbs.py::test_after_a_look_what_was_spent_stays_spent[sqlite]",
        _void_after_a_look,
    ),
    Mutant(
        "key-taken-at-its-name",
        "another question under a known key is given the first one's answer",
        "tests/ledger/test_ledger_verbs.py::test_something_else_under_the_same_key_is_refused_and_free[sqlite-other0]",
        _key_taken_at_its_name,
    ),
    Mutant(
        "old-catalogue-goes-on",
        "a cap that was lowered does not bind sessions that were open before",
        "tests/unit/test_outdated.py::test_a_cap_that_was_lowered_binds_a_session_that_was_open_before",
        _old_catalogue_goes_on,
    ),
    Mutant(
        "or-names-a-block",
        "a question that reads one block or another row is paid from the block alone",
        "tests/neighbours/test_blocks.py::test_the_blocks_that_rows_are_read_from_follow_from_the_text[or another row]",
        _or_names_a_block,
    ),
    Mutant(
        "a-condition-above-a-join-names-blocks",
        "a condition on one side of a join is taken for one on the other",
        "tests/neighbours/test_blocks.py::test_the_blocks_that_rows_are_read_from_follow_from_the_text[pairs of one side]",
        _a_condition_above_a_join_names_blocks,
    ),
    Mutant(
        "two-blocks-unseen",
        "a version in which somebody has rows in two blocks is declared",
        "tests/unit/test_continual.py::test_a_version_in_which_somebody_is_in_two_blocks_is_refused[2024-02]",
        _two_blocks_unseen,
    ),
    Mutant(
        "undeclared-blocks-read",
        "rows in no declared block are read, though no block pays for them",
        "tests/unit/test_continual.py::test_rows_in_no_declared_block_are_read_by_nobody",
        _undeclared_blocks_read,
    ),
    Mutant(
        "signature-not-checked",
        "a receipt that was changed after it was signed passes",
        "tests/ledger/test_receipts.py::test_every_kind_of_forgery_is_named[another answer]",
        _signature_not_checked,
    ),
    Mutant(
        "checkpoint-not-checked",
        "a ledger that was rewritten keeps checkpoints that sign something else",
        "tests/ledger/test_ledger_guards.py::test_a_book_rewritten_below_a_checkpoint_is_found_at_start_up",
        _checkpoint_not_checked,
    ),
    Mutant(
        "removed-entry-unseen",
        "each entry is held against its own hash, but not against the one before it",
        "tests/ledger/test_ledger_evidence.py::test_an_entry_that_is_removed_while_the_ledger_is_open_is_named_by_verify",
        _removed_entry_unseen,
    ),
    Mutant(
        "opened-unchecked",
        "opening a ledger looks at its last entry alone",
        "tests/ledger/test_ledger_guards.py::test_an_edited_removed_or_reordered_entry_is_named_at_start_up",
        _opened_unchecked,
    ),
    Mutant(
        "witness-ignored",
        "a ledger that is older than its witness is opened",
        "tests/ledger/test_ledger_guards.py::test_an_older_copy_of_the_ledger_is_refused_at_start_up",
        _witness_ignored,
    ),
    Mutant(
        "witness-not-awaited",
        "answers leave before the witness has seen their entries",
        "tests/ledger/test_ledger_guards.py::test_every_commit_is_witnessed_before_it_returns",
        _witness_not_awaited,
    ),
    Mutant(
        "spent-left-out",
        "a receipt does not say what was spent by then",
        "tests/ledger/test_receipts.py::test_a_receipt_says_what_was_asked_what_it_cost_and_what_was_spent_by_then",
        _spent_left_out,
    ),
    Mutant(
        "coins-of-two-epsilons-alike",
        "reports at two epsilons are made from the same coins",
        "tests/local/test_keyed.py::test_another_key_question_protocol_person_or_value_has_other_coins",
        _coins_of_two_epsilons_alike,
    ),
    Mutant(
        "the-true-bit-always-set",
        "unary encoding always marks the true value",
        "tests/local/test_local_laws.py::test_reports_follow_the_law[Unary-1-6]",
        _the_true_bit_always_set,
    ),
)
