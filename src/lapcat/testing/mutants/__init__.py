"""Planted bugs, each with the test that must catch it. A test that cannot fail is no test.

`plant` puts a bug into the running process, by replacing one name where it is used. Only tests/conftest.py calls it,
before any test is imported, in a process of its own that tests/mutants starts and that must come out red. One module for
each part of the product.
"""

from __future__ import annotations

from lapcat.testing.mutants import audit, core, engines, ledger, limits, plan, steward
from lapcat.testing.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *core.MUTANTS,
    *plan.MUTANTS,
    *engines.MUTANTS,
    *ledger.MUTANTS,
    *audit.MUTANTS,
    *limits.MUTANTS,
    *steward.MUTANTS,
)


def plant(name: str) -> None:
    """Puts the bug of this name into the process, for good."""
    next(mutant for mutant in MUTANTS if mutant.name == name).plant()
