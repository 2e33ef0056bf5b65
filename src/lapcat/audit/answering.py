"""Fresh answers of a mechanism: one call for each, or one call for many where it takes `size`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lapcat.audit.outputs import Outputs, outputs_of
from lapcat.errors import BadArgument

Mechanism = Callable[..., Any]


def takes_size(mechanism: Mechanism) -> bool:
    """Whether a parameter of its own is called size: mechanism(d, size=1000) then gives 1000 independent answers."""
    try:
        return "size" in inspect.signature(mechanism).parameters
    except (TypeError, ValueError):  # some callables of C show no signature
        return False


def answers(mechanism: Mechanism, d: object, n: int) -> Outputs:
    """n independent answers on d. An exception is an answer too: only its kind is kept."""
    if takes_size(mechanism):
        given = mechanism(d, size=n)
        if len(given) != n:
            raise BadArgument(
                "audit-size",
                f"asked for {n} answers, the mechanism gave {len(given)}",
                fix="mechanism(d, size=n) returns n independent answers, along the first axis of an array",
            )
        return outputs_of(given)
    return outputs_of([_answer(mechanism, d) for _ in range(n)])


def _answer(mechanism: Mechanism, d: object) -> object:
    try:
        return mechanism(d)
    except Exception as failure:
        return f"{RAISED}{type(failure).__name__}"


RAISED = "raised "


def all_raised(outputs: Outputs) -> bool:
    """Whether there was no answer but exceptions: then it is rather the call that is wrong."""
    return outputs.words is not None and all(str(word).startswith(RAISED) for word in outputs.words[:, 0])
