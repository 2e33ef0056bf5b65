"""The audit of a deployment: end-to-end checks of privacy and accuracy on fixtures, through SQL, plan, engine, release gate and ledger.

fixtures.py    neighbouring fixture tables for the declared schema; tables of one population are generated together
questions.py   the questions asked of them
copies.py      the declared tables over fixture rows, with their own ledger in memory
asking.py      one question through the whole path, or only its release
mechanisms.py  mechanisms and local randomisers in isolation
operators.py   conformance of an engine's operators
meanings.py    answers against plain SQL
work.py        rows that one unit produces within a plan
conditions.py  conditions that one row satisfies
strategies.py  sensitivity of strategies
integers.py    sensitivity of released integers against the debit, and engines against the reference engine
laws.py        noise against its distribution
chosen.py      medians, extremes and modes
thresholds.py  private groups
versions.py    versions that `refresh` must refuse
ledgers.py     debits: failures, idempotency keys, caps, analysts; and the random stream
crowds.py      debits by concurrent threads
evidence.py    hashes, signatures, the witness and receipts against tampering (tampering.py)
stored.py      answers derived from stored answers
margins/       coverage of intervals
checks.py      all parts, in order
report.py      the report
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lapcat.audit.deployment.check import Check
from lapcat.audit.deployment.checks import OF_AN_ENGINE, ONCE, PARTS, checks_of
from lapcat.audit.deployment.fixtures import families_of
from lapcat.audit.deployment.report import Report
from lapcat.plan.schema import Catalogue
from lapcat.version import __version__

AT_RANDOM = 10
"""The number of random questions, in addition to the systematic ones."""


def audit_deployment(
    catalogue: Catalogue,
    at_random: int = AT_RANDOM,
    heard: Callable[[str, Check], None] = lambda table, check: None,
) -> Report:
    """Checks every table of a catalogue, on fixtures: no row of the deployment is read, and no budget is spent.

    heard: called with every check as it is made.
    """
    started = time.perf_counter()
    checks: list[tuple[str, Check]] = []
    with tempfile.TemporaryDirectory(prefix="lapcat-audit-") as folder:
        servers: set[str] = set()
        for number, family in enumerate(families_of(catalogue)):
            done = {*(ONCE if number else ()), *(OF_AN_ENGINE if family.server in servers else ())}
            parts = tuple(kind for kind in PARTS if kind not in done)
            servers.add(family.server)
            for check in checks_of(family, Path(folder) / str(number), at_random, parts):
                checks.append((family.name, check))
                heard(family.name, check)
    return Report.of(checks, time.perf_counter() - started, __version__)
