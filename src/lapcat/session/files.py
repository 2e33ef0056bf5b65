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

    def identity(self, table: Table) -> str:
        return self.source(table).identity(self.ledger_folder)

    def needs_refresh(self, table: Table) -> bool:
        return not table.unit.is_row or self.source(table).kind == "csv"

    def version(self, declared: int) -> int:
        return declared

    def snapshot(self, table: Table, version: int) -> Path:
        """Named after the source, not the table: what was declared belongs to the data, whatever they are called."""
        identity = self.identity(table)
        slug = re.sub(r"\W+", "_", identity)[-40:]
        mark = hashlib.sha256(identity.encode()).hexdigest()[:8]
        return self.folder / "lapcat.cache" / f"{slug}-{mark}.{version}.parquet"

    def open(self, catalogue: Catalogue, versions: Mapping[str, int]) -> Engine:
        from lapcat.engines.duckdb import DuckDBEngine, OpenTable

        opened = {}
        for name, table in catalogue.tables.items():
            snapshot = None
            if self.needs_refresh(table):
                if versions[name] == 0:
                    continue
                snapshot = self.snapshot(table, versions[name])
            opened[name] = OpenTable(table, self.source(table), snapshot)
        return DuckDBEngine(opened, memory=catalogue.memory, threads=catalogue.threads)


def refresh(deployment: Deployment, name: str, progress: Progress = lambda fraction: None) -> int:
    """Declares a new version of a table; writes its snapshot first where questions read one. For the steward."""
    from lapcat.engines.duckdb_snapshot import write_snapshot

    tables = deployment.tables
    assert isinstance(tables, FileTables)
    table = deployment.catalogue.tables[name]
    identity = tables.identity(table)
    if tables.needs_refresh(table):
        path = tables.snapshot(table, deployment.ledger.version(identity) + 1)
        size = write_snapshot(tables.source(table), table, path, deployment.ledger.secret(), progress)
        if table.relation is Relation.REPLACE_ONE and size.units != table.units:
            path.unlink()
            raise Refused(
                "units-differ",
                f"{name} declares {table.units} units, and this version has {size.units}",
                why="under replace-one the number of units is public, so it must be the declared one",
                fix=f'units = {size.units} under [tables.{name}], then lapcat accept --reason "…"',
            )
    return deployment.ledger.refreshed(identity, {"table": name})
