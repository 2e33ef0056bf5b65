"""Whether a private group that one unit alone is in is shown with probability at most delta, by bets with and without the unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from lapcat.audit.auditing import audit
from lapcat.audit.deployment.asking import Seen, engine_of, program_in_epsilon, release
from lapcat.audit.deployment.check import SAMPLED, Check
from lapcat.audit.deployment.copies import copied
from lapcat.audit.deployment.made import Family, lone_keys
from lapcat.audit.deployment.questions import private_of
from lapcat.core.coins import system_coins
from lapcat.plan.compile import Program

DELTA = Fraction(1, 20)
"""Of private groups in an audit: large, so that a threshold that is too low is seen."""
SAMPLES = 2_500
LEVEL = "1e-7"
"""The level of one bet; there are a dozen in an audit."""
MORE = 4
"""How many times as many lone groups as may count a unit has."""


def thresholds(family: Family, folder: Path) -> Iterator[Check]:
    """Every column with private keys."""
    for table in family.tables:
        for at, (column, asked) in enumerate(private_of(table)):
            keys = MORE * (table.groups_per_unit or table.rows_per_unit)
            pair = lone_keys(family, table, column, max(2, keys))
            copies = [
                copied(family, rows, folder / f"{table.name}-{at}-{side}")
                for side, rows in enumerate((pair.here, pair.there))
            ]
            program = program_in_epsilon(copies[0], asked.text, Fraction(1), DELTA)
            if program is not None:
                engines = [Seen(engine_of(copy, program)) for copy in copies]

                def shown(side: int, program: Program = program, engines: list[Seen] = engines) -> str:
                    released = release(program, engines[side], system_coins())
                    return " ".join(sorted(str(group[0]) for group in released.keys or ()))

                found = audit(shown, 0, 1, 1, DELTA, samples=SAMPLES, level=LEVEL)
                yield Check(
                    "threshold",
                    asked.aggregate,
                    "Threshold",
                    copies[0].engine,
                    SAMPLED,
                    asked.text,
                    f"{pair.what}: {found.witness.sentence(found.claim)}" if found.violated else "",
                )
            for copy in copies:
                copy.remove()
