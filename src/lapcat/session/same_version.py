"""Writes the missing snapshot of a declared version, so that its stored answers stay free.

lapcat 0.1.0 read Parquet files, DuckDB files and Spark folders without a snapshot if each row was a unit, also before their
first `refresh` (version 0). Only the steward knows whether the rows are still those of that version: lapcat never compares
them, since that would reveal whether somebody was added.
"""

from __future__ import annotations

from contextlib import suppress

from lapcat.engines.backends import backend_of
from lapcat.engines.base.engine import Progress
from lapcat.errors import BadQuery, Error, Refused
from lapcat.session.deployment import Deployment
from lapcat.session.disk import require_room
from lapcat.session.engine_checks import ensure_checked
from lapcat.session.files import FileTables, everything, write_table_snapshot


def write_missing(
    deployment: Deployment, name: str, reason: str, progress: Progress = lambda fraction: None
) -> int:
    """Writes the missing snapshots of the declared version, after recording the reason in the ledger. For the steward.

    Excludes concurrent refreshes."""
    with deployment.ledger.alone():
        return _write_missing(deployment, name, reason, progress)


def _write_missing(deployment: Deployment, name: str, reason: str, progress: Progress) -> int:
    tables, catalogue = deployment.tables, everything(deployment.catalogue)
    assert isinstance(tables, FileTables)
    booked_as = deployment.identity(catalogue[name])
    version = deployment.ledger.version(booked_as)
    if version == 0 and not deployment.has_spent(booked_as):
        raise BadQuery(
            "never-refreshed",
            f"{name} has no version yet that could stay the same",
            fix=f"lapcat refresh {name}",
        )
    together = [table for table in catalogue.values() if deployment.identity(table) == booked_as]
    paths = {table.name: tables.snapshot(booked_as, table, version) for table in together}
    missing = [
        table
        for table in together
        if not tables.backend(table).has_snapshot(tables.source(table), paths[table.name])
    ]
    if not missing:
        raise Refused(
            "snapshot-there",
            f"version {version} of {name} has its snapshot",
            why="a version is never written twice: otherwise stored answers about the first rows would be returned for others",
            fix=f"lapcat refresh {name}",
        )
    ensure_checked(tables.folder, tables.source(catalogue[name]))
    require_room(tables.source(catalogue[name]), tables.folder)
    deployment.ledger.written_again(booked_as, {"table": name}, reason)
    there = {table.name: paths[table.name] for table in together if table not in missing}
    try:
        for number, table in enumerate(missing):
            there[table.name] = paths[table.name]
            write_table_snapshot(
                deployment,
                table,
                there,
                lambda part, done=number: progress((done + part) / len(missing)),  # type: ignore[misc]
            )
    except BaseException:
        for table in missing:
            source = tables.source(table)
            with suppress(Error):
                backend_of(source).remove_snapshot(source, paths[table.name])
        raise
    return version
