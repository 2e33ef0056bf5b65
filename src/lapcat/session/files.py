"""Deployments whose tables are files: the catalogue, the ledger, the sources and the snapshots that `refresh` writes.

folder/lapcat.toml          the catalogue
folder/lapcat.ledger        the ledger (unless the catalogue says otherwise)
folder/lapcat.cache/        snapshots, one a table and version, for the owner's eyes alone (mode 700)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.sources import Source, parse_source
from lapcat.errors import BadQuery, Refused
from lapcat.frontend.catalogue import read_catalogue
from lapcat.plan.schema import Catalogue, PublicTable, Table, Type
from lapcat.session.books import catalogue_text, ledger_folder, open_ledger
from lapcat.session.deployment import Deployment, Engine

if TYPE_CHECKING:
    from lapcat.engines.duckdb_snapshot import Held
Progress = Callable[[float], None]


def open_deployment(path: str | Path) -> Deployment:
    """Reads the catalogue and opens its ledger. Whether the ledger accepts the catalogue is not asked here."""
    text = catalogue_text(path)
    folder = Path(path).resolve().parent
    catalogue = read_catalogue(text, lambda source: describe_types(parse_source(source, folder)))
    ledger = open_ledger(catalogue.books, folder)
    return Deployment(catalogue, FileTables(folder, ledger_folder(catalogue.books, folder)), ledger)


def describe_types(source: Source) -> Mapping[str, Type]:
    """What the source's own schema says of its columns; of a CSV only the names, and all is text."""
    from lapcat.engines.duckdb import declared_type, describe

    return {name: declared_type(physical) for name, physical in describe(source).items()}


class FileTables:
    """Tables in files beside the catalogue, read by embedded DuckDB.

    Where a table is, is told from `root`: the folder of the ledger, so that moving data and ledger together changes
    nothing; or, where the ledger is on a server, the folder of the catalogue.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder, self.root = folder, root

    @property
    def name(self) -> str:
        from lapcat.engines.duckdb import engine_name

        return engine_name()

    def source(self, table: Table | PublicTable) -> Source:
        return parse_source(table.source, self.folder)

    def place(self, table: Table | PublicTable) -> str:
        return self.source(table).identity(self.root)

    def needs_refresh(self, table: Table | PublicTable) -> bool:
        """All but private rows that lie in a typed file and promise nothing that would have to be checked."""
        unique = any(spec.unique for spec in table.columns.values())
        by_row = isinstance(table, Table) and table.unit.is_row
        return not by_row or unique or self.source(table).kind == "csv"

    def version(self, declared: int) -> int:
        return declared

    def snapshot(self, booked_as: str, table: Table | PublicTable, version: int) -> Path:
        """Named after the book and what is declared, not the table: a version belongs to the data, whatever they are
        called, and two tables over one source have a snapshot each where they declare different columns. What is
        declared unique is part of it: joins trust that the snapshot was checked for it."""
        from lapcat.engines.duckdb_snapshot import FORMAT

        slug = re.sub(r"\W+", "_", booked_as)[-40:]
        columns = sorted((name, str(spec.type), spec.unique) for name, spec in table.columns.items())
        unit = (table.unit.column, table.unit.through) if isinstance(table, Table) else None
        declared: tuple[object, ...] = (FORMAT, booked_as, unit, columns)
        if isinstance(table, Table) and table.blocks is not None and table.blocks.within:
            declared = (*declared, table.blocks.column)  # the snapshot was checked for it
        mark = hashlib.sha256(repr(declared).encode()).hexdigest()[:8]
        return self.folder / "lapcat.cache" / f"{slug}-{mark}.{version}.parquet"

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        from lapcat.engines.duckdb import DuckDBEngine, OpenTable

        opened = {}
        for name, table in everything(catalogue).items():
            snapshot = None
            if self.needs_refresh(table):
                if versions[name] == 0:
                    continue
                snapshot = self.snapshot(booked[name], table, versions[name])
            opened[name] = OpenTable(table, self.source(table), snapshot)
        return DuckDBEngine(opened, memory=catalogue.memory, threads=catalogue.threads)


def everything(catalogue: Catalogue) -> dict[str, Table | PublicTable]:
    """All tables by their names, private and public, each after the one through which its units are reached."""
    found: dict[str, Table | PublicTable] = {}

    def add(table: Table) -> None:
        if table.unit.through is not None and table.unit.through[0] not in found:
            add(catalogue.tables[table.unit.through[0]])
        found[table.name] = table

    for table in catalogue.tables.values():
        add(table)
    return {**found, **catalogue.public}


def refresh(deployment: Deployment, name: str, progress: Progress = lambda fraction: None) -> int:
    """Declares a new version of a table's source; writes snapshots first where questions read them. For the steward.

    Tables over one source have one version, so all of them are written, or none.
    """
    tables, catalogue = _files(deployment), everything(deployment.catalogue)
    booked_as = deployment.identity(catalogue[name])
    together = [t for t in catalogue.values() if deployment.identity(t) == booked_as]
    version = deployment.ledger.version(booked_as) + 1
    written: dict[str, Path] = {}
    try:
        for number, table in enumerate(together):
            if tables.needs_refresh(table):
                written[table.name] = tables.snapshot(booked_as, table, version)
            _write(deployment, table, written, _share(progress, number, len(together)))
    except BaseException:
        for path in written.values():
            path.unlink(missing_ok=True)
        raise
    return deployment.ledger.refreshed(booked_as, {"table": name})


def _write(
    deployment: Deployment, table: Table | PublicTable, written: Mapping[str, Path], progress: Progress
) -> None:
    """Writes a table's snapshot if it has one, and compares the number of units where that is public."""
    from lapcat.engines.duckdb_snapshot import Held, size_in_place, write_snapshot

    source = _files(deployment).source(table)
    units = table.units if isinstance(table, Table) else None
    if table.name in written:
        people = people_of(deployment, table)
        for other, path in written.items():
            peer = deployment.catalogue.tables.get(other)
            if peer is not None and other != table.name:
                people[other] = Held(peer, path)
        key = deployment.ledger.secret()
        size = write_snapshot(source, table, written[table.name], key, progress, people=people)
    elif units is not None:
        size = size_in_place(source)
    if units is not None and size.units != units:
        raise Refused(
            "units-differ",
            f"{table.name} declares {units} units, and this version has {size.units}",
            why="under replace-one the number of units is public, so it must be the declared one",
            fix=f'units = {size.units} under [tables.{table.name}], then lapcat accept --reason "…"',
        )


def people_of(deployment: Deployment, table: Table | PublicTable) -> dict[str, Held]:
    """The snapshots, of the versions declared now, of other tables about the same people; the one that units are
    reached through must be among them."""
    from lapcat.engines.duckdb_snapshot import Held

    if isinstance(table, PublicTable) or table.unit.is_row:
        return {}
    tables, catalogue = _files(deployment), deployment.catalogue
    found: dict[str, Held] = {}
    for name, other in catalogue.tables.items():
        same = catalogue.population(other) == catalogue.population(table) and not other.unit.is_row
        booked_as = deployment.identity(other)
        path = tables.snapshot(booked_as, other, deployment.ledger.version(booked_as))
        if same and booked_as != deployment.identity(table) and path.exists():
            found[name] = Held(other, path)
    through = table.unit.through
    if through is not None and through[0] not in found:
        raise BadQuery(
            "never-refreshed",
            f"{table.name} reaches its units through {through[0]}, which has no snapshot yet",
            why="whose row it is stands in the declared version of that table",
            fix=f"lapcat refresh {through[0]}",
        )
    return found


def _files(deployment: Deployment) -> FileTables:
    assert isinstance(deployment.tables, FileTables)
    return deployment.tables


def _share(progress: Progress, number: int, of: int) -> Progress:
    return lambda fraction: progress((number + fraction) / of)
