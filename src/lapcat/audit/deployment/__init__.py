"""The audit of a whole deployment, through the path that answers take: SQL, plan, engine, door, ledger.

fixtures.py        neighbouring tables of made-up rows for what a catalogue declares, tables of one population together
questions.py   questions for them
copies.py      the declared tables over such rows, with a ledger of their own in memory
asking.py      one question through the whole path, or its release alone
mechanisms.py  noise and randomisers by themselves
operators.py   what an engine means
meanings.py    whether answers are answers to their questions
work.py        how many rows one unit becomes on the way
conditions.py  how many conditions one row meets
strategies.py  how far one row moves what strategies measure
integers.py    how far one unit moves what was paid for, and whether an engine means the question
laws.py        noise against its law
chosen.py      medians, extremes and modes
thresholds.py  private groups
versions.py    what `refresh` must refuse
ledgers.py       what is paid: failures, keys, caps, analysts; and the random stream
crowds.py      what is paid by several threads at once
evidence.py    what proves it: hashes, signatures, the witness, receipts (tampering.py: against what)
stored.py      what stored answers are used for
margins/       intervals
checks.py      all of these, in their order
report.py      what was found
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
    with tempfile.TemporaryDirectory(prefix="lapcat-audit-") as folder:
        servers: set[str] = set()
        for number, family in enumerate(families_of(catalogue)):
            known = {*(ONCE if number else ()), *(OF_AN_ENGINE if family.server in servers else ())}
            parts = tuple(kind for kind in PARTS if kind not in known)
            servers.add(family.server)
            for check in checks_of(family, Path(folder) / str(number), at_random, parts):
                found.append((family.name, check))
                heard(family.name, check)
    return Report.of(found, time.perf_counter() - started, __version__)
