"""The guards of a ledger's schema: triggers, and the functions that they call, without which a statement could change an entry.

A store reads those it has and those it should have, each as one text by its name; here they are compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapcat.ledger.chain import unsound


def compare_guards(found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raises, naming the guard, where one is missing, differs or was added."""
    for name in sorted(found.keys() | expected.keys()):
        if name not in found:
            raise _changed(name, "was taken away")
        if name not in expected:
            raise _changed(name, "was added, and is not lapcat's")
        if found[name] != expected[name]:
            raise _changed(name, "is not the one that lapcat made")


def _changed(name: str, what: str) -> Exception:
    return unsound(f"the entries of the ledger are whole, but the guard {name} {what}")
