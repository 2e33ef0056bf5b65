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
    from lapcat.engines.sql import expressions, grids
    from lapcat.engines.sql.words import call, double, number, times, try_cast

    def rounded(writer: Any, x: Any, exponent: int) -> Any:
        even = call("round_even", times(x.sql, double(2.0**-exponent)), number(0))
        return expressions.Code(try_cast(even, "BIGINT"), x.step)

    _replace(grids, "_floored", rounded)


def _bound_forgotten() -> None:
    from lapcat.engines.sql import rows, weights
    from lapcat.engines.sql.words import cast, equal, number

    _replace(rows, "at_most", lambda rank, most: equal(number(1), number(1)))
    _replace(weights, "weighed", lambda x, *of: cast(x, "BIGINT"))


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
        _replace(module, "write_log_anew", lambda connection, wait, **how: True)


def _refund() -> None:
    from lapcat.ledger.ledger import SQLLedger
    from lapcat.ledger.transaction import Transaction

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
        return replace(honest(parts, Relation.ADD_REMOVE, **named), witness=None)

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

    def floored(x: Any, most: int, size: Any, *of: Any) -> Any:
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
    from lapcat.engines.sql import duckdb
    from lapcat.engines.sql.expressions import INFINITY
    from lapcat.engines.sql.words import at_most, call

    def compared(function: str, *of: Any) -> Any:
        return at_most(of[0], INFINITY) if function == "isfinite" else call(function, *of)

    _replace(duckdb, "call", compared)


def _rows_left_out_add_up() -> None:
    from lapcat.plan import contents

    _replace(contents, "is_total", lambda key: True)


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
    from lapcat.session import strategies

    def recomputed(prepared: Any, event: Any) -> Any:
        loss = event.loss
        return compile_program(prepared, loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else None)

    _replace(strategies, "program_of", recomputed)


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
    from lapcat.engines import snapshots

    _replace(snapshots, "_require_one_block", lambda *given: None)


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


def _queued_debits_unseen() -> None:
    from lapcat.ledger.transaction import Transaction

    _replace(Transaction, "is_new", lambda transaction, question: question in transaction._new)


def _queued_spending_unseen() -> None:
    from lapcat.ledger.rows import spent_from
    from lapcat.ledger.transaction import Transaction

    _replace(
        Transaction, "_spent_from", lambda transaction, scope: spent_from(transaction._connection, scope)
    )


def _head_not_held() -> None:
    from lapcat.ledger.postgres import store

    _replace(store, "HOLD", store.HOLD.replace(" FOR UPDATE", ""))


def _view_of_before_the_wait() -> None:
    from lapcat.ledger.postgres import store

    _replace(store, "HOLD", store.HOLD.replace("READ COMMITTED", "REPEATABLE READ"))


def _commit_taken_at_its_word() -> None:
    from lapcat.ledger.postgres.connection import PostgresConnection

    honest = PostgresConnection.execute

    def trusting(connection: Any, sql: str, parameters: Any = (), /) -> Any:
        return connection._inner.execute(sql) if sql == "COMMIT" else honest(connection, sql, parameters)

    _replace(PostgresConnection, "execute", trusting)


def _commit_under_way_not_awaited() -> None:
    from lapcat.ledger.postgres import store

    def hasty(one: Any, head: Any) -> bool:
        one._drop()
        return store._has(one._begun(store.READ), head)

    _replace(store.PostgresStore, "_is_there", hasty)


def _contrast_moves_one() -> None:
    import numpy as np

    from lapcat.core.linear import Contrasts

    def like_sums(self: Any) -> Any:
        ones = np.ones(self.size, np.int64)
        return ones, ones

    _replace(Contrasts, "columns", property(like_sums))


def _noise_before_measuring() -> None:
    import numpy as np

    from lapcat.core.mechanisms.measured import Measured

    def careless(self: Any, exact: Any, coins: Any) -> Any:
        return np.concatenate([linear.applied(noise.draw(exact, coins)) for linear, noise in self.parts])

    _replace(Measured, "draw", careless)


def _rounded_root_unclaimed() -> None:
    import numpy as np

    from lapcat.core.linear import Convolution

    def of_the_true_root(self: Any) -> Any:
        weight, found = self.weights[0], []
        for k in range(self.size):
            found.append(weight)
            weight = weight * Fraction(2 * k + 1, 2 * k + 2)
        weights = np.array(found, object)
        return np.cumsum(weights)[::-1], np.cumsum(weights * weights)[::-1]

    _replace(Convolution, "columns", property(of_the_true_root))


def _opposed_columns_ignored() -> None:
    from lapcat.core.linear import Contrasts, Differences

    for kind in (Contrasts, Differences):
        _replace(kind, "opposed", property(lambda self: Fraction(0)))


def _laplace_sums_as_normal() -> None:
    from lapcat.workload import planner

    honest = planner.deviations
    _replace(planner, "deviations", lambda kind, confidence: honest("gaussian", confidence))


def _quantiles_with_narrow_margins() -> None:
    from lapcat.plan.aggregates import quantile

    honest = quantile._margin
    _replace(quantile, "_margin", lambda *given: 0.85 * honest(*given))


def _extremes_too_near_the_end() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.ln_up
    _replace(ranks, "ln_up", lambda x: honest(x) * 9 / 10)


def _stray_commas_passed_over() -> None:
    from lapcat.frontend.sql import text

    _replace(text, "stray_comma", lambda tokens: None)


def _added_up_moments_with_the_noise_of_one_cell() -> None:
    from lapcat.plan import accuracy

    honest = accuracy.margin_of_many
    _replace(
        accuracy,
        "margin_of_many",
        lambda scales, counts, failure: honest(scales, counts, failure) / max(counts) ** 0.5,
    )


def _digests_from_their_first_byte() -> None:
    from lapcat.engines.sql.postgres import PostgresDialect

    _replace(PostgresDialect, "digest_order", lambda dialect, x: [x])  # bytes order from the first on


def _collation_of_the_database() -> None:
    from lapcat.engines.sql import postgres

    _replace(postgres, "_by_bytes", lambda x: x)


def _products_that_tie_are_zero() -> None:
    from lapcat.engines.sql import postgres
    from lapcat.engines.sql.words import double

    _replace(postgres, "_error", lambda s, t: double(0.0))


def _differing_operators_pass() -> None:
    from lapcat.engines import operators

    _replace(operators, "refuse_unlike", lambda plan, unlike, engine: None)


def _settings_are_put_into_texts() -> None:
    from lapcat.engines import spark_session

    spark_session.PINNED["spark.sql.variable.substitute"] = "true"


def _sums_wrap_on_spark() -> None:
    from lapcat.engines.sql.spark import SparkDialect
    from lapcat.engines.sql.words import call, filtered

    _replace(SparkDialect, "total", lambda dialect, x, reach, where=None: filtered(call("sum", x), where))


def _other_rows_forgotten() -> None:
    from lapcat.workload import posed

    _replace(posed, "is_total", lambda key: True)


def _conditions_lost_together() -> None:
    from lapcat.plan import merging

    _replace(merging, "_filtered", lambda argument, conditions: argument)


def _largest_amount_alone() -> None:
    from lapcat.plan import predicates

    def largest(parts: Any, amounts: Any, relation: Any, **named: Any) -> Any:
        return max(amounts, default=Fraction(0))

    _replace(predicates, "most_amount", largest)


def _sums_taken_for_counts() -> None:
    from lapcat.plan.contents import content_of
    from lapcat.session import question

    _replace(question, "content_held", lambda program: content_of(program.prepared))


def _continuous_sigma() -> None:
    from lapcat.mechanisms import gaussian

    def continuous(epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
        return Fraction(gaussian.continuous_sigma(epsilon, delta, sensitivity)) ** 2

    _replace(gaussian, "least_sigma_squared", continuous)


def _audit_without_delta() -> None:
    from lapcat.audit.claim import Claim

    _replace(Claim, "slack", 0.0)


def _audit_of_single_numbers() -> None:
    from lapcat.audit import readings

    _replace(readings, "READINGS", readings.READINGS[:1])


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
    Mutant(
        "queued-debits-unseen",
        "two that ask the same question in one group both pay",
        "tests/ledger/test_ledger_turns.py::test_a_question_that_is_asked_twice_in_one_group_is_paid_once[sqlite]",
        _queued_debits_unseen,
    ),
    Mutant(
        "queued-spending-unseen",
        "those who are paid in one group do not see what the others spend",
        "tests/ledger/test_ledger_turns.py::test_together_they_stay_within_the_cap[sqlite]",
        _queued_spending_unseen,
    ),
    Mutant(
        "head-not-held",
        "on a server, what was spent is read before the head is held",
        "tests/ledger/test_ledger_server.py::test_nothing_is_read_before_the_head_is_held",
        _head_not_held,
    ),
    Mutant(
        "view-of-before-the-wait",
        "on a server, whoever waits for the head sees the book as it was before the wait",
        "tests/ledger/test_ledger_server.py::test_whoever_waited_sees_what_was_spent_meanwhile",
        _view_of_before_the_wait,
    ),
    Mutant(
        "commit-taken-at-its-word",
        "a COMMIT that the server answers with ROLLBACK counts as one",
        "tests/ledger/test_ledger_server.py::test_a_debit_whose_commit_the_server_turned_into_a_rollback_is_not_acknowledged",
        _commit_taken_at_its_word,
    ),
    Mutant(
        "commit-under-way-not-awaited",
        "a COMMIT whose session was lost counts as failed although the server still works on it",
        "tests/ledger/test_ledger_server.py::test_a_commit_that_is_still_under_way_is_waited_for",
        _commit_under_way_not_awaited,
    ),
    Mutant(
        "contrast-moves-one",
        "a contrast claims that a row moves it by one, as it does a sum",
        "tests/workload/test_linear.py::test_norms_are_those_of_the_largest_column[linear3]",
        _contrast_moves_one,
    ),
    Mutant(
        "noise-before-measuring",
        "noise is added to the cells, and what a strategy measures is computed from noisy cells",
        "tests/workload/test_linear.py::test_noise_is_on_what_is_measured_not_on_the_cells",
        _noise_before_measuring,
    ),
    Mutant(
        "rounded-root-unclaimed",
        "the square root of running totals is measured rounded, and claimed as if it were not",
        "tests/workload/test_strategies.py::test_the_square_root_is_claimed_as_it_was_rounded",
        _rounded_root_unclaimed,
    ),
    Mutant(
        "opposed-columns-ignored",
        "a replaced row counts as if contrasts could not add up against each other",
        "tests/workload/test_linear.py::test_a_unit_moves_what_is_measured_no_further_than_claimed[1-linear3]",
        _opposed_columns_ignored,
    ),
    Mutant(
        "laplace-sums-as-normal",
        "answers with Laplace noise get the intervals of normal ones",
        "tests/workload/test_workload_intervals.py::test_one_laplace_noise_has_its_own_margin",
        _laplace_sums_as_normal,
    ),
    Mutant(
        "quantiles-with-narrow-margins",
        "the interval of a quantile is narrower than the noise on its windows",
        "tests/laws/test_coverage_of_choices.py::test_no_margin_of_a_quantile_can_be_narrower_for_every_table[median]",
        _quantiles_with_narrow_margins,
    ),
    Mutant(
        "extremes-too-near-the-end",
        "fewer rows lie beyond a maximum than it takes not to be past all of them",
        "tests/laws/test_coverage_of_choices.py::test_no_extreme_can_be_chosen_nearer_to_the_end_for_every_table[max]",
        _extremes_too_near_the_end,
    ),
    Mutant(
        "stray-commas-passed-over",
        "a comma with nothing on one side of it is read as if it were not there",
        "tests/hostile/test_fuzz.py::test_a_comma_written_twice_is_refused_wherever_it_stands",
        _stray_commas_passed_over,
    ),
    Mutant(
        "added-up-moments-with-the-noise-of-one-cell",
        "a variance of added-up cells has the interval of one cell",
        "tests/unit/test_rolled.py::test_moments_of_added_up_cells_are_covered_as_often_as_stated[var_pop]",
        _added_up_moments_with_the_noise_of_one_cell,
    ),
    Mutant(
        "digests-from-their-first-byte",
        "PostgreSQL orders a unit's rows by the first byte of their digests",
        "tests/engines/test_postgres.py::test_ranks_and_weights_are_those_of_the_specification",
        _digests_from_their_first_byte,
    ),
    Mutant(
        "collation-of-the-database",
        "PostgreSQL compares texts by the collation of their column",
        "tests/engines/test_postgres.py::test_texts_are_compared_by_code_point_whatever_the_collation_is",
        _collation_of_the_database,
    ),
    Mutant(
        "products-that-tie-are-zero",
        "a product of doubles just above half of the least one is 0 on PostgreSQL",
        "tests/engines/test_every_engine_means_the_reference.py::"
        "test_doubles_add_multiply_and_divide_as_ieee_says_up_to_their_ends[postgresql]",
        _products_that_tie_are_zero,
    ),
    Mutant(
        "differing-operators-pass",
        "a question is asked of an engine that means something else by one of its operators",
        "tests/engines/test_conformance.py::test_a_question_is_refused_on_an_engine_that_differs",
        _differing_operators_pass,
    ),
    Mutant(
        "settings-are-put-into-texts",
        "Spark replaces ${…} in a text of a question by the value of a setting",
        "tests/engines/test_spark.py::test_no_setting_of_the_user_changes_a_statement_and_none_of_theirs_is_changed",
        _settings_are_put_into_texts,
    ),
    Mutant(
        "sums-wrap-on-spark",
        "a sum on Spark that does not fit into 64 bits begins again at the other end",
        "tests/engines/test_spark.py::test_a_sum_beyond_64_bits_stops_where_it_does_on_every_engine",
        _sums_wrap_on_spark,
    ),
    Mutant(
        "other-rows-forgotten",
        "a sub-total that a strategy answers leaves out the rows of undeclared groups",
        "tests/neighbours/test_workloads.py::test_what_a_strategy_measures_moves_no_further_than_claimed[rows_added-groups]",
        _other_rows_forgotten,
    ),
    Mutant(
        "conditions-lost-together",
        "questions that are asked together lose their own WHERE",
        "tests/neighbours/test_merged.py::test_each_question_gets_what_it_measures_and_all_move_no_further_than_claimed[rows_added]",
        _conditions_lost_together,
    ),
    Mutant(
        "largest-amount-alone",
        "sums of overlapping conditions are said to move by the largest of them",
        "tests/unit/test_predicates.py::test_facts_of_several_sums_take_what_one_row_moves_together",
        _largest_amount_alone,
    ),
    Mutant(
        "sums-taken-for-counts",
        "what a tree measured is entered in the ledger as the counts of a question",
        "tests/unit/test_derived.py::test_sums_of_a_strategy_are_not_taken_for_counts",
        _sums_taken_for_counts,
    ),
    Mutant(
        "continuous-sigma",
        "integers get the standard deviation that is enough for continuous Gaussian noise",
        "tests/audit/test_exact_audit.py::test_gaussian_noise_keeps_its_delta_and_no_smaller_one",
        _continuous_sigma,
    ),
    Mutant(
        "audit-without-delta",
        "an audit contradicts claims that their delta would save",
        "tests/audit/test_auditing.py::test_delta_is_taken_off_exactly",
        _audit_without_delta,
    ),
    Mutant(
        "audit-of-single-numbers",
        "an audit looks at the numbers of an answer one by one",
        "tests/audit/test_power.py::test_a_broken_mechanism_is_caught_within_a_million_answers[shares-together]",
        _audit_of_single_numbers,
    ),
)
