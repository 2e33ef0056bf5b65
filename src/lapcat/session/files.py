"""Deployments whose tables are files: the catalogue, the ledger, the sources and the snapshots that `refresh` writes.

folder/lapcat.toml          the catalogue
folder/lapcat.ledger        the ledger (unless the catalogue says otherwise)
folder/lapcat.cache/        snapshots, one a table and version, for the owner's eyes alone (mode 700)
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from lapcat.engines.sources import Source, parse_source
from lapcat.errors import BadQuery, Refused
from lapcat.frontend.catalogue import read_catalogue
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.plan.schema import Catalogue, Relation, Table, Type
from lapcat.session.deployment import Deployment, Engine

Progress = Callable[[float], None]


def open_deployment(path: str | Path) -> Deployment:
    """Reads the catalogue and opens its ledger. Whether the ledger accepts the catalogue is not asked here."""
    catalogue_path = Path(path)
    try:
        text = catalogue_path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "catalogue-missing",
            f"there is no readable catalogue at {path}",
            fix="lapcat init FILE drafts one; -c or LAPCAT_CATALOGUE names another",
        ) from None
    folder = catalogue_path.resolve().parent
    catalogue = read_catalogue(text, lambda source: describe_types(parse_source(source, folder)))
    ledger_path = folder / os.path.expanduser(catalogue.store.removeprefix("sqlite:"))
    ledger = SQLiteLedger(ledger_path)
    return Deployment(catalogue, FileTables(folder, ledger_path.resolve().parent), ledger)


def describe_types(source: Source) -> Mapping[str, Type]:
    """What the source's own schema says of its columns; of a CSV only the names, and all is text."""
    from lapcat.engines.duckdb import declared_type, describe

    return {name: declared_type(physical) for name, physical in describe(source).items()}


class FileTables:
    """Tables in files beside the catalogue, read by embedded DuckDB."""

    def __init__(self, folder: Path, ledger_folder: Path) -> None:
        self.folder, self.ledger_folder = folder, ledger_folder

    @property
    def name(self) -> str:
        from lapcat.engines.duckdb import engine_name

        return engine_name()

    def source(self, table: Table) -> Source:
        return parse_source(table.source, self.folder)

    def place(self, table: Table) -> str:
        return self.source(table).identity(self.ledger_folder)

    def needs_refresh(self, table: Table) -> bool:
        return not table.unit.is_row or self.source(table).kind == "csv"

    def version(self, declared: int) -> int:
        return declared

    def snapshot(self, booked_as: str, table: Table, version: int) -> Path:
        """Named after the book and what is declared, not the table: a version belongs to the data, whatever they are
        called, and two tables over one source have a snapshot each where they declare different columns."""
        slug = re.sub(r"\W+", "_", booked_as)[-40:]
        columns = sorted((name, str(spec.type)) for name, spec in table.columns.items())
        mark = hashlib.sha256(repr((booked_as, table.unit.column, columns)).encode()).hexdigest()[:8]
        return self.folder / "lapcat.cache" / f"{slug}-{mark}.{version}.parquet"

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        from lapcat.engines.duckdb import DuckDBEngine, OpenTable

        opened = {}
        for name, table in catalogue.tables.items():
            snapshot = None
            if self.needs_refresh(table):
                if versions[name] == 0:
                    continue
                snapshot = self.snapshot(booked[name], table, versions[name])
            opened[name] = OpenTable(table, self.source(table), snapshot)
        return DuckDBEngine(opened, memory=catalogue.memory, threads=catalogue.threads)


def refresh(deployment: Deployment, name: str, progress: Progress = lambda fraction: None) -> int:
    """Declares a new version of a table's source; writes snapshots first where questions read them. For the steward.

    Tables over one source have one version, so all of them are written.
    """
    from lapcat.engines.duckdb_snapshot import size_in_place, write_snapshot

    tables = deployment.tables
    assert isinstance(tables, FileTables)
    booked_as = deployment.identity(deployment.catalogue.tables[name])
    together = [t for t in deployment.catalogue.tables.values() if deployment.identity(t) == booked_as]
    version = deployment.ledger.version(booked_as) + 1
    written: list[Path] = []
    for number, table in enumerate(together):
        if tables.needs_refresh(table):
            written.append(tables.snapshot(booked_as, table, version))
            key = deployment.ledger.secret()
            share = _share(progress, number, len(together))
            size = write_snapshot(tables.source(table), table, written[-1], key, share)
        elif table.relation is Relation.REPLACE_ONE:
            size = size_in_place(tables.source(table))
        else:
            continue
        if table.relation is Relation.REPLACE_ONE and size.units != table.units:
            for path in written:
                path.unlink()
            raise Refused(
                "units-differ",
                f"{table.name} declares {table.units} units, and this version has {size.units}",
                why="under replace-one the number of units is public, so it must be the declared one",
                fix=f'units = {size.units} under [tables.{table.name}], then lapcat accept --reason "…"',
            )
    return deployment.ledger.refreshed(booked_as, {"table": name})


def _share(progress: Progress, number: int, of: int) -> Progress:
    return lambda fraction: progress((number + fraction) / of)
