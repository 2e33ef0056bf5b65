"""`lapcat.group`: the guarantee for several units together."""

from __future__ import annotations

from lapcat.core.exact import exact
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument


def group(*, size: int, epsilon: object = None, delta: object = 0, rho: object = None) -> Loss:
    """Group privacy: the guarantee for `size` units together, such as a household, given the guarantee for one.

    >>> group(epsilon="0.6", size=4)
    PureDP(epsilon=Fraction(12, 5))
    """
    if (epsilon is None) == (rho is None):
        raise BadArgument(
            "group-loss", "group() takes either epsilon (with or without delta) or rho", fix="epsilon=1"
        )
    if rho is not None:
        return ZCDP(exact(rho)).group(size)
    if exact(delta) == 0:
        return PureDP(exact(epsilon)).group(size)
    return ApproxDP(exact(epsilon), exact(delta)).group(size)
