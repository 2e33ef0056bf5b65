"""Deployments over files and servers: the catalogue, the ledger, the sources and the snapshots that `refresh` writes.

folder/lapcat.toml          the catalogue
folder/lapcat.ledger        the ledger (unless the catalogue names another place)
folder/lapcat.cache/        snapshots of files, one per ledger, table and version, readable by the owner only (mode 700)

Tables on a server or a cluster have their snapshots there (engines/base/backend.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.base.engine import FORMAT, Engine, HeldSnapshot, OpenTable, Progress, Settings
from lapcat.engines.base.sources import ANY_CLUSTER, Source
from lapcat.engines.router import open_all
from lapcat.errors import BadQuery, Error, Refused
from lapcat.frontend.catalogue import read_catalogue, read_cluster
from lapcat.ledger import SQLLedger
from lapcat.plan.schema import Catalogue, Cluster, LedgerSettings, PublicTable, Table, Type
from lapcat.session.deployment import Deployment
from lapcat.session.disk import require_room
from lapcat.session.engine_checks import ensure_checked, verdict_in
from lapcat.session.ledger_files import catalogue_text, ledger_folder, open_ledger
from lapcat.session.public_columns import to_json, values_to_json

if TYPE_CHECKING:  # it prints SQL, which previews do not need
    from lapcat.engines.base.backend import Backend


def open_deployment(path: str | Path) -> Deployment:
    """Reads the catalogue and opens its ledger. Does not check acceptance."""
    return _deployed(path, open_ledger)


def deployment_of(path: str | Path, ledger: SQLLedger) -> Deployment:
    """The deployment of a catalogue over an open, possibly read-only, ledger."""
    return _deployed(path, lambda settings, folder: ledger)


def _deployed(path: str | Path, opened: Callable[[LedgerSettings, Path], SQLLedger]) -> Deployment:
    text = catalogue_text(path)
    folder = Path(path).resolve().parent
    cluster = read_cluster(text)
    catalogue = read_catalogue(text, lambda source: describe_types(parse_source(source, folder, cluster)))
    ledger = opened(catalogue.ledger_settings, folder)
    root = ledger_folder(catalogue.ledger_settings, folder)
    tables = FileTables(folder, root, everything(catalogue), ledger.secret, cluster)
    return Deployment(catalogue, tables, ledger)


def describe_types(source: Source) -> Mapping[str, Type]:
    """The column types from the source's own schema; for a CSV all columns are text."""
    backend = backend_of(source)
    return {name: backend.declared_type(physical) for name, physical in backend.describe(source).items()}


class FileTables:
    """Tables in files or on servers, each read by the engine of its kind.

    Places are relative to `root`: the folder of the ledger, so that moving data and ledger together changes nothing; or, for a
    ledger on a server, the folder of the catalogue.
    """

    def __init__(
        self,
        folder: Path,
        root: Path,
        tables: Mapping[str, Table | PublicTable],
        secret: Callable[[], bytes],
        cluster: Cluster = ANY_CLUSTER,
    ) -> None:
        self.folder, self.root, self._tables, self._cluster = folder, root, tables, cluster
        self._secret = secret

    @property
    def name(self) -> str:
        return ", ".join(dict.fromkeys(self.backend(table).name() for table in self._tables.values()))

    def source(self, table: Table | PublicTable) -> Source:
        return parse_source(table.source, self.folder, self._cluster, table.read)

    def backend(self, table: Table | PublicTable) -> Backend:
        return backend_of(self.source(table))

    def place(self, table: Table | PublicTable) -> str:
        return self.source(table).identity(self.root)

    def version(self, declared: int) -> int:
        return declared

    @cached_property
    def _ledger(self) -> str:
        """Identifies the ledger without revealing its secret."""
        return hashlib.sha256(b"snapshots of " + self._secret()).hexdigest()

    def snapshot(self, booked_as: str, table: Table | PublicTable, version: int) -> Path:
        """The path of a snapshot, named after the account and the declared columns, not the table: a version belongs to the data,
        whatever the table's name, and two tables over one source have separate snapshots if they declare different columns.
        Declared uniqueness is part of it: joins trust that the snapshot was checked for it. So is the ledger, which defines
        the version: the refresh of another ledger must not replace the rows."""
        slug = re.sub(r"\W+", "_", booked_as)[-40:]
        columns = sorted((name, str(spec.type), spec.unique) for name, spec in table.columns.items())
        unit = (table.unit.column, table.unit.through) if isinstance(table, Table) else None
        declared: tuple[object, ...] = (FORMAT, self._ledger, booked_as, unit, columns)
        if isinstance(table, Table) and table.blocks is not None and table.blocks.within:
            declared = (*declared, table.blocks.column)  # the snapshot was checked for it
        if table.unique is not None:
            declared = (*declared, table.unique)
        mark = hashlib.sha256(repr(declared).encode()).hexdigest()[:8]
        return self.backend(table).snapshot(self.folder, f"{slug}-{mark}.{version}")

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        opened = {
            name: OpenTable(table, self.source(table), self.snapshot(booked[name], table, versions[name]))
            for name, table in everything(catalogue).items()
        }
        settings = Settings(
            catalogue.memory, catalogue.threads, self.folder / "lapcat.cache", catalogue.limits.max_length
        )
        return open_all(opened, settings, verdict_in(self.folder))


def everything(catalogue: Catalogue) -> dict[str, Table | PublicTable]:
    """All tables by name, private and public, each after the one through which its units are reached."""
    ordered: dict[str, Table | PublicTable] = {}

    def add(table: Table) -> None:
        if table.unit.through is not None and table.unit.through[0] not in ordered:
            add(catalogue.tables[table.unit.through[0]])
        ordered[table.name] = table

    for table in catalogue.tables.values():
        add(table)
    return {**ordered, **catalogue.public}


def refresh(
    deployment: Deployment,
    name: str,
    progress: Progress = lambda fraction: None,
    waits: Callable[[], None] = lambda: None,
    today: date | None = None,
) -> int:
    """Writes the snapshots of a table's source and declares a new version. For the steward.

    `today` is the date that CURRENT_DATE has in questions about this version.

    Tables over one source share a version, so all of them are written, or none. Refreshes of one ledger run one at a time:
    `waits` is called if another must end first. The version number is reserved in the ledger before any row is written, so
    that no two refreshes ever write under one name.
    """
    with deployment.ledger.alone(waits):
        return _refresh(deployment, name, progress, today)


def _refresh(deployment: Deployment, name: str, progress: Progress, today: date | None) -> int:
    from lapcat.session.stored_snapshots import tidy

    tables, catalogue = files_of(deployment), everything(deployment.catalogue)
    booked_as = deployment.identity(catalogue[name])
    together = [t for t in everything(deployment.declared).values() if deployment.identity(t) == booked_as]
    before = deployment.ledger.version(booked_as)
    ensure_checked(tables.folder, tables.source(catalogue[name]))
    tidy(deployment, booked_as, lambda version: version <= before)
    require_room(tables.source(catalogue[name]), tables.folder)
    memo: dict[str, object] = {"table": name}
    if today is not None:
        memo["today"] = today.isoformat()
    if any(isinstance(table, PublicTable) and not table.columns for table in together):
        source = tables.source(catalogue[name])
        read = backend_of(source).read_columns(source, deployment.declared.limits.max_length)
        together = [table if table.columns else replace(table, columns=read.specs) for table in together]
        memo["columns"] = to_json(read.specs)
        if read.values:
            memo["values"] = values_to_json(read.values)
    version = deployment.ledger.reserve(
        booked_as, lambda version: [tables.snapshot(booked_as, table, version).name for table in together]
    )
    written: dict[str, Path] = {}
    try:
        for number, table in enumerate(together):
            written[table.name] = tables.snapshot(booked_as, table, version)
            write_table_snapshot(deployment, table, written, _share(progress, number, len(together)))
    except BaseException:
        for other, path in written.items():
            with suppress(Error):  # the server may be gone: the original error is raised
                tables.backend(catalogue[other]).remove_snapshot(tables.source(catalogue[other]), path)
        raise
    declared = deployment.ledger.refreshed(booked_as, memo, version)
    # Questions under way may still read the previous version.
    tidy(deployment, booked_as, lambda version: version >= before)
    return declared


def write_table_snapshot(
    deployment: Deployment, table: Table | PublicTable, written: Mapping[str, Path], progress: Progress
) -> None:
    """Writes a table's snapshot, and checks the number of units if it is public."""
    source = files_of(deployment).source(table)
    units = table.units if isinstance(table, Table) else None
    people = people_of(deployment, table)
    for other, path in written.items():
        peer = deployment.catalogue.tables.get(other)
        if peer is not None and other != table.name:
            people[other] = HeldSnapshot(peer, path)
    size = backend_of(source).write_snapshot(
        source,
        table,
        written[table.name],
        deployment.ledger.secret(),
        progress,
        people,
        deployment.catalogue.limits.max_length,
    )
    if units is not None and size.units != units:
        raise Refused(
            "units-differ",
            f"{table.name} declares {units} units, and this version has {size.units}",
            why="under replace-one the number of units is public and must match the declaration",
            fix=f'units = {size.units} under [tables.{table.name}], then lapcat accept --reason "…"',
        )


def people_of(deployment: Deployment, table: Table | PublicTable) -> dict[str, HeldSnapshot]:
    """The current snapshots of other tables with the same population on the same server; the one that units are reached through
    must be among them."""
    if isinstance(table, PublicTable) or table.unit.is_row:
        return {}
    tables, catalogue = files_of(deployment), deployment.catalogue
    here, through = tables.source(table).server, table.unit.through
    if through is not None and tables.source(catalogue.tables[through[0]]).server != here:
        raise BadQuery(
            "engines-differ",
            f"{table.name} reaches its units through {through[0]}, which is on another engine",
            why="rows never leave the engine that holds them",
            fix=f"put the source of {table.name} beside that of {through[0]}",
        )
    snapshots: dict[str, HeldSnapshot] = {}
    for name, other in catalogue.tables.items():
        same = catalogue.population(other) == catalogue.population(table) and not other.unit.is_row
        booked_as, source = deployment.identity(other), tables.source(other)
        if not same or booked_as == deployment.identity(table) or source.server != here:
            continue
        path = tables.snapshot(booked_as, other, deployment.ledger.version(booked_as))
        if backend_of(source).has_snapshot(source, path):
            snapshots[name] = HeldSnapshot(other, path)
    if through is not None and through[0] not in snapshots:
        raise BadQuery(
            "never-refreshed",
            f"{table.name} reaches its units through {through[0]}, which has no snapshot yet",
            why="the unit of each row is read from the snapshot of that table",
            fix=f"lapcat refresh {through[0]}",
        )
    return snapshots


def files_of(deployment: Deployment) -> FileTables:
    assert isinstance(deployment.tables, FileTables)
    return deployment.tables


def _share(progress: Progress, number: int, of: int) -> Progress:
    return lambda fraction: progress((number + fraction) / of)
