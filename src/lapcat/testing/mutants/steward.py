"""Mutants of the steward's commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapcat.testing.mutants.mutant import Mutant, put, used

if TYPE_CHECKING:
    from lapcat.engines.base.sources import Source


def _first_line_quoted() -> None:
    from lapcat.engines.base import snapshots

    put(
        snapshots,
        "missing_column",
        lambda name, declared, columns, where: (f"no column {name}", "", f"one of: {', '.join(columns)}"),
    )


def _any_first_line_is_a_header() -> None:
    from lapcat.cli import intake

    put(intake, "_decided", lambda given, wishes, evidence: True)


def _broken_lines_quoted() -> None:
    from lapcat.engines.duckdb import text_files

    def quoted(source: Source) -> tuple[str, str]:
        return "line 1", source.path.read_bytes().decode(errors="replace")

    put(text_files, "_first_trouble", quoted)


def _copy_left_behind() -> None:
    import tempfile

    from lapcat.engines.duckdb import text_files

    def named(mode: str, dir: Path | None, **options: Any) -> Any:
        return tempfile.NamedTemporaryFile(mode, dir=dir, delete=False, **options)

    put(used(text_files, "tempfile"), "TemporaryFile", named)


def _escapes_reach_the_terminal() -> None:
    from lapcat.cli import screen

    put(screen, "harmless", lambda text: text)


def _today_of_the_clock() -> None:
    from datetime import UTC, date, datetime

    from lapcat.session.deployment import Deployment

    honest = Deployment.today

    def hasty(deployment: Deployment, table: Any) -> date:
        return honest(deployment, table) or datetime.now(UTC).date()

    put(Deployment, "today", hasty)


def _reserved_version_reused() -> None:
    from lapcat.ledger import ledger

    put(ledger, "next_version", lambda connection, source: used(ledger, "version_of")(connection, source) + 1)


def _open_cache_read() -> None:
    from lapcat.engines.base import cache_folder
    from lapcat.engines.duckdb import snapshots as duckdb_snapshot

    for module in (cache_folder, duckdb_snapshot):
        put(module, "require_private", lambda folder: None)


def _gone_tables_unseen() -> None:
    from lapcat.session import deployment

    put(deployment, "lost_accounts", lambda accepted, booked: {})


MUTANTS = (
    Mutant(
        "gone-tables-unseen",
        "a table with a spent budget gets a new one under another name",
        "tests/e2e/test_accept.py::test_a_table_that_has_spent_does_not_go_while_another_appears",
        _gone_tables_unseen,
    ),
    Mutant(
        "reserved-version-reused",
        "two refreshes write different rows under the same version",
        "tests/e2e/test_refresh.py::test_a_version_that_was_reserved_is_never_given_again",
        _reserved_version_reused,
    ),
    Mutant(
        "open-cache-read",
        "snapshots in a folder that others can write to are trusted",
        "tests/engines/test_snapshots.py::test_a_cache_folder_that_others_can_enter_is_refused_until_it_is_closed[493]",
        _open_cache_read,
    ),
    Mutant(
        "first-line-quoted",
        "an error about a file without a header quotes the cells of its first row",
        "tests/e2e/test_quoting.py::test_no_command_quotes_a_cell_of_a_broken_file[no header]",
        _first_line_quoted,
    ),
    Mutant(
        "any-first-line-is-a-header",
        "init takes a data row for the header",
        "tests/e2e/test_quoting.py::test_init_refuses_a_first_line_that_might_be_a_row[lines1-False]",
        _any_first_line_is_a_header,
    ),
    Mutant(
        "broken-lines-quoted",
        "an error about an unreadable file quotes its content",
        "tests/engines/test_text_files.py::test_what_cannot_be_read_is_named_by_its_place_and_never_quoted[t.csv-ragged]",
        _broken_lines_quoted,
    ),
    Mutant(
        "copy-left-behind",
        "the temporary copy of a converted file stays on disk",
        "tests/engines/test_text_files.py::test_a_file_of_every_kind_has_the_same_rows[SQLite]",
        _copy_left_behind,
    ),
    Mutant(
        "escapes-reach-the-terminal",
        "a name with terminal escapes is printed unescaped",
        "tests/e2e/test_quoting.py::test_no_text_statement_or_error_holds_what_a_terminal_obeys",
        _escapes_reach_the_terminal,
    ),
    Mutant(
        "today-of-the-clock",
        "without a date from the steward, CURRENT_DATE is that of the clock",
        "tests/unit/test_today.py::test_a_version_without_a_date_has_no_today",
        _today_of_the_clock,
    ),
)
