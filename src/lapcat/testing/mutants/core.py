"""Mutants of the core: mechanisms, laws, losses, and reports of the local model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lapcat.testing.mutants.mutant import Mutant, put, used


def _half_scale() -> None:
    from lapcat.core.mechanisms import laplace

    many, single = used(laplace, "discrete_laplace"), used(laplace, "discrete_laplace_one")
    put(laplace, "discrete_laplace", lambda scale, n, coins: many(scale / 2, n, coins))
    put(laplace, "discrete_laplace_one", lambda scale, coins: single(scale / 2, coins))


def _zero_twice() -> None:
    from lapcat.core.sampling import laplace

    honest = used(laplace, "Tail")
    put(laplace, "Tail", lambda rate, *, folded: honest(rate, folded=False))


def _event_forgotten() -> None:
    from lapcat.core.event import JointRelease
    from lapcat.core.loss import PureDP

    def all_but_one(event: JointRelease) -> PureDP:
        epsilons = sorted((part.loss.epsilon for part in event.parts), reverse=True)[: event.max_affected]
        return PureDP(sum(epsilons[1:], Fraction(0)))

    put(JointRelease, "loss", property(all_but_one))


def _every_loss_linear() -> None:
    from lapcat.core.event import TopK

    def largest(event: TopK, costs: Any) -> Fraction:
        return sum(sorted((cost for _, cost in costs), reverse=True)[: event.max_affected], Fraction(0))

    put(TopK, "largest", largest)


def _stream_shared_after_fork() -> None:
    from lapcat.core.coins import Coins

    honest = Coins._rekey

    def once(coins: Coins) -> None:
        if not hasattr(coins, "_stream"):
            honest(coins)

    put(Coins, "_rekey", once)


def _threshold_for_one_key() -> None:
    from lapcat.core.mechanisms import threshold

    honest = threshold._least_tau
    put(threshold, "_least_tau", lambda scale, keys, delta: honest(scale, 1, delta))


def _groups_below_tau_kept() -> None:
    from lapcat.core.mechanisms.laplace import Laplace
    from lapcat.core.mechanisms.threshold import Shown, Threshold

    def everything(threshold: Threshold, counts: Any, coins: Any) -> Shown:
        return Shown(counts >= 1, Laplace(threshold.scale).draw(counts, coins))

    put(Threshold, "draw", everything)


def _a_sum_as_noisy_as_one() -> None:
    from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
    from lapcat.plan import noise_families

    put(noise_families, "LaplaceSum", lambda scale, cells: DiscreteLaplaceLaw(scale))


def _replayed_by_price() -> None:
    from lapcat.core.loss import ApproxDP
    from lapcat.plan.compile import compile_program
    from lapcat.session import strategies

    def recomputed(prepared: Any, event: Any) -> Any:
        loss = event.loss
        return compile_program(prepared, loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else None)

    put(strategies, "program_of", recomputed)


def _ranks_at_twice_the_rate() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.spread_of
    put(ranks, "spread_of", lambda branch, single_cell: honest(branch, single_cell) / 2)


def _rows_of_a_pick_in_both_halves() -> None:
    from lapcat.core.mechanisms import ranks

    honest = ranks.quantile_scores

    def inclusive(target: Any, below: Any, first: int, last: int, rate: Any) -> Any:
        return honest(target, below, max(first - 1, -1), min(last + 1, len(below) - 1), rate)

    put(ranks, "quantile_scores", inclusive)


def _ranks_that_end_at_the_last_row() -> None:
    import numpy as np

    from lapcat.core.mechanisms import ranks

    honest = used(ranks, "smoothed")

    def within_rows(below: Any, reach: int) -> Any:
        held = np.flatnonzero(np.diff(below))
        first, end = (held[0], held[-1] + 2) if len(held) else (0, len(below))
        return np.concatenate([below[:first], honest(below[first:end], reach), below[end:]])

    put(ranks, "smoothed", within_rows)


def _windows_with_half_the_noise() -> None:
    from lapcat.core.mechanisms import ranks

    honest = used(ranks, "Laplace")
    put(ranks, "Laplace", lambda scale: honest(scale / 2))


def _coins_of_two_epsilons_alike() -> None:
    from lapcat.local.response import Response

    put(Response, "parameters", lambda self: {})


def _the_true_bit_always_set() -> None:
    from lapcat.local import unary

    put(unary, "HALF", used(unary, "ONE") - 1)


def _waves_that_cost_once() -> None:
    from fractions import Fraction

    from lapcat.core.loss import PureDP
    from lapcat.local.memo import Memo

    def once(self: Any) -> PureDP:
        asked = {protocol.question: protocol.epsilon for protocol in self._given}
        return PureDP(sum(asked.values(), Fraction(0)))

    put(Memo, "loss", property(once))


def _noise_by_the_values() -> None:
    from lapcat.mechanisms.laplace import Laplace

    by_dtype = Laplace._for
    put(Laplace, "_for", lambda self, values, integers: by_dtype(self, values, bool((values % 1 == 0).all())))


def _rows_drawn_for_each_value() -> None:
    from lapcat.local.permanent import Permanent

    keep = Permanent.keep
    put(Permanent, "keep", lambda self, values, coins, before: keep(self, values, coins, None))


def _a_permanent_report_told_as_it_is() -> None:
    from lapcat.local.permanent import Permanent

    put(Permanent, "tell", lambda self, kept, words: kept)


def _a_question_told_again_unnoticed() -> None:
    from lapcat.local.keyed import KeyedWords

    put(KeyedWords, "fingerprint", lambda self, people, values: "0" * 64)


def _contrast_moves_one() -> None:
    import numpy as np

    from lapcat.workload.linear import Contrasts

    def like_sums(self: Any) -> Any:
        ones = np.ones(self.size, np.int64)
        return ones, ones

    put(Contrasts, "columns", property(like_sums))


def _noise_before_measuring() -> None:
    import numpy as np

    from lapcat.workload.measured import Measured

    def careless(self: Any, exact: Any, coins: Any) -> Any:
        return np.concatenate([linear.applied(noise.draw(exact, coins)) for linear, noise in self.parts])

    put(Measured, "draw", careless)


def _rounded_root_unclaimed() -> None:
    import numpy as np

    from lapcat.workload.linear import Convolution

    def of_the_true_root(self: Any) -> Any:
        weight, exact_weights = self.weights[0], []
        for k in range(self.size):
            exact_weights.append(weight)
            weight = weight * Fraction(2 * k + 1, 2 * k + 2)
        weights = np.array(exact_weights, object)
        return np.cumsum(weights)[::-1], np.cumsum(weights * weights)[::-1]

    put(Convolution, "columns", property(of_the_true_root))


def _opposed_columns_ignored() -> None:
    from lapcat.workload.linear import Contrasts, Differences

    for kind in (Contrasts, Differences):
        put(kind, "opposed", property(lambda self: Fraction(0)))


def _weights_on_top() -> None:
    import numpy as np

    from lapcat.workload.linear import Weighted

    put(Weighted, "own", property(lambda self: np.full(self.size, self.column, np.int64)))


def _extremes_too_near_the_end() -> None:
    from lapcat.core.mechanisms import ranks

    honest = used(ranks, "ln_up")
    put(ranks, "ln_up", lambda x: honest(x) * 9 / 10)


def _continuous_sigma() -> None:
    from lapcat.mechanisms import gaussian

    def continuous(epsilon: Fraction, delta: Fraction, sensitivity: int) -> Fraction:
        return Fraction(used(gaussian, "continuous_sigma")(epsilon, delta, sensitivity)) ** 2

    put(gaussian, "least_sigma_squared", continuous)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "ranks-at-twice-the-rate",
        "quantiles are chosen at twice the charged rate",
        "tests/unit/test_ranks.py::test_one_unit_changes_the_chance_of_no_outcome_by_more_than_its_price",
        _ranks_at_twice_the_rate,
    ),
    Mutant(
        "rows-of-a-pick-in-both-halves",
        "the rows at a chosen quantile count both for the quantiles below it and for those above it",
        "tests/unit/test_ranks.py::test_rows_at_a_choice_decide_about_no_other",
        _rows_of_a_pick_in_both_halves,
    ),
    Mutant(
        "ranks-that-end-at-the-last-row",
        "beyond the rows, ranks are smoothed with the first and last row, which are private, instead of the public bounds",
        "tests/unit/test_smoothing.py::test_rows_that_are_added_raise_no_rank_by_more_than_their_weight",
        _ranks_that_end_at_the_last_row,
    ),
    Mutant(
        "windows-with-half-the-noise",
        "the windows around a quantile are counted with half the charged noise scale",
        "tests/unit/test_ranks.py::test_the_windows_have_the_noise_that_is_paid_for",
        _windows_with_half_the_noise,
    ),
    Mutant(
        "half-scale",
        "noise is drawn at half the charged scale",
        "tests/laws/test_laws.py::test_draws_follow_the_law[many at once-laplace-1]",
        _half_scale,
    ),
    Mutant(
        "zero-twice",
        "a magnitude gets a fair sign, so that zero is drawn twice as often",
        "tests/laws/test_laws.py::test_draws_follow_the_law[many at once-laplace-1]",
        _zero_twice,
    ),
    Mutant(
        "event-forgotten",
        "the largest of the losses in a sum is not debited",
        "tests/neighbours/test_prices.py::test_a_question_costs_what_was_asked",
        _event_forgotten,
    ),
    Mutant(
        "every-loss-linear",
        "a loss that one row may cause in full is divided among a unit's rows",
        "tests/extending/test_mechanism.py::test_a_loss_that_is_not_linear_in_rows_always_counts",
        _every_loss_linear,
    ),
    Mutant(
        "stream-shared-after-fork",
        "after a fork, parent and child share a key",
        "tests/unit/test_coins.py::test_parent_and_child_never_draw_alike",
        _stream_shared_after_fork,
    ),
    Mutant(
        "threshold-for-one-key",
        "the threshold keeps delta for one key per unit, though a unit may have several",
        "tests/unit/test_threshold.py::test_a_city_of_one_is_shown_once_in_a_million",
        _threshold_for_one_key,
    ),
    Mutant(
        "groups-below-tau-kept",
        "private groups whose noisy unit count is below the threshold are released",
        "tests/unit/test_release.py::test_only_groups_that_reach_the_threshold_leave_and_by_value",
        _groups_below_tau_kept,
    ),
    Mutant(
        "replayed-by-price",
        "a stored answer is read with noise scales recomputed from its price",
        "tests/unit/test_budget.py::test_an_answer_keeps_the_noise_that_was_paid_for_whatever_the_split_is_now",
        _replayed_by_price,
    ),
    Mutant(
        "a-sum-as-noisy-as-one",
        "a sum of released cells gets the interval of a single cell",
        "tests/unit/test_answers_from_cache.py::test_the_interval_of_a_rolled_up_count_is_that_of_the_sum_of_its_cells",
        _a_sum_as_noisy_as_one,
    ),
    Mutant(
        "coins-of-two-epsilons-alike",
        "reports at two epsilons use the same coins",
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
        "waves-that-cost-once",
        "a person asked in several waves is charged for one",
        "tests/local/test_waves.py::test_a_person_pays_epsilon_for_each_question_and_each_wave",
        _waves_that_cost_once,
    ),
    Mutant(
        "noise-by-the-values",
        "an array of floats that happen to be whole gets the smaller noise of integers",
        "tests/unit/test_mechanisms_facade.py::test_which_noise_is_drawn_depends_on_the_dtype_and_never_on_a_value",
        _noise_by_the_values,
    ),
    Mutant(
        "rows-drawn-for-each-value",
        "a permanent report of another value gets another hash, so two hashes prove a change",
        "tests/local/test_waves.py::test_many_values_are_told_by_a_hash_that_a_change_of_value_does_not_change",
        _rows_drawn_for_each_value,
    ),
    Mutant(
        "a-permanent-report-told-as-it-is",
        "a wave sends the permanent report itself, so two different ones prove a change",
        "tests/local/test_waves.py::test_what_a_memo_says_in_two_waves_follows_the_law_of_the_history[history0]",
        _a_permanent_report_told_as_it_is,
    ),
    Mutant(
        "a-question-told-again-unnoticed",
        "a second file of reports about changed values reuses the coins of the first",
        "tests/local/test_files.py::test_a_second_file_that_would_tell_who_changed_is_refused_and_a_wave_is_offered",
        _a_question_told_again_unnoticed,
    ),
    Mutant(
        "contrast-moves-one",
        "a contrast claims a sensitivity of one per row, as a sum has",
        "tests/workload/test_linear.py::test_norms_are_those_of_the_largest_column[linear3]",
        _contrast_moves_one,
    ),
    Mutant(
        "noise-before-measuring",
        "noise is added to the cells before the strategy's linear map, not after it",
        "tests/workload/test_linear.py::test_noise_is_on_what_is_measured_not_on_the_cells",
        _noise_before_measuring,
    ),
    Mutant(
        "rounded-root-unclaimed",
        "the square root of the prefix-sum matrix is measured rounded, but its sensitivity is claimed unrounded",
        "tests/workload/test_strategies.py::test_the_square_root_is_claimed_as_it_was_rounded",
        _rounded_root_unclaimed,
    ),
    Mutant(
        "opposed-columns-ignored",
        "under replace-one, the opposed columns of contrasts are ignored",
        "tests/workload/test_linear.py::test_a_unit_moves_what_is_measured_no_further_than_claimed[1-linear3]",
        _opposed_columns_ignored,
    ),
    Mutant(
        "extremes-too-near-the-end",
        "the depth of a maximum is too small, so that it lies past all values too often",
        "tests/laws/test_coverage_of_choices.py::test_no_extreme_can_be_chosen_nearer_to_the_end_for_every_table[max]",
        _extremes_too_near_the_end,
    ),
    Mutant(
        "continuous-sigma",
        "integers get the sigma that suffices only for continuous Gaussian noise",
        "tests/audit/test_exact_audit.py::test_gaussian_noise_keeps_its_delta_and_no_smaller_one",
        _continuous_sigma,
    ),
    Mutant(
        "weights-on-top",
        "a place's own weight is not reduced by the weights of the sums that contain it",
        "tests/workload/test_optimised.py::test_weights_are_claimed_as_they_were_rounded",
        _weights_on_top,
    ),
)
