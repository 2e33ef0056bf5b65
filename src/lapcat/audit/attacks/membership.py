"""Membership: the best guess from one count whether a person is in the table."""

from __future__ import annotations

import math

import numpy as np

from lapcat import mechanisms as m
from lapcat.audit.attacks.finding import Finding
from lapcat.mechanisms.odds import worst_posterior

TRIALS = 20_000


def attack(epsilon: object) -> Finding:
    noise = m.Laplace(sensitivity=1, epsilon=epsilon, grid=1)  # the noise of a count of people
    absent, present = (np.asarray(noise.release(np.full(TRIALS, value))) for value in (0, 1))
    right = ((present >= 1).mean() + (absent < 1).mean()) / 2  # the maximum likelihood guess
    bound = worst_posterior(float(noise.epsilon), 0.5)
    slack = 5 * math.sqrt(0.25 / TRIALS)
    return Finding(
        "membership",
        f"a noisy count that is 1 with a person and 0 without, {TRIALS} times on either side",
        "right in 100 % of the guesses",
        f"right in {100 * right:.1f} %, where ε = {float(noise.epsilon):g} allows {100 * bound:.1f} %",
        bool(right <= bound + slack),
        {"right": float(right), "bound": bound},
    )
