"""Mutants of the planner: sensitivity, price, strategy, intervals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from lapcat.testing.mutants.mutant import Mutant, put, used


def _known_by_another_name() -> None:
    from lapcat.plan import nodes
    from lapcat.stored.forms import FORMS

    FORMS[nodes.WeightRows] = replace(FORMS[nodes.WeightRows], tag="WeightRows")


def _any_parser_is_believed() -> None:
    from lapcat.frontend.sql import text

    put(text, "require_parser", lambda: None)


def _not_like_read_as_like() -> None:
    from lapcat.frontend.sql import scalars

    like = used(scalars, "like")

    def without_negation(self: Any, node: Any) -> Any:
        return like(self, type(node)(this=node.this, expression=node.args["expression"]))

    put(scalars, "like", without_negation)


def _escape_read_as_a_character() -> None:
    from lapcat.frontend.sql import texts
    from lapcat.plan.like import signs

    put(texts, "signs", lambda pattern, escape: signs(pattern))


def _remainder_rounded_down() -> None:
    from lapcat.frontend.sql import remainders
    from lapcat.plan.expressions import Rounded

    put(remainders, "quotient", lambda read, divisor: Rounded("floor", remainders._ratio(read, divisor)))


def _nulls_taken_for_distinct() -> None:
    from lapcat.frontend.sql import spellings

    equal = used(spellings, "exp").EQ
    put(spellings, "_same", lambda left, right: equal(this=left.copy(), expression=right.copy()))


def _top_forgotten() -> None:
    from lapcat.frontend.sql import text

    put(text, "rewrite", lambda select, top: None)


def _bounds_of_a_unit_taken_for_a_rows() -> None:
    from lapcat.frontend.sql import per_group

    def of_rows(self: Any) -> None:
        for call in self.select.find_all(used(per_group, "exp").AggFunc):
            per_group._of_one_row(call, self.of_groups[call.meta["start"]])

    put(per_group._PerGroup, "rewrite", of_rows)


def _arm_taken_for_all() -> None:
    from lapcat.frontend.sql import join_order

    put(join_order, "common_equalities", lambda arms: [part for part in arms[0] if join_order.pair_of(part)])


def _left_condition_drops_rows() -> None:
    from lapcat.frontend.sql import joins

    honest = joins.paired

    def inner(sources: Any, node: Any, left: Any, right: Any, condition: Any, outer: bool, mark: int) -> Any:
        conditions = any(mine == joins.ALWAYS or other == joins.ALWAYS for mine, other in condition.pairs)
        return honest(sources, node, left, right, condition, outer and not conditions, mark)

    put(joins, "paired", inner)


def _derived_as_sure_as_one_interval() -> None:
    from lapcat.plan.released import computed

    put(computed, "at_once", lambda confidence, statements: confidence)


def _noisy_rows_taken_for_public() -> None:
    from lapcat.plan.released.derived import Standings

    put(Standings, "_of_window", lambda self, window: self._of_parts((window.operand,)))


def _windows_before_having() -> None:
    import numpy as np

    from lapcat.plan.released.table import _Tabulated

    put(_Tabulated, "after_having", lambda self: np.arange(self.layout.rows))


def _part_of_a_key_believed() -> None:
    from lapcat.frontend.sql import joins
    from lapcat.plan import facts

    def part(table: Any, columns: Any) -> bool:
        return any(
            name in columns for key in table.unique for name in ([key] if isinstance(key, str) else key)
        )

    put(joins, "is_unique", part)
    put(facts, "is_unique", part)


def _branches_of_null_skipped() -> None:
    from lapcat.frontend.sql import synonyms

    honest = used(synonyms, "_without_nulls")

    def without_conditions(node: Any) -> Any:
        kept = [branch for branch in node.args["ifs"] if branch.args["true"].key != "null"]
        return honest(type(node)(this=node.args.get("this"), ifs=kept, default=node.args.get("default")))

    put(synonyms, "_without_nulls", without_conditions)


def _unknown_taken_as_proof() -> None:
    from lapcat.plan import predicates

    honest = predicates._better

    def gullible(*arguments: Any, **named: Any) -> Any:
        answer = honest(*arguments, **named)
        return replace(answer, status="unsat") if answer.status == "unknown" else answer

    put(predicates, "_better", gullible)


def _margins_of_continuous_noise() -> None:
    from lapcat.workload import planner

    put(
        planner,
        "margins_of_draws",
        lambda sds, _, confidence: used(planner, "deviations")("laplace", confidence) * sds,
    )


def _else_adds_nothing() -> None:
    from lapcat.plan import facts
    from lapcat.plan.contributing import part_of as honest

    put(
        facts,
        "part_of",
        lambda s, *, weighted, **named: honest(s, weighted=weighted, only_values_change=True),
    )


def _maximum_for_conditions() -> None:
    from lapcat.plan import predicates
    from lapcat.plan.schema import Relation

    honest = predicates.joint

    def largest(parts: Any, relation: Relation, **named: Any) -> Any:
        return replace(honest(parts, Relation.ADD_REMOVE, **named), witness=None)

    put(predicates, "joint", largest)


def _maximum_for_groups() -> None:
    from lapcat.plan import facts
    from lapcat.plan.schema import Relation

    honest = facts.statistic_facts

    def one_group(group: Any, statistic: Any, rows: Any) -> Any:
        facts_of_group = honest(group, statistic, rows)
        if group.cells == 1 or rows.relation is not Relation.REPLACE_ONE:
            return facts_of_group
        half = facts_of_group.sensitivity.l1 / 2
        linf = min(facts_of_group.sensitivity.linf, half)
        return replace(
            facts_of_group,
            sensitivity=replace(facts_of_group.sensitivity, linf=linf, l1=half, l2_squared=half * half),
        )

    put(facts, "statistic_facts", one_group)


def _unit_join_called_unique() -> None:
    from lapcat.plan import facts

    honest = facts._join

    def as_many_as_left(join: Any) -> Any:
        return replace(honest(join), rows=facts.rows_facts(join.left).rows)

    put(facts, "_join", as_many_as_left)


def _scans_below_a_join_not_bounded() -> None:
    from lapcat.plan import bounding

    put(bounding, "_pairs_limited", lambda rows, notes: rows)


def _grouping_sets_counted_once() -> None:
    from lapcat.plan import facts

    honest = facts.statistic_facts
    put(
        facts,
        "statistic_facts",
        lambda group, statistic, rows: honest(replace(group, sets=group.sets[:1]), statistic, rows),
    )


def _units_moved_by_rows() -> None:
    from lapcat.plan import facts

    honest = facts._units_facts
    put(facts, "_units_facts", lambda *of: replace(honest(*of), by_rows=True))


def _public_number_of_a_union() -> None:
    from lapcat.plan import facts

    honest = facts._union

    def anybody(union: Any) -> Any:
        parts = [facts.rows_facts(branch.rows) for branch in union.branches]
        return replace(honest(union), everyone=any(part.everyone for part in parts), size=parts[0].size)

    put(facts, "_union", anybody)


def _keys_of_a_unit_forgotten() -> None:
    from lapcat.plan import facts

    honest = facts._cells_of_a_unit

    def one_key(rows: Any, group: Any, *, private: bool) -> int:
        return 1 if private else honest(rows, group, private=private)

    put(facts, "_cells_of_a_unit", one_key)


def _rows_left_out_add_up() -> None:
    from lapcat.plan import cached_statistics

    put(cached_statistics, "is_total", lambda key: True)


def _derived_from_other_rows() -> None:
    from lapcat.plan import cached_statistics

    honest = used(cached_statistics, "identity_of")
    put(cached_statistics, "identity_of", lambda of: honest(of[1:] if isinstance(of, list) else of))


def _split_that_exceeds() -> None:
    from lapcat.plan import budget

    honest = budget.shares_of

    def too_much(matters: Any, max_affected: int, power: int = 2) -> Any:
        return [share * Fraction(101, 100) for share in honest(matters, max_affected, power)]

    put(budget, "shares_of", too_much)


def _l1_for_l2_squared() -> None:
    from lapcat.plan import facts

    honest = facts._sensitivity
    put(facts, "_sensitivity", lambda l0, linf, l1, l2: honest(l0, linf, l1, min(l1, l2)))


def _noise_of_one_group() -> None:
    from lapcat.plan.aggregates import running

    honest = used(running, "margins_of_fourier_sums")
    put(running, "margins_of_fourier_sums", lambda law, ks, confidence: honest(law, ks * 0 + 1, confidence))


def _share_of_one_noise() -> None:
    from lapcat.plan.aggregates import running

    put(running, "sqrt_up", lambda confidence: confidence * confidence)


def _null_of_a_pair_forgotten() -> None:
    from lapcat.plan.aggregates import pairs

    put(pairs, "_beside", lambda value, other: value)


def _noise_of_the_count_forgotten() -> None:
    from lapcat.plan.aggregates.equations import Equations

    honest = Equations.noise_of

    def as_if_n_were_public(equations: Equations, coefficients: Any, cells: int, failure: Fraction) -> Any:
        law = replace(equations.noises[0], law=None)
        return honest(replace(equations, noises=(law, *equations.noises[1:])), coefficients, cells, failure)

    put(Equations, "noise_of", as_if_n_were_public)


def _one_noise_taken_for_two() -> None:
    from lapcat.plan.aggregates.moments import MomentLayout

    put(MomentLayout, "places", property(lambda layout: tuple(range(len(layout.statistics)))))


def _or_names_a_block() -> None:
    from lapcat.plan import blocks
    from lapcat.plan.expressions import Logic

    honest = blocks.named

    def careless(predicate: Any, column: str) -> Any:
        return honest(Logic("and", predicate.operands) if isinstance(predicate, Logic) else predicate, column)

    put(blocks, "named", careless)


def _a_condition_above_a_join_names_blocks() -> None:
    from lapcat.plan import blocks

    put(blocks, "_by_unit", lambda rows: True)


def _undeclared_blocks_read() -> None:
    from lapcat.frontend.sql import sources

    honest = used(sources, "in_declared_blocks")
    more = ("2024-09",)
    put(
        sources,
        "in_declared_blocks",
        lambda scan, blocks: honest(scan, replace(blocks, values=(*blocks.values, *more))),
    )


def _laplace_sums_as_normal() -> None:
    from lapcat.workload import planner

    honest = used(planner, "deviations")
    put(planner, "deviations", lambda kind, confidence: honest("gaussian", confidence))


def _quantiles_with_narrow_margins() -> None:
    from lapcat.plan.aggregates import quantile

    honest = quantile._margin
    put(quantile, "_margin", lambda *given: 0.85 * honest(*given))


def _stray_commas_passed_over() -> None:
    from lapcat.frontend.sql import text

    put(text, "stray_comma", lambda tokens: None)


def _added_up_moments_with_the_noise_of_one_cell() -> None:
    from lapcat.plan import accuracy

    honest = used(accuracy, "margin_of_many")
    put(
        accuracy,
        "margin_of_many",
        lambda scales, counts, failure: honest(scales, counts, failure) / max(counts) ** 0.5,
    )


def _other_rows_forgotten() -> None:
    from lapcat.workload import workload_query as workload_queries

    put(workload_queries, "is_total", lambda key: True)


def _conditions_lost_together() -> None:
    from lapcat.plan import merging

    put(merging, "_filtered", lambda argument, conditions: argument)


def _largest_amount_alone() -> None:
    from lapcat.plan import predicates

    def largest(parts: Any, amounts: Any, relation: Any, **named: Any) -> Any:
        return max(amounts, default=Fraction(0))

    put(predicates, "max_amount", largest)


def _sums_taken_for_counts() -> None:
    from lapcat.plan.cached_statistics import content_of
    from lapcat.session import debit_request

    put(debit_request, "content_held", lambda program: content_of(program.prepared))


def _choices_taken_for_each_other() -> None:
    from lapcat.plan import cached_statistics

    put(cached_statistics, "_chosen", lambda choice: "choice")


def _worse_choice_taken() -> None:
    from lapcat.session import cache_plan

    put(cache_plan, "chosen_no_worse", lambda *of: True)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "unknown-taken-as-proof",
        "the intermediate result of an unfinished solver run is taken as a bound",
        "tests/unit/test_predicates.py::test_on_unknown_the_sum_is_taken",
        _unknown_taken_as_proof,
    ),
    Mutant(
        "else-adds-nothing",
        "sums of cases are claimed to be exclusive although ELSE contributes to all of them",
        "tests/neighbours/test_cases.py::test_cases_that_a_row_is_in_together_are_not_taken_for_a_partition",
        _else_adds_nothing,
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
        "unit-join-called-unique",
        "a many-to-many join is claimed to have no more pairs than left rows",
        "tests/neighbours/test_corners.py::test_both_sides_of_a_self_join_multiply",
        _unit_join_called_unique,
    ),
    Mutant(
        "scans-below-a-join-not-bounded",
        "a unit's rows are joined inside a sub-query without a contribution bound",
        "tests/neighbours/test_produced.py::test_pairs_of_which_only_units_are_counted_are_limited_below",
        _scans_below_a_join_not_bounded,
    ),
    Mutant(
        "grouping-sets-counted-once",
        "a row is claimed to be in one group although there are several grouping sets",
        "tests/neighbours/test_corners.py::test_each_grouping_set_counts_a_row_again",
        _grouping_sets_counted_once,
    ),
    Mutant(
        "units-moved-by-rows",
        "unit counts are claimed to change together by no more than one row changes them",
        "tests/neighbours/test_corners.py::test_different_rows_of_a_person_move_numbers_of_units_together",
        _units_moved_by_rows,
    ),
    Mutant(
        "public-number-of-a-union",
        "the units of a union are taken for those of one of its tables",
        "tests/neighbours/test_corners.py::test_the_units_of_several_tables_have_no_public_number",
        _public_number_of_a_union,
    ),
    Mutant(
        "keys-of-a-unit-forgotten",
        "a unit is claimed to be in one private group although it may be in several",
        "tests/neighbours/test_lone_keys.py::test_lone_keys_are_shown_no_more_often_than_claimed[3]",
        _keys_of_a_unit_forgotten,
    ),
    Mutant(
        "split-that-exceeds",
        "the shares of the statistics add up to a hundredth more than the budget",
        "tests/unit/test_budget.py::test_a_question_splits_all_it_pays_and_no_more",
        _split_that_exceeds,
    ),
    Mutant(
        "l1-for-l2-squared",
        "Gaussian noise is calibrated to l1 where it needs the square of l2",
        "tests/unit/test_gaussian_pricing.py::test_gaussian_noise_is_calibrated_to_the_square_of_what_one_person_moves",
        _l1_for_l2_squared,
    ),
    Mutant(
        "noise-of-one-group",
        "a running total gets the noise of one group instead of all groups in the sum",
        "tests/unit/test_running.py::test_intervals_of_running_totals_hold_as_often_as_they_say_and_hardly_more",
        _noise_of_one_group,
    ),
    Mutant(
        "share-of-one-noise",
        "the two noises of a share do not split the failure probability",
        "tests/unit/test_running.py::test_intervals_of_shares_hold_at_least_as_often_as_they_say",
        _share_of_one_noise,
    ),
    Mutant(
        "null-of-a-pair-forgotten",
        "a value enters the moments of a pair although the other value is NULL",
        "tests/unit/test_moments.py::test_without_noise_they_are_what_sql_says[y, x]",
        _null_of_a_pair_forgotten,
    ),
    Mutant(
        "noise-of-the-count-forgotten",
        "the interval of a variance treats the noisy row count as exact",
        "tests/laws/test_coverage.py::test_the_interval_is_no_wider_than_it_must_be_where_rows_are_many[var_pop]",
        _noise_of_the_count_forgotten,
    ),
    Mutant(
        "one-noise-taken-for-two",
        "a sum used twice is treated as two sums with independent noise",
        "tests/unit/test_moments.py::test_a_sum_that_is_read_twice_has_one_noise",
        _one_noise_taken_for_two,
    ),
    Mutant(
        "rows-left-out-add-up",
        "groups that omit rows are summed to a total",
        "tests/unit/test_answers_from_cache.py::test_a_key_that_leaves_rows_out_does_not_add_up",
        _rows_left_out_add_up,
    ),
    Mutant(
        "derived-from-other-rows",
        "stored statistics are matched without the rows they were computed over",
        "tests/unit/test_answers_from_cache.py::test_a_filter_makes_another_question",
        _derived_from_other_rows,
    ),
    Mutant(
        "or-names-a-block",
        "a question that reads a block OR other rows is debited from that block only",
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
        "undeclared-blocks-read",
        "rows in no declared block are read although no block is debited for them",
        "tests/unit/test_continual.py::test_rows_in_no_declared_block_are_read_by_nobody",
        _undeclared_blocks_read,
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
        "stray-commas-passed-over",
        "a comma with nothing on one side is ignored",
        "tests/hostile/test_fuzz.py::test_a_comma_written_twice_is_refused_wherever_it_stands",
        _stray_commas_passed_over,
    ),
    Mutant(
        "added-up-moments-with-the-noise-of-one-cell",
        "the variance of merged cells gets the interval of one cell",
        "tests/unit/test_laplace_sums.py::test_moments_of_added_up_cells_are_covered_as_often_as_stated[var_pop]",
        _added_up_moments_with_the_noise_of_one_cell,
    ),
    Mutant(
        "other-rows-forgotten",
        "a subtotal answered by a strategy omits the rows of undeclared groups",
        "tests/neighbours/test_workloads.py::test_what_a_strategy_measures_moves_no_further_than_claimed[rows_added-groups]",
        _other_rows_forgotten,
    ),
    Mutant(
        "conditions-lost-together",
        "questions in a batch lose their own WHERE",
        "tests/neighbours/test_merged.py::test_each_question_gets_what_it_measures_and_all_move_no_further_than_claimed[rows_added]",
        _conditions_lost_together,
    ),
    Mutant(
        "largest-amount-alone",
        "sums of overlapping conditions are charged only the largest sensitivity",
        "tests/unit/test_predicates.py::test_facts_of_several_sums_take_what_one_row_moves_together",
        _largest_amount_alone,
    ),
    Mutant(
        "sums-taken-for-counts",
        "the sums measured by a tree are stored as the counts of a question",
        "tests/unit/test_answers_from_cache.py::test_sums_of_a_strategy_are_not_taken_for_counts",
        _sums_taken_for_counts,
    ),
    Mutant(
        "choices-taken-for-each-other",
        "a stored selection is reused for other columns and filters",
        "tests/unit/test_choices_from_cache.py::test_other_groups_quantiles_columns_and_rows_are_chosen_anew",
        _choices_taken_for_each_other,
    ),
    Mutant(
        "worse-choice-taken",
        "a charged selection is replaced by a less accurate stored one",
        "tests/unit/test_choices_from_cache.py::test_with_a_price_a_choice_is_paid_unless_the_stored_one_is_as_near",
        _worse_choice_taken,
    ),
    Mutant(
        "margins-of-continuous-noise",
        "answers of a strategy get the margins of continuous noise",
        "tests/workload/test_workload_intervals.py::test_sums_of_cells_that_are_measured_once_stay_within_by_exact_enumeration",
        _margins_of_continuous_noise,
    ),
    Mutant(
        "known-by-another-name",
        "a renamed plan class changes identities, so that stored questions are charged again",
        "tests/stored/test_stored.py::test_questions_of_every_shape_are_known_by_what_they_were_known_by[basics]",
        _known_by_another_name,
    ),
    Mutant(
        "any-parser-is-believed",
        "a version of SQLGlot that parses a construct differently is accepted",
        "tests/unit/test_parser.py::test_a_version_that_reads_a_construct_in_another_way_is_refused",
        _any_parser_is_believed,
    ),
    Mutant(
        "not-like-read-as-like",
        "NOT LIKE is read as LIKE",
        "tests/unit/test_sql_frontend.py::test_what_is_negated_is_read_as_the_opposite",
        _not_like_read_as_like,
    ),
    Mutant(
        "escape-read-as-a-character",
        "the escape character of a LIKE pattern stands for itself",
        "tests/unit/test_texts.py::test_a_condition_on_texts_is_duckdbs[name LIKE 'x!_y' ESCAPE '!']",
        _escape_read_as_a_character,
    ),
    Mutant(
        "remainder-rounded-down",
        "the remainder of a negative number is that of a division rounded down",
        "tests/unit/test_spellings.py::test_a_number_is_duckdbs_within_its_interval[COUNT(*) FILTER (WHERE age % 7 = -2)]",
        _remainder_rounded_down,
    ),
    Mutant(
        "nulls-taken-for-distinct",
        "two NULLs are distinct in IS DISTINCT FROM",
        "tests/unit/test_spellings.py::test_a_number_is_duckdbs_within_its_interval[COUNT(*) FILTER (WHERE grade IS NOT DISTINCT FROM name)]",
        _nulls_taken_for_distinct,
    ),
    Mutant(
        "top-forgotten",
        "other spellings of a statement are read as written, and TOP is dropped",
        "tests/unit/test_spellings.py::test_another_spelling_of_a_statement_is_the_same_question",
        _top_forgotten,
    ),
    Mutant(
        "bounds-of-a-unit-taken-for-a-rows",
        "contribution bounds per group clamp each row's value, and not a unit's total in a group",
        "tests/unit/test_contributions.py::test_bounds_per_group_bound_each_units_result_in_a_group",
        _bounds_of_a_unit_taken_for_a_rows,
    ),
    Mutant(
        "arm-taken-for-all",
        "tables are joined by an equality that only the first arm of an OR has",
        "tests/unit/test_joins.py::test_a_join_without_a_rule_is_refused",
        _arm_taken_for_all,
    ),
    Mutant(
        "left-condition-drops-rows",
        "a condition in LEFT JOIN … ON drops the left rows for which it does not hold",
        "tests/unit/test_joins.py::test_a_join_has_the_rows_that_duckdb_gives_it",
        _left_condition_drops_rows,
    ),
    Mutant(
        "derived-as-sure-as-one-interval",
        "a number derived from several estimates has an interval as if it read one of them",
        "tests/unit/test_answer_columns.py::test_a_change_between_groups_is_as_sure_as_both_of_its_intervals",
        _derived_as_sure_as_one_interval,
    ),
    Mutant(
        "noisy-rows-taken-for-public",
        "a window function whose rows depend on the noise has an interval",
        "tests/unit/test_answer_columns.py::test_a_window_whose_rows_depend_on_the_noise_has_no_interval",
        _noisy_rows_taken_for_public,
    ),
    Mutant(
        "windows-before-having",
        "window functions see the groups that HAVING drops",
        "tests/unit/test_answer_columns.py::test_clauses_over_derived_columns_are_duckdbs",
        _windows_before_having,
    ),
    Mutant(
        "part-of-a-key-believed",
        "one column of a unique key of two columns is taken for unique",
        "tests/unit/test_joins.py::test_a_join_without_a_rule_is_refused",
        _part_of_a_key_believed,
    ),
    Mutant(
        "branches-of-null-skipped",
        "CASE WHEN a THEN NULL ELSE b END is b also where a holds",
        "tests/unit/test_synonyms.py::test_a_number_is_duckdbs_within_its_interval",
        _branches_of_null_skipped,
    ),
)
