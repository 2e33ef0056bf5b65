"""Mutants of the engines: how rows are read, bounded and summed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lapcat.testing.mutants.mutant import Mutant, put, used


def _clamp_after_the_sum() -> None:
    from lapcat.engines.base import grids
    from lapcat.engines.base.words import call

    def unclamped(x: Any, low: Any, high: Any, kind: Any, otherwise: Any = None, **_: Any) -> Any:
        return x if otherwise is None else call("coalesce", x, otherwise)

    put(grids, "clamped", unclamped)  # only the clamp of the cell's total remains


def _nan_through_the_clamp() -> None:
    from lapcat.engines.duckdb.dialect import DuckDBDialect

    # NaN passes, and sorts above everything, so the clamp turns it into the upper bound
    put(DuckDBDialect, "without_nan", lambda dialect, x: x)


def _half_even() -> None:
    from lapcat.engines.base import expressions, grids
    from lapcat.engines.base.words import call, double, number, times, try_cast

    def rounded(writer: Any, x: Any, exponent: int) -> Any:
        even = call("round_even", times(x.sql, double(2.0**-exponent)), number(0))
        return expressions.Code(try_cast(even, "BIGINT"), x.step)

    put(grids, "_floored", rounded)


def _dates_leave_the_calendar() -> None:
    import datetime

    from lapcat.engines.base import expressions

    put(expressions, "movable", lambda number, unit, kind: (datetime.date.min, datetime.date.max))


def _bound_forgotten() -> None:
    from lapcat.engines.base import rows, weights
    from lapcat.engines.base.words import cast, equal, number

    put(rows, "at_most", lambda rank, limit: equal(number(1), number(1)))
    put(weights, "weighted", lambda x, *of: cast(x, "BIGINT"))


def _weights_rounded_down() -> None:
    from lapcat.engines.base import weights
    from lapcat.engines.base.words import call, cast, integer, times

    def floored(x: Any, max_rows: int, size: Any, *of: Any) -> Any:
        share = call("pow", cast(size, "DOUBLE"), integer(-1))
        return cast(call("floor", times(cast(times(x, integer(max_rows)), "DOUBLE"), share)), "BIGINT")

    put(weights, "weighted", floored)


def _weight_of_an_older_version() -> None:
    from lapcat.engines.base import rows

    put(rows, "ROWS", used(rows, "RANK"))  # the unit's row count when this row was inserted


def _ready_whatever_was_written() -> None:
    from lapcat.engines.base.weights import Ready

    put(Ready, "as_written", lambda ready, header: ready)


def _groups_not_bounded() -> None:
    from lapcat.engines.base import rows
    from lapcat.engines.base.words import equal, number

    honest = used(rows, "at_most")
    put(
        rows,
        "at_most",
        lambda x, limit: equal(number(1), number(1)) if x.name == "which" else honest(x, limit),
    )


def _groups_that_tie_kept() -> None:
    from lapcat.engines.base import rows

    honest = rows._window
    put(rows, "_window", lambda function, partition, *order: honest(function, partition, order[0]))


def _per_unit_not_folded() -> None:
    from lapcat.engines import reference
    from lapcat.engines.evaluation import evaluate

    def each_row(engine: Any, node: Any) -> Any:
        for held in engine._rows(node.source):
            row = {name: evaluate(key, held.row) for name, key in node.keys}
            row |= {folded.name: reference.unit_value(folded, [held.row]) for folded in node.values}
            yield replace(held, row=row)

    put(reference.ReferenceEngine, "_per_unit", each_row)


def _one_side_not_bounded() -> None:
    from lapcat.engines.base.rows import RowWriter
    from lapcat.plan.nodes import LimitRows

    honest = RowWriter.side

    def forgetful(writer: Any, rows: Any, wanted: Any, keys: Any, stem: str) -> Any:
        whole = rows.source if stem == "right" and isinstance(rows, LimitRows) else rows
        return honest(writer, whole, wanted, keys, stem)

    put(RowWriter, "side", forgetful)


def _rows_of_private_groups_counted() -> None:
    from lapcat.engines.base import statement

    honest = used(statement, "_private")
    put(statement, "_private", lambda *of: honest(*of[:-1], False))


def _nan_by_comparison() -> None:
    from lapcat.engines.base.expressions import INFINITY
    from lapcat.engines.base.words import at_most, call
    from lapcat.engines.duckdb import dialect as duckdb

    def compared(function: str, *of: Any) -> Any:
        return at_most(of[0], INFINITY) if function == "isfinite" else call(function, *of)

    put(duckdb, "call", compared)


def _two_blocks_unseen() -> None:
    from lapcat.engines.base import snapshots

    put(snapshots, "_require_one_block", lambda *given: None)


def _digests_from_their_first_byte() -> None:
    from lapcat.engines.postgres.dialect import PostgresDialect

    put(PostgresDialect, "digest_order", lambda dialect, x: [x])  # bytes order from the first on


def _collation_of_the_database() -> None:
    from lapcat.engines.postgres import dialect as postgres

    put(postgres, "_by_bytes", lambda x: x)


def _products_that_tie_are_zero() -> None:
    from lapcat.engines.base.words import double
    from lapcat.engines.postgres import floats

    put(floats, "_error", lambda s, t: double(0.0))


def _guard_that_overflows() -> None:
    from lapcat.engines.base.words import times
    from lapcat.engines.postgres import floats

    honest, power = floats._at_most_32, floats._power
    # |x| · 2^1000 and |y| · 2^80: the first is too large for the splitting
    put(floats, "_at_most_32", lambda s, t: honest(times(s, power(460)), times(t, power(-460))))


def _constants_left_to_the_planner() -> None:
    from lapcat.engines.base import expressions

    put(expressions, "columns_of", lambda expression: iter([expression]))


def _patterns_without_a_limit() -> None:
    from lapcat.frontend.sql import texts

    put(texts, "wildcards", lambda pattern, escape: 0)


def _long_texts_are_built() -> None:
    from lapcat.engines.base import expressions, words

    pipe = used(expressions, "exp").DPipe
    put(expressions, "concatenated", lambda texts, max_length: words.joined(pipe, texts))


def _texts_of_any_length() -> None:
    from lapcat.engines.base import steward

    put(steward, "short_enough", lambda x, kind, max_length: x)


def _differing_operators_pass() -> None:
    from lapcat.engines import operators, router

    for module in (operators, router):
        put(module, "refuse_unlike", lambda plan, unlike, engine: None)


def _settings_are_put_into_texts() -> None:
    from lapcat.engines.spark import session as spark_session

    spark_session.PINNED["spark.sql.variable.substitute"] = "true"


def _sums_wrap_on_spark() -> None:
    from lapcat.engines.base.words import call, filtered
    from lapcat.engines.spark.dialect import SparkDialect

    put(SparkDialect, "total", lambda dialect, x, reach, where=None: filtered(call("sum", x), where))


def _any_version_believed() -> None:
    from lapcat.session import engine_checks

    put(engine_checks, "is_known", lambda engine: True)


def _old_findings_believed() -> None:
    from lapcat.engines import conformance

    class Alike(str):
        """A string equal to every other."""

        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

        def __ne__(self, other: object) -> bool:
            return False

    put(conformance, "suite_mark", lambda: Alike("another"))


def _last_snapshot_removed_too() -> None:
    from lapcat.session import stored_snapshots

    honest = stored_snapshots.tidy
    put(
        stored_snapshots,
        "tidy",
        lambda deployment, booked_as, keeps: honest(deployment, booked_as, lambda n: keeps(n - 1)),
    )


def _snapshots_of_any_ledger() -> None:
    from lapcat.session.files import FileTables

    put(FileTables, "_ledger", "")


def _any_master_will_do() -> None:
    from lapcat.engines.base.sources import ANY_CLUSTER
    from lapcat.engines.spark import classic as spark_classic

    honest = spark_classic._shared_session
    put(spark_classic, "_shared_session", lambda cluster: honest(ANY_CLUSTER))


def _pinned_in_the_users_session() -> None:
    from lapcat.engines.spark import connect as spark_connect

    def theirs(cluster: Any) -> Any:
        return spark_connect._beside(spark_connect._pyspark(), cluster)[0]

    put(spark_connect, "open_session", theirs)
    put(spark_connect, "close_session", lambda spark: None)  # otherwise it would close theirs


def _given_up_but_not_stopped() -> None:
    from lapcat.engines.spark import connect as spark_connect

    def careless(spark: Any, name: str) -> None:
        raise ConnectionError  # as if the server were gone

    put(spark_connect, "stop_statements", careless)


def _table_read_in_place() -> None:
    from dataclasses import replace

    from lapcat.engines.base.relation import SourceRelation
    from lapcat.engines.duckdb import engine as duckdb
    from lapcat.engines.duckdb.dialect import parquet_file
    from lapcat.engines.duckdb.sources import physical_types

    made, opened = duckdb.DuckDBEngine.__init__, used(duckdb, "snapshot_relation")

    def lying(engine: Any, tables: Any, *limits: Any, **named: Any) -> None:
        rowwise = {name for name, opening in tables.items() if opening.table.unit.is_row}
        in_place = {
            name: replace(opening, snapshot=opening.source.path) if name in rowwise else opening
            for name, opening in tables.items()
        }
        made(engine, in_place, *limits, **named)

    def relation(connection: Any, table: Any, path: Any, max_length: int) -> Any:
        if not table.unit.is_row:
            return opened(connection, table, path, max_length)
        file = parquet_file(str(path))
        types = {name: spec.type for name, spec in table.columns.items()}
        return SourceRelation(file, physical_types(connection, file)), types

    put(duckdb.DuckDBEngine, "__init__", lying)
    put(duckdb, "snapshot_relation", relation)


def _pages_of_any_size() -> None:
    from lapcat.engines.duckdb import snapshots as duckdb_snapshot

    put(duckdb_snapshot, "PAGE_BYTES", 100_000_000)


def _long_texts_kept() -> None:
    from lapcat.engines.duckdb import snapshots as duckdb_snapshot

    put(duckdb_snapshot, "short_texts", lambda stored, columns, max_length: stored)


def _heavy_side_hashed() -> None:
    from lapcat.engines.duckdb.dialect import DuckDBDialect

    put(DuckDBDialect, "hashes_right", False)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "long-texts-kept",
        "a snapshot holds texts of any length",
        "tests/engines/test_odd_rows.py::test_a_text_that_is_too_long_is_null_and_a_unit_that_is_has_no_rows",
        _long_texts_kept,
    ),
    Mutant(
        "heavy-side-hashed",
        "a join keeps all rows of a unit in memory though they match one row",
        "tests/hostile/test_failing.py::test_a_person_whose_rows_do_not_fit_into_memory_is_joined_like_anybody",
        _heavy_side_hashed,
    ),
    Mutant(
        "table-read-in-place",
        "a table with one row per unit is read from its source instead of its snapshot",
        "tests/engines/test_snapshots.py::test_questions_read_the_snapshot_and_not_the_source[row]",
        _table_read_in_place,
    ),
    Mutant(
        "pages-of-any-size",
        "a page of a snapshot holds as many long texts as fit into 100 MB",
        "tests/engines/test_room.py::test_long_texts_are_read_in_a_small_part_of_the_memory_that_they_fill",
        _pages_of_any_size,
    ),
    Mutant(
        "clamp-after-the-sum",
        "values are summed unclamped, and only the total is clamped",
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
        "weights-rounded-down",
        "a negative number times its weight is rounded down, not towards zero",
        "tests/neighbours/test_corners.py::test_many_small_negative_numbers_of_a_heavy_person_add_up_to_no_more",
        _weights_rounded_down,
    ),
    Mutant(
        "weight-of-an-older-version",
        "a row's weight depends on the row count of its unit when the row was inserted",
        "tests/neighbours/test_corners.py::test_a_weight_goes_by_all_rows_that_a_person_has_now",
        _weight_of_an_older_version,
    ),
    Mutant(
        "ready-whatever-was-written",
        "a snapshot weighted for other bounds or limits is read under the current declaration",
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
        "groups that tie for the smallest rank are all kept",
        "tests/neighbours/test_corners.py::test_groups_of_pairs_that_tie_are_no_more_than_may_be",
        _groups_that_tie_kept,
    ),
    Mutant(
        "per-unit-not-folded",
        "a per-unit aggregate gives one row per input row instead of one per unit",
        "tests/neighbours/test_corners.py::test_one_row_of_each_unit_is_one_row",
        _per_unit_not_folded,
    ),
    Mutant(
        "one-side-not-bounded",
        "the rows of a unit are limited on one side of a join only",
        "tests/neighbours/test_corners.py::test_both_sides_of_a_self_join_multiply",
        _one_side_not_bounded,
    ),
    Mutant(
        "rows-of-private-groups-counted",
        "the threshold is applied to a private group's row count instead of its unit count",
        "tests/neighbours/test_lone_keys.py::test_lone_keys_are_shown_no_more_often_than_claimed[1]",
        _rows_of_private_groups_counted,
    ),
    Mutant(
        "nan-by-comparison",
        "NaN is detected by a comparison, which Parquet statistics may prune",
        "tests/engines/test_expression_cases.py::test_nan_is_null_whatever_else_the_file_holds[None]",
        _nan_by_comparison,
    ),
    Mutant(
        "two-blocks-unseen",
        "a version in which a unit has rows in two blocks is accepted",
        "tests/unit/test_continual.py::test_a_version_in_which_somebody_is_in_two_blocks_is_refused[2024-02]",
        _two_blocks_unseen,
    ),
    Mutant(
        "digests-from-their-first-byte",
        "PostgreSQL orders a unit's rows by their digests from the first byte on",
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
        "on PostgreSQL a product just above half of the smallest double is 0",
        "tests/engines/test_every_engine_means_the_reference.py::"
        "test_doubles_add_multiply_and_divide_as_ieee_says_up_to_their_ends[postgresql]",
        _products_that_tie_are_zero,
    ),
    Mutant(
        "guard-that-overflows",
        "on PostgreSQL the underflow test of a product itself overflows for some row",
        "tests/engines/test_expressions_are_total.py::"
        "test_whether_a_question_of_products_fails_says_nothing_about_a_person",
        _guard_that_overflows,
    ),
    Mutant(
        "constants-left-to-the-planner",
        "PostgreSQL's planner evaluates an operand computed from constants",
        "tests/engines/test_expressions_are_total.py::"
        "test_what_reads_no_column_is_written_as_a_constant[postgres]",
        _constants_left_to_the_planner,
    ),
    Mutant(
        "patterns-without-a-limit",
        "the pattern of a LIKE may have any number of wildcards",
        "tests/unit/test_like.py::test_patterns_and_texts_beyond_the_limits_are_refused_by_their_names",
        _patterns_without_a_limit,
    ),
    Mutant(
        "long-texts-are-built",
        "a concatenation may have more than max_length characters",
        "tests/unit/test_texts.py::test_texts_that_would_grow_are_null_and_many_operators_are_refused",
        _long_texts_are_built,
    ),
    Mutant(
        "texts-of-any-length",
        "a snapshot contains texts, also unit names, longer than max_length",
        "tests/engines/test_odd_rows.py::test_a_text_that_is_too_long_is_null_and_a_unit_that_is_has_no_rows",
        _texts_of_any_length,
    ),
    Mutant(
        "differing-operators-pass",
        "a question runs on an engine that implements one of its operators differently",
        "tests/engines/test_conformance.py::test_a_question_is_refused_on_an_engine_that_differs",
        _differing_operators_pass,
    ),
    Mutant(
        "settings-are-put-into-texts",
        "Spark substitutes ${…} in a string literal of a question by a setting",
        "tests/engines/test_spark.py::test_no_setting_of_the_user_changes_a_statement_and_none_of_theirs_is_changed",
        _settings_are_put_into_texts,
    ),
    Mutant(
        "sums-wrap-on-spark",
        "a sum on Spark that exceeds 64 bits wraps around",
        "tests/engines/test_spark.py::test_a_sum_beyond_64_bits_stops_where_it_does_on_every_engine",
        _sums_wrap_on_spark,
    ),
    Mutant(
        "any-version-believed",
        "an unchecked version of an engine is used",
        "tests/engines/test_unchecked.py::test_a_version_that_nobody_checked_gets_no_question_until_it_is_checked",
        _any_version_believed,
    ),
    Mutant(
        "dates-leave-the-calendar",
        "a date that moves beyond the year 9999 is not NULL",
        "tests/engines/test_expression_cases.py::test_an_expression_has_its_value",
        _dates_leave_the_calendar,
    ),
    Mutant(
        "old-findings-believed",
        "the findings of another version of the check suite are accepted",
        "tests/engines/test_unchecked.py::test_what_another_suite_found_is_not_believed_even_of_a_version_that_was_tested",
        _old_findings_believed,
    ),
    Mutant(
        "last-snapshot-removed-too",
        "refresh removes a snapshot that concurrent questions still read",
        "tests/engines/test_snapshots.py::test_refresh_removes_the_snapshots_before_the_last_but_one",
        _last_snapshot_removed_too,
    ),
    Mutant(
        "snapshots-of-any-ledger",
        "the snapshots of another ledger are read as versions of this one",
        "tests/engines/test_snapshots.py::test_another_ledger_beside_has_snapshots_of_its_own",
        _snapshots_of_any_ledger,
    ),
    Mutant(
        "any-master-will-do",
        "a Spark session of another master than the declared one is used",
        "tests/engines/test_spark.py::test_a_cluster_that_would_not_be_asked_as_declared_is_refused[elsewhere]",
        _any_master_will_do,
    ),
    Mutant(
        "pinned-in-the-users-session",
        "Spark Connect changes the settings of the user's own session",
        "tests/engines/test_spark_connect.py::"
        "test_no_setting_of_the_user_changes_a_statement_through_connect_and_none_of_theirs_is_changed",
        _pinned_in_the_users_session,
    ),
    Mutant(
        "given-up-but-not-stopped",
        "a Spark Connect statement keeps running after it was abandoned",
        "tests/engines/test_spark_connect.py::test_a_statement_that_takes_too_long_is_stopped_on_the_server",
        _given_up_but_not_stopped,
    ),
)
