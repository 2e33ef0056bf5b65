"""Compares the guards of a ledger's schema with the expected ones: the triggers, and their functions, that make entries immutable.

A store provides the actual and the expected guards, each as a text by name.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapcat.ledger.chain import unsound


def compare_guards(actual: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raises, naming the guard, if one is missing, differs or was added."""
    for name in sorted(actual.keys() | expected.keys()):
        if name not in actual:
            raise _changed(name, "was removed")
        if name not in expected:
            raise _changed(name, "was added, and is not lapcat's")
        if actual[name] != expected[name]:
            raise _changed(name, "is not the one that lapcat made")


def _changed(name: str, what: str) -> Exception:
    return unsound(f"the entries of the ledger are intact, but the guard {name} {what}")
