"""Runs the deployment audit against mutants, each in its own process, and prints the first problem it finds.

python -m lapcat.testing.planted CATALOGUE [NAME …]      names are those of `audited.py`; default: all that need no server

Mutants of one engine are tested on the first table of the catalogue, which must exist.

Each line has the name of the mutant, the kind of check that detected it, and its message; or only the name, if none did.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from lapcat.audit.deployment.checks import checks_of
from lapcat.audit.deployment.fixtures import Family, families_of
from lapcat.frontend.catalogue import read_catalogue
from lapcat.testing.mutants import plant
from lapcat.testing.mutants.audited import AUDITED, ON_A_SERVER

AT_RANDOM = 2


def first_problem(family: Family, part: str) -> tuple[str, str]:
    """The kind and the problem of the first failing check; empty strings if all pass."""
    with tempfile.TemporaryDirectory(prefix="lapcat-planted-") as folder:
        for check in checks_of(family, Path(folder), AT_RANDOM, (part,)):
            if check.problem:
                return check.kind, f"{check.text}: {check.problem}"
    return "", ""


def finding_of(name: str, families: dict[str, Family]) -> str:
    """The audit's finding for a mutant, from a child process, so that the mutant stays there."""
    table, part = AUDITED.get(name) or (next(iter(families)), ON_A_SERVER[name][1])
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            plant(name)
            kind, problem = first_problem(families[table], part)
            os.write(writing, f"{kind}\t{problem}"[:4000].encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        finding = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return finding.replace("\n", " ") if status == 0 else "\tthe audit broke down"


def main(catalogue: str, *names: str) -> None:
    declared = read_catalogue(Path(catalogue).read_text(encoding="utf-8"), lambda source: {})
    families = {table.name: family for family in families_of(declared) for table in family.tables}
    for name in names or AUDITED:
        print(f"{name}\t{finding_of(name, families)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
