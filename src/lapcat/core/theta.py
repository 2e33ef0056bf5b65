"""Sums of e^(-j² / (2 sigma²)) over all integers j, and over those above one, rounded down and up.

They determine the discrete Gaussian law. A narrow law (sigma < 128) is summed term by term; a wide one is an integral
plus a short correction, with a bound on the remainder (Euler & Maclaurin). docs/proofs/gaussian.md, "The sums", has
the proofs. No floats are used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from lapcat.core.exact import exp_bounds

NARROW = 1 << 14  # sigma² below which the terms are summed one by one: at most a few thousand
GUARD = 64  # extra bits: the rounding errors of all terms stay below one unit of the result
MAX_BITS = 400_000  # a wide law's total is sqrt(2 pi) sigma up to a factor 1 + 2^-449000


def tail_bounds(sigma_squared: Fraction, z: int, bits: int) -> tuple[int, int]:
    """Integers low <= 2^bits * (the sum of e^(-j² / (2 sigma²)) over j > z) <= high, for z >= 0.

    >>> tail_bounds(Fraction(1, 2), 0, 20)  # e^-1 + e^-4 + e^-9 + ... = 0.38631...
    (405084, 405085)
    """
    if z < 0:
        raise ValueError(f"tail_bounds at {z}: below 0 the sum follows by symmetry")
    if sigma_squared >= NARROW:
        return _wide_tail(sigma_squared, z + 1, bits)
    lower, upper = narrow_tails(sigma_squared, bits)
    return (lower[z], upper[z]) if z < len(lower) else (0, upper[-1])


def total_bounds(sigma_squared: Fraction, bits: int) -> tuple[int, int]:
    """Integers low <= 2^bits * (the sum of e^(-j² / (2 sigma²)) over all integers j) <= high.

    >>> round(total_bounds(Fraction(1, 2), 20)[0] / 2**20, 4)
    1.7726
    """
    if sigma_squared >= NARROW:
        # half of sqrt(2 pi sigma²) in half units is the whole in units
        low, high = _half_width(sigma_squared, bits + 1)
        return low, high + 1
    lower, upper = narrow_tails(sigma_squared, bits)
    return (1 << bits) + 2 * lower[0], (1 << bits) + 2 * upper[0]


def survival_bounds(sigma_squared: Fraction, z: int, bits: int) -> tuple[int, int]:
    """Integers low <= 2^bits * Pr[Z > z] <= high for a discrete Gaussian Z and any integer z, with high - low <= 2.

    >>> survival_bounds(Fraction(10), -1, 8), survival_bounds(Fraction(10), 0, 8)  # Pr[Z = 0] = 32.3 / 256
    ((144, 145), (111, 112))
    """
    if z < 0:  # Pr[Z > z] = 1 - Pr[Z > -z - 1], as Z and -Z have the same law
        low, high = survival_bounds(sigma_squared, -z - 1, bits)
        return (1 << bits) - high, (1 << bits) - low
    working = bits + 8
    low, high = tail_bounds(sigma_squared, z, working)
    total_low, total_high = total_bounds(sigma_squared, working)
    return (low << bits) // total_high, -(-(high << bits) // total_low)


@lru_cache(16)
def narrow_tails(sigma_squared: Fraction, bits: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(lower, upper): bounds of 2^bits * (the sum over j > h) at h = 0, 1, 2, ...; beyond, the last upper bound holds.

    With w(j) = e^(-j² / (2 sigma²)) the ratio r(j) = w(j + 1) / w(j) itself falls by the constant factor
    e^(-1 / sigma²), so two running products give all terms. The ratios fall, so the terms after a given one sum to less than
    that term / (1 - its ratio).
    """
    if not 0 < sigma_squared <= NARROW:
        raise ValueError(f"narrow_tails: sigma² = {sigma_squared} is not in (0, 2^14]")
    g = bits + GUARD
    unity = 1 << g
    ratio_low, ratio_high = exp_bounds(1 / (2 * sigma_squared), g)
    fall_low, fall_high = exp_bounds(1 / sigma_squared, g)
    terms: list[tuple[int, int]] = []
    low, high = ratio_low, ratio_high  # w(1) = r(0)
    while low:
        terms.append((low, high))
        ratio_low, ratio_high = ratio_low * fall_low >> g, -(-ratio_high * fall_high >> g)
        low, high = low * ratio_low >> g, -(-high * ratio_high >> g)
    low, high = 0, -(-high * unity // (unity - ratio_high))
    sums = [(low, high)]
    for term_low, term_high in reversed(terms):
        low, high = low + term_low, high + term_high
        sums.append((low, high))
    sums.reverse()
    return tuple(low >> GUARD for low, _ in sums), tuple(-(-high >> GUARD) for _, high in sums)


@lru_cache(64)
def _wide_tail(sigma_squared: Fraction, a: int, bits: int) -> tuple[int, int]:
    """Bounds of 2^bits * (the sum over j >= a), for a >= 1.

    Theorem: with f(x) = e^(-x² / (2 sigma²)), the sum is the integral of f from a on, + f(a) * K + R, where
             K = 1/2 - the sum over i = 1 .. p of B_2i / (2i)! * f^(2i-1)(a) / f(a), and
             |R| <= 12 sigma * sqrt((2p)!) / (36 sigma²)^p.
    Source:  Euler & Maclaurin; docs/proofs/gaussian.md, "A wide law".
    """
    v = a * a / (2 * sigma_squared)
    if v >= bits + 8 + math.isqrt(int(sigma_squared)).bit_length():  # the sum is below e^-v * (1 + 2 sigma)
        return 0, 1
    g = bits + GUARD
    p = _terms(int(sigma_squared), g)
    working = g + math.ceil(v * 3 / 2) + a.bit_length()  # e^-v multiplies sums of the size of e^v, and a
    spare = working - g
    e_low, e_high = exp_bounds(v, working)
    s_low, s_high = _dawson(2 * v, working)
    half_low, half_high = _half_width(sigma_squared, working)
    k_low, k_high = _correction(sigma_squared, a, p, working)
    low = half_low - a * -(-e_high * s_high >> working) + (min(e_low * k_low, e_high * k_low) >> working)
    high = half_high - a * (e_low * s_low >> working) - (-max(e_low * k_high, e_high * k_high) >> working)
    rest = 1 << spare  # |R| <= 2^-g
    return max(0, (low - rest) >> (spare + GUARD)), -(-(high + rest) >> (spare + GUARD))


def _dawson(u: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of 2^bits * (1 + u/3 + u²/(3*5) + u³/(3*5*7) + ...): e^(x²/2) / x times the integral of e^(-t²/2) to x = sqrt(u)."""
    u_low = (u.numerator << bits) // u.denominator
    u_high = u_low + 1
    term_low = term_high = low = high = 1 << bits
    odd = 1
    while term_high > 1 or odd < 2 * u:
        odd += 2
        term_low = (term_low * u_low >> bits) // odd
        term_high = -(-term_high * u_high >> bits)
        term_high = -(-term_high // odd)
        low, high = low + term_low, high + term_high
    return low, high + term_high  # each later term is at most half of the one before


def _half_width(sigma_squared: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of 2^bits * sqrt(pi sigma² / 2): half of the integral of e^(-x² / (2 sigma²)) over the whole line."""
    # as many more bits of pi, so that the width does not grow with sigma
    size = int(sigma_squared).bit_length()
    pi_low, pi_high = pi_bounds(bits + size)
    numerator, denominator = sigma_squared.numerator << bits, sigma_squared.denominator << (size + 1)
    return math.isqrt(pi_low * numerator // denominator), math.isqrt(
        -(-pi_high * numerator // denominator)
    ) + 1


@lru_cache(16)
def pi_bounds(bits: int) -> tuple[int, int]:
    """Integers around 2^bits * pi, by Machin's formula pi = 16 arctan(1/5) - 4 arctan(1/239).

    >>> pi_bounds(20)  # 2^20 * pi = 3 294 198.9...
    (3294198, 3294199)
    """
    if bits > MAX_BITS:
        raise ValueError(f"pi to {bits} bits: at most {MAX_BITS} are supported")
    g = bits + GUARD
    (five_low, five_high), (rest_low, rest_high) = _arctan_inverse(5, g), _arctan_inverse(239, g)
    return (16 * five_low - 4 * rest_high) >> GUARD, -(-(16 * five_high - 4 * rest_low) >> GUARD)


def _arctan_inverse(m: int, bits: int) -> tuple[int, int]:
    """Integers around 2^bits * arctan(1/m): an alternating series with each term rounded down, so off by less than 1."""
    power = (1 << bits) // m
    total, k = power, 0
    while power:
        k += 1
        power //= m * m  # a floor of a floor is the floor of the whole quotient
        total += -(power // (2 * k + 1)) if k & 1 else power // (2 * k + 1)
    return total - (k + 2), total + (k + 2)  # k + 1 terms, and what follows the last is below 1


@lru_cache(64)
def _terms(floor: int, bits: int) -> int:
    """The least p for which |R| <= 2^-bits: 144 * sigma² * (2p)! * 4^bits <= (36 sigma²)^(2p), with sigma² at its floor."""
    p = 1
    while 144 * floor * math.factorial(2 * p) << (2 * bits) > (36 * floor) ** (2 * p):
        p += 1
    return p


def _correction(sigma_squared: Fraction, a: int, p: int, bits: int) -> tuple[int, int]:
    """The floor and the ceiling of 2^bits * K, exactly.

    The derivatives of f obey f^(n+1) = -(a f^(n) + n f^(n-1)) / sigma²; with sigma² = N/M the integers
    E_n = N^n f^(n)(a) / f(a) obey E_(n+1) = -M * (a E_n + n N E_(n-1)).
    """
    n, m = sigma_squared.as_integer_ratio()
    before, now = 0, 1  # n * N * E_(n-1) is 0 at n = 0
    k, power = Fraction(1, 2), 1
    for order in range(1, 2 * p):
        before, now = now, -m * (a * now + (order - 1) * n * before)
        power *= n
        if order & 1:
            k -= _bernoulli((order + 1) // 2) * Fraction(now, power)
    scaled = k.numerator << bits
    return scaled // k.denominator, -(-scaled // k.denominator)


@lru_cache(None)
def _bernoulli(i: int) -> Fraction:
    """B_2i / (2i)!, the coefficients of (x/2) * cosh(x/2) / sinh(x/2).

    >>> [str(_bernoulli(i)) for i in range(4)]
    ['1', '1/12', '-1/720', '1/30240']
    """
    known = Fraction(1, 4**i * math.factorial(2 * i))
    return known - sum(
        (_bernoulli(j) / (4 ** (i - j) * math.factorial(2 * (i - j) + 1)) for j in range(i)), Fraction(0)
    )
