"""Mutants: planted bugs for mutation testing, each with the test that must catch it.

`plant` patches one name in the running process. Only tests/conftest.py calls it, before any test is imported, in a separate
process that tests/mutants starts and that must fail. One module for each part of the product.
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
    """Patches the bug of this name into the process, permanently."""
    next(mutant for mutant in MUTANTS if mutant.name == name).plant()
