"""Fork safety of stores: a child inherits no open connection, no unfinished transaction and no held lock."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Protocol


class Forks(Protocol):
    """A store's fork hooks: it waits for the current transaction, closes what must not be inherited, and blocks until the
    child exists."""

    def before_fork(self) -> None: ...
    def after_fork(self, *, child: bool) -> None: ...


_WATCHING = threading.Lock()
_STORES: weakref.WeakSet[Forks] = weakref.WeakSet()
_FORKING: list[Forks] = []


def watch(store: Forks) -> None:
    """Registers a store for as long as it lives."""
    with _WATCHING:
        _STORES.add(store)


def _before_fork() -> None:
    _WATCHING.acquire()
    for store in list(_STORES):
        store.before_fork()
        _FORKING.append(store)


def _after_fork(*, child: bool) -> None:
    while _FORKING:
        _FORKING.pop().after_fork(child=child)
    if _WATCHING.locked():
        _WATCHING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(child=False),
        after_in_child=lambda: _after_fork(child=True),
    )
