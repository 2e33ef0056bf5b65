"""Fresh answers of a mechanism: one call each, or one call for many if it takes `size`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lapcat.audit.outputs import Outputs, outputs_of
from lapcat.errors import BadArgument

Mechanism = Callable[..., Any]


def takes_size(mechanism: Mechanism) -> bool:
    """Whether it has a parameter named size: mechanism(d, size=1000) then returns 1000 independent answers."""
    try:
        return "size" in inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # some C callables have no signature
        return False


def answers(mechanism: Mechanism, d: object, n: int) -> Outputs:
    """n independent answers on d. An exception is an answer too: only its type is kept."""
    if takes_size(mechanism):
        batch = mechanism(d, size=n)
        if len(batch) != n:
            raise BadArgument(
                "audit-size",
                f"the mechanism returned {len(batch)} answers instead of {n}",
                fix="mechanism(d, size=n) must return n independent answers, along the first axis of an array",
            )
        return outputs_of(batch)
    return outputs_of([_answer(mechanism, d) for _ in range(n)])


def _answer(mechanism: Mechanism, d: object) -> object:
    try:
        return mechanism(d)
    except Exception as failure:
        return f"{RAISED}{type(failure).__name__}"


RAISED = "raised "


def all_raised(outputs: Outputs) -> bool:
    """Whether every answer is an exception, which suggests a wrong call."""
    return outputs.words is not None and all(str(word).startswith(RAISED) for word in outputs.words[:, 0])
