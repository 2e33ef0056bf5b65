"""Does the audit of a deployment find planted bugs? Each in a process of its own; what it finds first is printed, one line each.

python -m lapcat.testing.planted CATALOGUE [NAME …]      a name is one of `audited.py`; none: all that need no server

Bugs of one engine are looked for in the first table of the catalogue, which must be there.

A line has the name, the kind of check that found the bug, and what it said; or the name alone, where nothing was found.
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
    """The kind of the first check that is wrong, and what is; empty where nothing is."""
    with tempfile.TemporaryDirectory(prefix="lapcat-planted-") as folder:
        for check in checks_of(family, Path(folder), AT_RANDOM, (part,)):
            if check.problem:
                return check.kind, f"{check.text}: {check.problem}"
    return "", ""


def found(name: str, families: dict[str, Family]) -> str:
    """What the audit says of a bug, found out in a child process: the bug stays there."""
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
        said = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return said.replace("\n", " ") if status == 0 else "\tthe audit broke down"


def main(catalogue: str, *names: str) -> None:
    declared = read_catalogue(Path(catalogue).read_text(encoding="utf-8"), lambda source: {})
    families = {table.name: family for family in families_of(declared) for table in family.tables}
    for name in names or AUDITED:
        print(f"{name}\t{found(name, families)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
