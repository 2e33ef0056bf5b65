"""The audit of a whole deployment, through the path that answers take: SQL, plan, engine, door, ledger.

made.py       neighbouring tables of made-up rows for what a catalogue declares
questions.py  questions for them
copies.py     the declared table over such rows, with a ledger of its own in memory
asking.py     one question through the whole path, or its release alone
checks.py     what is checked, and by which theorem
report.py     what was found
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lapcat.audit.deployment.checks import Check, checks_of
from lapcat.audit.deployment.copies import auditable
from lapcat.audit.deployment.report import Report
from lapcat.plan.schema import Catalogue
from lapcat.version import __version__

AT_RANDOM = 10
"""Random questions for each table, beside the systematic ones."""


def audit_deployment(
    catalogue: Catalogue,
    at_random: int = AT_RANDOM,
    heard: Callable[[str, Check], None] = lambda table, check: None,
) -> Report:
    """Checks every table that a catalogue declares. Of the deployment itself nothing is read, and nothing is spent.

    heard: told of every check as it is made.
    """
    started = time.perf_counter()
    found: list[tuple[str, Check]] = []
    skipped = []
    with tempfile.TemporaryDirectory(prefix="lapcat-audit-") as folder:
        for table in catalogue.tables.values():
            if not auditable(table):
                skipped.append(f"{table.name}: its units are in another table")
                continue
            for check in checks_of(table, Path(folder), at_random):
                found.append((table.name, check))
                heard(table.name, check)
    return Report.of(found, skipped, time.perf_counter() - started, __version__)
