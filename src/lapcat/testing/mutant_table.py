"""The table of mutants that `make mutants` prints after its tests."""

from __future__ import annotations

from lapcat.testing.mutants import MUTANTS
from lapcat.testing.mutants.audited import AUDITED, ON_A_SERVER


def table() -> str:
    """One line per mutant: its name, the bug, the part of the deployment audit that detects it (if any), and the test that
    catches it."""
    rows = [("mutant", "what", "audit", "caught by")]
    audited = {**AUDITED, **ON_A_SERVER}
    rows += [(m.name, m.what, audited.get(m.name, ("", "–"))[1], m.caught_by) for m in MUTANTS]
    first, second, third = (max(len(row[i]) for row in rows) for i in range(3))
    return "\n".join(
        f"{name:<{first}}  {what:<{second}}  {audit:<{third}}  {test}" for name, what, audit, test in rows
    )


if __name__ == "__main__":
    print(table())
