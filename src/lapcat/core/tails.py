"""The delta of a threshold, rounded up: the probability that any of the keys held by one unit alone is shown."""

from __future__ import annotations

from fractions import Fraction

from lapcat.core.exact import exp_down, exp_up

PRECISION = 80  # bits of relative precision of the power; the promise is 60


def any_shown_up(scale: Fraction, tau: int, keys: int) -> Fraction:
    """A fraction not below 1 - (1 - p)^keys, p = Pr[1 + Z >= tau] = q^(tau-1) / (1 + q), q = e^(-1/scale), tau >= 1.

    Theorem: Pr[Z >= t] = (1 - q) / (1 + q) * (q^t + q^(t+1) + ...) = q^t / (1 + q) for every integer t >= 0. The noise of
             different keys is independent, so none of them is shown with probability (1 - p)^keys.
    Slack:   at most 2^-60 of its size (unless below e^-8192).

    >>> float(any_shown_up(Fraction(1), 15, 1))  # e^-14 / (1 + e^-1)
    6.078962034778829e-07
    """
    if tau < 1 or keys < 1:
        raise ValueError(f"any_shown_up({scale}, {tau}, {keys}): tau and keys are at least 1")
    p = exp_up((1 - tau) / scale) / (1 + exp_down(-1 / scale))
    # 1 - (1 - p)^keys is at least p, and each of the roundings below loses at most one unit times keys
    bits = PRECISION + keys.bit_length() + (1 / p).__ceil__().bit_length()
    none_shown = _power_down((1 << bits) - -(-(p.numerator << bits) // p.denominator), keys, bits)
    return Fraction((1 << bits) - none_shown, 1 << bits)


def _power_down(base: int, exponent: int, bits: int) -> int:
    """An integer not above 2^bits * (base / 2^bits)^exponent: square and multiply, every product rounded down."""
    power = 1 << bits
    while exponent:
        if exponent & 1:
            power = power * base >> bits
        base = base * base >> bits
        exponent >>= 1
    return power
