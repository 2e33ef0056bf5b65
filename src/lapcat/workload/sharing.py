"""Divides the budget among the parts of a strategy so that the squared error of the questions is least."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from lapcat.workload.factors import Floats
from lapcat.workload.strategy import NoiseKind

STEPS = 2000
ENOUGH = 1e-10
FINEST = 2**30
"""Shares are whole multiples of 1 / FINEST."""
MIN_SHARE = 1e-7
"""A part with a smaller share is dropped if the others suffice."""


def best_shares(kind: NoiseKind, precision: Floats, wanted: Floats) -> Floats:
    """The shares with the least Σ_u wanted[u] / λ_u, λ = Σ_p share_p^k precision[p, u], k = 2 (Laplace) or 1 (Gaussian).

    A part's noise has variance 1 / share² (Laplace: its scale is sensitivity / epsilon) or 1 / share (Gaussian: sigma² is
    sensitivity² / 2 rho), and precision[p, u] is its precision in space u at share 1. At the optimum, share_p is
    proportional to share_p^k Σ_u wanted precision / λ²; the iteration uses a power that is exact if each space has its own
    part. Gaussian: the error is convex in the shares, and each step lowers it (the multiplicative step for A-optimal
    designs). Laplace: not convex; the best iterate is kept.
    """
    power = 2 if kind == "laplace" else 1
    shares = np.full(len(precision), 1 / len(precision))
    best, min_error, before = shares, math.inf, math.inf
    for _ in range(STEPS):
        weights = shares**power
        precisions = weights @ precision
        error = float((wanted[wanted > 0] / precisions[wanted > 0]).sum())
        if error < min_error:
            best, min_error = shares, error
        if abs(before - error) <= ENOUGH * error:
            break
        before = error
        pull = weights * (precision @ (wanted / np.maximum(precisions, 1e-300) ** 2))
        shares = shares ** (1 - 1 / (power + 1)) * np.maximum(pull, 1e-300) ** (1 / (power + 1))
        shares = shares / shares.sum()
    return best


def whole_shares(shares: Floats) -> tuple[Fraction, ...]:
    """The same as fractions that add up to 1, each at least one step of a fine grid."""
    steps = np.maximum(np.floor(shares / shares.sum() * FINEST).astype(np.int64), 1)
    steps[int(np.argmax(steps))] += FINEST - int(steps.sum())
    return tuple(Fraction(int(step), FINEST) for step in steps)
