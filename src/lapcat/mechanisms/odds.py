"""The meaning of a privacy loss for one unit: the worst-case posterior, and the power of the best membership test.

Theorem: under (epsilon, delta) a suspicion of prior p becomes at most p e^ε / (1 + p (e^ε − 1)), except with probability
         about delta; and a test with false-alarm rate a has power at most
         min(a e^ε + δ, 1 − (1 − a − δ) e^−ε).
Source:  Dwork & Roth 2014 (the odds, by Bayes' rule); Lee & Clifton 2011; the test follows from both directions of the
         definition.
"""

from __future__ import annotations

import math
from fractions import Fraction

from lapcat.errors import BadArgument

FALSE_ALARMS = 0.05


def worst_posterior(epsilon: float, prior: float) -> float:
    """Upper bound on the posterior probability of a suspicion with this prior.

    >>> [round(100 * worst_posterior(e, 0.5), 1) for e in (0.1, 1, 4)]
    [52.5, 73.1, 98.2]
    """
    return 1 / (1 + math.exp(-epsilon) * (1 - prior) / prior)


def power(epsilon: float, false_alarms: float = FALSE_ALARMS, delta: float = 0.0) -> float:
    """Power of the best test for membership at this false-alarm rate.

    >>> [round(100 * power(e), 1) for e in (0.1, 1, 4)]
    [5.5, 13.6, 98.3]
    """
    rising = min(1.0, false_alarms * math.exp(min(epsilon, 700)) + delta)
    return min(rising, 1 - max(0.0, 1 - false_alarms - delta) * math.exp(-epsilon))


def epsilon_for_posterior(posterior: Fraction, prior: Fraction) -> float:
    """The largest epsilon at which a suspicion with this prior stays at or below this posterior.

    >>> round(epsilon_for_posterior(Fraction(3, 4), Fraction(1, 2)), 3)
    1.099
    """
    if not 0 < prior < posterior < 1:
        raise BadArgument(
            "posterior-range",
            f"a suspicion grows from a prior above 0 to a posterior below 1, not from {float(prior):g} to {float(posterior):g}",
            fix="epsilon_for(posterior=0.75, prior=0.5)",
        )
    return math.log(posterior * (1 - prior) / (prior * (1 - posterior)))
