"""Exact numbers: input parsed to fractions, and exp, ln and sqrt with directed rounding.

Everything a guarantee depends on is a `Fraction`. Where an irrational number is unavoidable, a function named `_up`
or `_down` gives a fraction that is certainly not below, or not above, the true value. docs/proofs/sampler.md
("Bounds for exp") holds the proof for `exp_bounds`, on which the sampler rests.
"""

from __future__ import annotations

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction

from lapcat.errors import BadArgument

LONGEST_TEXT = 2000  # characters; 2^-1000 written out needs 1002 of them
LARGEST_EXPONENT = 400  # of "1e400": past every finite double, and still only 401 digits
LARGEST_INTEGER_BITS = 6640  # 2^6640 < 10^1999: every accepted integer has a decimal text
PRECISION = 72  # bits of relative precision that the functions named _up and _down reach; the promise is 64
LARGEST_EXP = 1 << 13  # e^8192 has 11 819 bits; beyond it no privacy guarantee is meaningful

_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")


def exact(value: object) -> Fraction:
    """The number as a fraction; a float counts as its shortest decimal.

    >>> exact(0.1) == exact("0.1") == exact("1/10") == Fraction(1, 10)
    True
    >>> exact("1e-6")
    Fraction(1, 1000000)
    >>> exact("0,1")
    Traceback (most recent call last):
        ...
    lapcat.errors.BadArgument: BadQuery [number-unreadable]: '0,1' is not a number lapcat can read
      fix: write it with ASCII digits and a point, or as a ratio: 3, 0.12, 1e-6, 1/3
    """
    if isinstance(value, bool):
        raise _unreadable(value)
    if isinstance(value, numbers.Rational):  # int, Fraction, NumPy integers
        return _of_modest_size(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, str):
        return _read(value, value)
    if isinstance(value, float):  # float.__repr__, because NumPy's float64 writes itself as "np.float64(0.1)"
        return _read(float.__repr__(value), value)
    if isinstance(value, Decimal | numbers.Real):  # str is the shortest decimal of a NumPy float32 too
        return _read(str(value), value)
    raise _unreadable(value)


def exact_text(value: Fraction) -> str:
    """The number in full: a terminating decimal if it has one, else a ratio; `exact` reads it back.

    >>> exact_text(Fraction(3, 25)), exact_text(Fraction(3)), exact_text(Fraction(-1, 2)), exact_text(Fraction(1, 3))
    ('0.12', '3', '-0.5', '1/3')
    """
    _of_modest_size(value)
    places = _decimal_places(value.denominator)
    if places is not None and places < LONGEST_TEXT:
        digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        whole, rest = digits[: len(digits) - places], digits[len(digits) - places :]
        text = ("-" if value < 0 else "") + (f"{whole}.{rest}" if places else whole)
        if len(text) <= LONGEST_TEXT:
            return text
    text = f"{value.numerator}/{value.denominator}"
    if len(text) > LONGEST_TEXT:
        raise _too_large(value)
    return text


def rounded_text(value: Fraction, *, up: bool) -> str:
    """A privacy loss or budget for display: in full if short, else three digits. A loss is rounded up and a remaining budget
    down, so that no text promises too much.

    >>> rounded_text(Fraction("0.153686524"), up=True), rounded_text(Fraction("4.538085937"), up=False)
    ('0.154', '4.53')
    >>> rounded_text(Fraction(1, 3), up=True), rounded_text(Fraction("0.1234"), up=True), rounded_text(Fraction(0), up=True)
    ('0.334', '0.1234', '0')
    >>> rounded_text(Fraction("6.079e-7"), up=False), rounded_text(Fraction("9.996e-8"), up=True)
    ('6.07e-7', '1e-7')
    """
    _of_modest_size(value)
    if _decimal_places(value.denominator) is not None and len(text := exact_text(value)) <= 6:
        tiny = 0 < value < Fraction(1, 10**4)
        if not tiny:
            return text
    power = 0
    while abs(value) * Fraction(10) ** power >= 10:
        power -= 1
    while 0 < abs(value) * Fraction(10) ** power < 1:
        power += 1
    digits = max(power + 2, 0)
    scaled = value * 10**digits
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    rounded = Fraction(whole, 10**digits)
    if not 0 < rounded < Fraction(1, 10**4):
        return exact_text(rounded)
    while rounded * Fraction(10) ** power < 1:
        power += 1
    while rounded * Fraction(10) ** power >= 10:
        power -= 1
    return f"{exact_text(rounded * 10**power)}e-{power}"


def brief_text(value: Fraction) -> str:
    """For display: in full if short, else six digits.

    >>> brief_text(Fraction(1, 3)), brief_text(Fraction(1, 10**30)), brief_text(Fraction(10) ** 300)
    ('1/3', '1.00000e-30', '1.00000e+300')
    """
    text = exact_text(value)
    return text if len(text) <= 24 else f"{Decimal(value.numerator) / Decimal(value.denominator):.5e}"


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers lo <= 2^bits * e^-x <= hi with hi - lo <= 2, for x >= 0.

    Theorem: docs/proofs/sampler.md, "Bounds for exp": Taylor's alternating series at x / 2^r, then r squarings, every
             step rounded outwards; the interval is narrower than one unit before it is widened to integers.

    >>> exp_bounds(Fraction(1), 20)  # 2^20 / e = 385 749.9...
    (385749, 385750)
    """
    if x < 0 or bits < 0:
        raise ValueError(f"exp_bounds({x}, {bits}): neither may be negative")
    if x == 0:
        return 1 << bits, 1 << bits
    if x >= bits + 1:  # e^-x < 2^-x <= 2^-bits / 2
        return 0, 1
    halvings = int(x).bit_length() + 8  # so that y = x / 2^halvings < 2^-8
    guard = halvings + bits.bit_length() + 8
    g = bits + guard  # every number below is in units of 2^-g
    unity = 1 << g
    numerator, denominator = x.numerator << g, x.denominator << halvings
    y_low, y_high = numerator // denominator, -(-numerator // denominator)
    term_low = term_high = low = high = unity
    k = 0
    while term_high > 1:
        k += 1
        term_low = (term_low * y_low >> g) // k
        term_high = -(-term_high * y_high >> g)
        term_high = -(-term_high // k)
        low, high = (low - term_high, high - term_low) if k & 1 else (low + term_low, high + term_high)
    # The remainder of an alternating series is below its last term.
    low, high = low - term_high, min(high + term_high, unity)
    for _ in range(halvings):
        low, high = low * low >> g, -(-high * high >> g)
    return low >> guard, -(-high >> guard)


def exp_up(x: Fraction) -> Fraction:
    """A fraction not below e^x, and above it by a factor of at most 1 + 2^-64 (for x >= -8192).

    >>> exp_up(Fraction(0)), float(exp_up(Fraction(1)))
    (Fraction(1, 1), 2.718281828459045)
    """
    low, high, bits = _exp_sized(x)
    return Fraction(high, 1 << bits) if x <= 0 else Fraction(1 << bits, low)


def exp_down(x: Fraction) -> Fraction:
    """A fraction not above e^x, and below it by a factor of at most 1 - 2^-64 (0 for x < -8192).

    >>> exp_down(Fraction(1)) < exp_up(Fraction(1)) < exp_down(Fraction(1)) * (1 + Fraction(1, 2**64))
    True
    """
    low, high, bits = _exp_sized(x)
    return Fraction(low, 1 << bits) if x <= 0 else Fraction(1 << bits, high)


def ln_up(x: Fraction) -> Fraction:
    """A fraction not below ln x, by at most 2^-64 of its size.

    >>> float(ln_up(Fraction(2))), ln_up(Fraction(1))
    (0.6931471805599453, Fraction(0, 1))
    """
    return _ln_bounds(x)[1]


def ln_down(x: Fraction) -> Fraction:
    """A fraction not above ln x, by at most 2^-64 of its size.

    >>> ln_down(Fraction(1, 3)) == -ln_up(Fraction(3))
    True
    """
    return _ln_bounds(x)[0]


def sqrt_up(x: Fraction) -> Fraction:
    """A fraction not below the square root of x, by at most 2^-64 of its size; a rational root is exact.

    >>> sqrt_up(Fraction(4, 9)), sqrt_up(Fraction(2)) ** 2 >= 2
    (Fraction(2, 3), True)
    """
    root, radicand, denominator = _root(x)
    return Fraction(root if root * root == radicand else root + 1, denominator)


def sqrt_down(x: Fraction) -> Fraction:
    """A fraction not above the square root of x, by at most 2^-64 of its size; a rational root is exact.

    >>> sqrt_down(Fraction(4, 9)), sqrt_down(Fraction(2)) ** 2 <= 2
    (Fraction(2, 3), True)
    """
    root, _, denominator = _root(x)
    return Fraction(root, denominator)


def _read(text: str, given: object) -> Fraction:
    """The fraction of a decimal or a ratio; `given` is quoted in errors."""
    text = text.strip(" ")
    if len(text) > LONGEST_TEXT:
        raise _too_large(given)
    if ratio := _RATIO.fullmatch(text):
        if not int(ratio[2]):
            raise _unreadable(given)
        return _of_modest_size(Fraction(int(ratio[1]), int(ratio[2])))
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None:
        raise _unreadable(given)
    sign, whole, part, exponent = decimal[1], decimal[2], decimal[3] or "", decimal[4] or "0"
    if not whole + part:
        raise _unreadable(given)
    if abs(int(exponent)) > LARGEST_EXPONENT:
        raise _too_large(given)
    shift = int(exponent) - len(part)
    size = int(whole + part) * Fraction(10) ** shift
    return _of_modest_size(-size if sign == "-" else size)


def _of_modest_size(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > LARGEST_INTEGER_BITS:
        raise _too_large(value)
    return value


def _decimal_places(denominator: int) -> int | None:
    """Digits after the point of a fraction in lowest terms; None if it does not terminate."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _shown(given: object) -> str:
    """The given value for an error message, shortened if long."""
    try:
        text = repr(given)
    except ValueError:  # Python refuses to print integers of more than 4300 digits
        return f"a {type(given).__name__} of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


def _unreadable(given: object) -> BadArgument:
    return BadArgument(
        "number-unreadable",
        f"{_shown(given)} is not a number lapcat can read",
        fix="write it with ASCII digits and a point, or as a ratio: 3, 0.12, 1e-6, 1/3",
    )


def _too_large(given: object) -> BadArgument:
    return BadArgument(
        "number-too-large",
        f"{_shown(given)} is outside the range of lapcat's exact numbers",
        fix=f"stay within exponents of ±{LARGEST_EXPONENT} and {LONGEST_TEXT} characters",
    )


def _exp_sized(x: Fraction) -> tuple[int, int, int]:
    """(low, high, bits) with low <= 2^bits * e^-|x| <= high, with enough bits for the relative precision."""
    if x > LARGEST_EXP:
        raise BadArgument(
            "number-too-large",
            f"e to the power of {_shown(x)} is outside the range of lapcat's exact numbers",
            fix=f"stay at exponents up to {LARGEST_EXP}",
        )
    size = min(abs(x), Fraction(LARGEST_EXP))
    bits = PRECISION + math.ceil(size * 3 / 2)  # e < 2^(3/2), so e^-|x| * 2^bits >= 2^PRECISION
    if x < -LARGEST_EXP:
        return 0, exp_bounds(size, bits)[1], bits
    low, high = exp_bounds(size, bits)
    return low, high, bits


def _ln_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of ln x = k * ln 2 + 2 * artanh((m - 1) / (m + 1)), x = 2^k * m with 1 <= m < 2."""
    if x <= 0:
        raise ValueError(f"ln({x}): the logarithm needs a number above 0")
    if x < 1:
        low, high = _ln_bounds(1 / x)
        return -high, -low
    if x == 1:
        return Fraction(0), Fraction(0)
    k = x.numerator.bit_length() - x.denominator.bit_length()
    k -= x < Fraction(2) ** k
    m = x / Fraction(2) ** k
    z = (m - 1) / (m + 1)
    smallness = 0 if k else z.denominator.bit_length() - z.numerator.bit_length() + 1  # z >= 2^-smallness
    bits = PRECISION + 16 + smallness
    two_low, two_high = _artanh_bounds(Fraction(1, 3), bits)
    m_low, m_high = _artanh_bounds(z, bits)
    return Fraction(k * two_low + m_low, 1 << (bits - 1)), Fraction(k * two_high + m_high, 1 << (bits - 1))


def _artanh_bounds(z: Fraction, bits: int) -> tuple[int, int]:
    """Integers around 2^bits * artanh z, for 0 <= z <= 1/3: the series z + z^3/3 + z^5/5 + ..., rounded outwards."""
    low = high = 0
    power_low = (z.numerator << bits) // z.denominator
    power_high = power_low + 1
    square_low = (z.numerator**2 << bits) // z.denominator**2
    square_high = square_low + 1
    odd = 1
    while power_low:
        low += power_low // odd
        high += -(-power_high // odd)
        power_low = power_low * square_low >> bits
        power_high = -(-power_high * square_high >> bits)
        odd += 2
    # The rest is a geometric series with ratio at most 1/9, so it is below 9/8 of its first term.
    return low, high + 2 * power_high


def _root(x: Fraction) -> tuple[int, int, int]:
    """(floor of the root of radicand, radicand, d) with the square root of x = sqrt(radicand) / d."""
    if x < 0:
        raise ValueError(f"sqrt({x}): the root needs a number that is not negative")
    product = x.numerator * x.denominator  # sqrt(p / q) = sqrt(p * q) / q, exact for rational roots
    shift = max(0, PRECISION - product.bit_length() // 2)
    radicand = product << (2 * shift)
    return math.isqrt(radicand), radicand, x.denominator << shift
