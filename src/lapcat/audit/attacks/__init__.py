"""Known attacks on query systems, run against lapcat on synthetic people.

To add an attack: a module with `attack(epsilon)`, and its name in ATTACKS.
"""

from __future__ import annotations

from collections.abc import Callable

from lapcat.audit.attacks import (
    amplify,
    averaging,
    canaries,
    differencing,
    errors,
    failure,
    floats,
    fork,
    membership,
    races,
    reconstruction,
    stale,
    timing,
)
from lapcat.audit.attacks.finding import Finding

ATTACKS: dict[str, Callable[[object], Finding]] = {
    "differencing": differencing.attack,
    "averaging": averaging.attack,
    "reconstruction": reconstruction.attack,
    "membership": membership.attack,
    "races": races.attack,
    "errors": errors.attack,
    "amplify": amplify.attack,
    "failure": failure.attack,
    "canaries": canaries.attack,
    "stale": stale.attack,
    "floats": floats.attack,
    "fork": fork.attack,
    "timing": timing.attack,
}
"""Each takes the total epsilon of the deployment it attacks."""
