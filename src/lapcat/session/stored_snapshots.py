"""Lists and prunes stored snapshots.

A snapshot holds every private row of its version, so unneeded ones are removed: `refresh` removes all but the last two versions
and the leftovers of a killed refresh; `lapcat snapshots prune` removes all but the declared versions. A ledger records the
names of its snapshots (reservations). In the catalogue's folder a snapshot unknown to the ledger of every catalogue (*.toml)
there is an orphan. On a server it may belong to a catalogue elsewhere: there it is removed only if the steward names it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lapcat.engines.backends import parse_source
from lapcat.engines.base.backend import Backend
from lapcat.engines.base.cache_folder import CACHE, StoredSnapshot
from lapcat.engines.base.sources import Source
from lapcat.errors import BadQuery, Error
from lapcat.frontend.catalogue import read_catalogue, read_cluster
from lapcat.ledger.base import Ledger
from lapcat.plan.schema import PublicTable, Table
from lapcat.session.acceptance import accounts_of
from lapcat.session.deployment import Deployment
from lapcat.session.files import FileTables, describe_types, everything, files_of
from lapcat.session.ledger_files import catalogue_text, ledger_folder, open_ledger_read_only


class SnapshotState(StrEnum):
    """Whether a snapshot is needed."""

    CURRENT = "current"
    UNUSED = "unused"
    """The declared version of a source that no table of the catalogue reads."""
    OLD = "old"
    UNFINISHED = "unfinished"
    """Written by a refresh that was killed or has not declared the version yet."""
    WRITING = "being written"
    OTHER = "of another ledger"
    ORPHANED = "orphaned"
    """No ledger of a catalogue in the folder knows it."""
    UNKNOWN = "not of this ledger"


PRUNED = (SnapshotState.OLD, SnapshotState.UNFINISHED, SnapshotState.ORPHANED)
NAMED = (*PRUNED, SnapshotState.UNUSED, SnapshotState.UNKNOWN)
"""States that may be removed by name."""


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """A stored snapshot."""

    name: str
    table: str
    """Its table in the catalogue, or else its account; empty if unknown."""
    version: int | None
    place: str
    size: int
    state: SnapshotState

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "table": self.table or None,
            "version": self.version,
            "place": self.place,
            "bytes": self.size,
            "state": str(self.state),
        }


Owned = Mapping[str, tuple[str, int]]
"""Snapshot name → its account and version."""


def kept_snapshots(deployment: Deployment) -> list[KeptSnapshot]:
    """All stored snapshots in the places of the catalogue's tables."""
    return [kept for kept, _ in _kept(deployment)]


def prune(deployment: Deployment, names: Sequence[str] = ()) -> list[KeptSnapshot]:
    """Removes unneeded snapshots, or the named ones; returns the removed ones. For the steward.

    Excludes concurrent refreshes.
    """
    with deployment.ledger.alone():
        snapshots = list(_kept(deployment))
        by_name = {kept.name: kept for kept, _ in snapshots}
        for name in names:
            _require_removable(name, by_name.get(name))
        removed = []
        for kept, remove in snapshots:
            if kept.name in names if names else kept.state in PRUNED:
                remove()
                removed.append(kept)
    return removed


def _require_removable(name: str, kept: KeptSnapshot | None) -> None:
    if kept is None:
        raise BadQuery("snapshot-unknown", f"there is no snapshot {name}", fix="lapcat snapshots")
    if kept.state not in NAMED:
        raise BadQuery(
            "snapshot-needed",
            f"{name} is {kept.state}: questions read it",
            fix="lapcat refresh declares a new version, after which this one is old",
        )


def tidy(deployment: Deployment, booked_as: str, keeps: Callable[[int], bool]) -> None:
    """Removes this ledger's snapshots of a source except the versions to keep, and the leftovers of killed processes."""
    tables = files_of(deployment)
    owned = owned_by(deployment.ledger, tables, _booked(deployment))
    for table in _of_source(deployment, booked_as):
        source, backend = tables.source(table), tables.backend(table)
        with suppress(Error):  # the next refresh tries again
            for stored in backend.stored_in(source, tables.folder)[1]:
                of, version = owned.get(stored.path.name, ("", 0))
                dead = stored.unfinished and not stored.being_written
                if dead or (of == booked_as and not stored.unfinished and not keeps(version)):
                    backend.remove_snapshot(source, stored.path)


def owned_by(
    ledger: Ledger, tables: FileTables, booked: Mapping[str, tuple[str, Table | PublicTable]]
) -> dict[str, tuple[str, int]]:
    """The snapshots of a ledger: those it reserved, and older ones by their computed names."""
    owned = {
        tables.snapshot(of, table, version).name: (of, version)
        for of, table in booked.values()
        for version in range(ledger.version(of) + 1)
    }
    for reserved in ledger.reserved():
        owned |= dict.fromkeys(reserved.snapshots, (reserved.source, reserved.version))
    return owned


def _booked(deployment: Deployment) -> dict[str, tuple[str, Table | PublicTable]]:
    tables = everything(deployment.catalogue)
    return {name: (deployment.identity(table), table) for name, table in tables.items()}


def _of_source(deployment: Deployment, booked_as: str) -> list[Table | PublicTable]:
    return [table for of, table in _booked(deployment).values() if of == booked_as]


def _kept(deployment: Deployment) -> Iterator[tuple[KeptSnapshot, Callable[[], None]]]:
    """Each snapshot with a function that removes it."""
    tables, booked, ledger = files_of(deployment), _booked(deployment), deployment.ledger
    owned = owned_by(ledger, tables, booked)
    called = {of: name for name, (of, _) in reversed(booked.items())}
    others = _others(tables.folder)
    seen: set[str] = set()
    for _, table in booked.values():
        source, backend = tables.source(table), tables.backend(table)
        place, snapshots = backend.stored_in(source, tables.folder)
        if place in seen:
            continue
        seen.add(place)
        for stored in snapshots:
            of, version = owned.get(_snapshot_of(stored), (None, None))
            state = SnapshotState.UNKNOWN
            if stored.unfinished:
                state = SnapshotState.WRITING if stored.being_written else SnapshotState.UNFINISHED
            elif of is not None and version is not None:
                state = _state(version, ledger.version(of), of in called)
            elif place == CACHE and others is not None:
                state = SnapshotState.OTHER if stored.path.name in others else SnapshotState.ORPHANED
            kept = KeptSnapshot(
                stored.path.name, called.get(of or "", of or ""), version, place, stored.size, state
            )
            yield kept, _removal(backend, source, stored.path)


def _removal(backend: Backend, source: Source, path: Path) -> Callable[[], None]:
    return lambda: backend.remove_snapshot(source, path)


def _snapshot_of(stored: StoredSnapshot) -> str:
    """The name of a snapshot; of an unfinished one the part between the first dot and the process id."""
    name = stored.path.name
    return name[1:].rsplit(".", 2)[0] if stored.unfinished else name


def _state(version: int, declared: int, used: bool) -> SnapshotState:
    if version > declared:
        return SnapshotState.UNFINISHED
    if version < declared:
        return SnapshotState.OLD
    return SnapshotState.CURRENT if used else SnapshotState.UNUSED


def _others(folder: Path) -> set[str] | None:
    """The snapshots of all ledgers of catalogues in the folder; None if one of these cannot be opened."""
    names: set[str] = set()
    for path in sorted(
        folder.glob("*.toml")
    ):  # never a ledger: closing its file would end SQLite's locks on it
        try:
            if "tables" not in tomllib.loads(path.read_text(encoding="utf-8")):
                continue
        except (OSError, ValueError):  # no text, or no TOML
            continue
        try:
            names |= _owned_in(path).keys()
        except Error as problem:
            if problem.code != "ledger-none":
                return None
    return names


def _owned_in(path: Path) -> Owned:
    text, folder = catalogue_text(path), path.resolve().parent
    opened = open_ledger_read_only(path)
    try:
        cluster = read_cluster(text)
        catalogue = read_catalogue(text, lambda source: describe_types(parse_source(source, folder, cluster)))
        tables = everything(catalogue)
        root = ledger_folder(catalogue.ledger_settings, folder)
        files = FileTables(folder, root, tables, opened.ledger.secret, cluster)
        booked = accounts_of({name: files.place(table) for name, table in tables.items()}, opened.facts)
        return owned_by(opened.ledger, files, {name: (booked[name], table) for name, table in tables.items()})
    finally:
        opened.ledger.close()
