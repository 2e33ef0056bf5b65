"""Privacy loss distributions (Google's dp-accounting): the tightest figure for many releases fixed beforehand.

An optional extra (`pip install "lapcat[accounting]"`), imported only here and only on request: it is heavy, and its
numbers are floats from an FFT, to which a margin is added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from lapcat.accounting.base import BEFOREHAND, Quote, RepeatedRelease
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.zcdp import rounded_up
from lapcat.errors import BadArgument

INTERVAL = 1e-4  # the grid of privacy losses
FLOAT_MARGIN = 1e-6  # relative and absolute: far above the rounding error of an FFT of this length


def loss_distribution(parts: Sequence[RepeatedRelease], delta: Fraction) -> Quote | None:
    """The epsilon of the composed distribution, with each part replaced by its worst case: randomised response.

    Theorem: every (epsilon, delta)-DP release is a post-processing of one randomised response, so the composition of
             their loss distributions bounds the composition of the releases; dp-accounting rounds losses upwards.
    Source:  Google dp_accounting. Releases known only by their rho have no such distribution: None.
    """
    if any(isinstance(part.loss, ZCDP) for part in parts) or not delta:
        return None
    epsilon = composed_epsilon(parts, delta, pessimistic=True)
    if not math.isfinite(epsilon):
        return None
    return Quote(
        "loss distribution",
        rounded_up(Fraction(epsilon * (1 + FLOAT_MARGIN) + FLOAT_MARGIN)),
        delta,
        "privacy loss distributions (dp-accounting)",
        "Google dp_accounting",
        BEFOREHAND,
    )


def composed_epsilon(parts: Sequence[RepeatedRelease], delta: Fraction, *, pessimistic: bool) -> float:
    """The epsilon computed by dp-accounting: an upper bound, or (optimistic) a lower bound."""
    library = _library()
    total: Any = None
    for part in parts:
        match part.loss:
            case PureDP(epsilon=epsilon):
                here, there = _responses(float(epsilon), 0.0)
            case ApproxDP(epsilon=epsilon, delta=own):
                here, there = _responses(float(epsilon), float(own))
            case ZCDP():
                raise ValueError("a rho has no privacy loss distribution")
        part_loss = library.from_two_probability_mass_functions(
            here, there, pessimistic_estimate=pessimistic, value_discretization_interval=INTERVAL
        ).self_compose(part.times)
        total = part_loss if total is None else total.compose(part_loss)
    return 0.0 if total is None else float(total.get_epsilon_for_delta(float(delta)))


def _responses(epsilon: float, delta: float) -> tuple[dict[int, float], dict[int, float]]:
    """Log-probabilities of the worst pair of (epsilon, delta)-DP laws: truth, lie, and with probability delta the input itself."""
    lie = math.log1p(-delta) - epsilon - math.log1p(math.exp(-epsilon))
    truth = math.log1p(-delta) - math.log1p(math.exp(-epsilon))
    here, there = {0: truth, 1: lie}, {0: lie, 1: truth}
    if delta:
        here[2], there[3] = math.log(delta), math.log(delta)
    return here, there


def _library() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise BadArgument(
            "accounting-missing",
            "privacy loss distributions need the package dp-accounting, which is not installed",
            fix='pip install "lapcat[accounting]", or leave loss_distributions out',
        ) from None
    return privacy_loss_distribution
