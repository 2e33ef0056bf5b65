"""IEEE 754 operations on doubles in PostgreSQL, which raises if one overflows, or if a product or quotient underflows.

Each is guarded by tests that are true exactly where it would raise; there the result is written instead.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import assert_never

from sqlglot import exp

from lapcat.engines.base.dialect import FloatOperator
from lapcat.engines.base.words import (
    FLOAT_OPERATORS,
    SQL,
    at_least,
    at_most,
    between,
    binary,
    call,
    case,
    double,
    equal,
    joined,
    less,
    minus,
    plus,
    ratio,
    times,
)

INFINITY = double(math.inf)


def float_operation(operator: FloatOperator, x: SQL, y: SQL) -> SQL:
    for side, other, turned in ((y, x, False), (x, y, True)):
        fixed = _constant(side)
        if fixed is not None and not (turned and operator == "/"):
            return _with_constant(operator, other, fixed, turned)
    match operator:
        case "+" | "-":
            return _added(x, y, operator)
        case "*":
            return _multiplied(x, y)
        case "/":
            return _quotient(x, y)
        case _:
            assert_never(operator)


def _constant(x: SQL) -> float | None:
    """The value of a constant double; None if it is not constant."""
    if isinstance(x, exp.Anonymous) and x.name == "nullif":
        divisor = _constant(x.expressions[0])
        return divisor if divisor != 0 else None
    if isinstance(x, exp.Cast) and isinstance(x.this, exp.Literal) and x.this.is_string:
        try:
            return float(x.this.name)
        except ValueError:
            return None
    if isinstance(x, exp.Cast) and isinstance(x.this, (exp.Cast, exp.Paren)):
        inner = x.this
        if isinstance(inner, exp.Cast) and inner.this.is_int:
            return float(inner.this.to_py())
    return None


IEEE: dict[FloatOperator, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
}


def _operation(operator: FloatOperator, x: SQL, y: SQL) -> SQL:
    return ratio(x, y) if operator == "/" else binary(FLOAT_OPERATORS[operator], x, y)


def _with_constant(operator: FloatOperator, x: SQL, fixed: float, turned: bool) -> SQL:
    """x ∘ c or, if turned, c ∘ x. The operations are monotone in |x| or in x, so each end of the range in which they are
    finite and nonzero is one double, computed by bisection."""
    y = double(fixed)
    plain = _operation(operator, y, x) if turned else _operation(operator, x, y)
    if operator == "/" and math.isinf(fixed):  # some versions report an underflow
        return case((less(_size(x), INFINITY), double(0.0)), otherwise=plain)
    if not math.isfinite(fixed) or fixed == 0:
        return plain

    def value(of: float) -> float:
        return IEEE[operator](fixed, of) if turned else IEEE[operator](of, fixed)

    tests: list[tuple[SQL, SQL]] = []
    for sign in (1.0, -1.0):
        last = _last(lambda size: math.isfinite(value(sign * size)))  # noqa: B023
        if last < LARGEST:
            beyond = less(double(last), x) if sign > 0 else less(x, double(-last))
            finite = less(x, INFINITY) if sign > 0 else less(double(-math.inf), x)
            tests.append((joined(exp.And, [beyond, finite]), double(value(sign * LARGEST))))
    if operator in "*/" and value(SMALLEST) == 0:
        gone = _last(lambda size: size == 0 or value(size) == 0)
        tests.append((at_most(call("abs", x), double(gone)), double(0.0)))
    return case(*tests, otherwise=plain) if tests else plain


LARGEST, SMALLEST = math.nextafter(math.inf, 0), math.nextafter(0, 1)


def _last(holds: Callable[[float], bool]) -> float:
    """The largest finite double that satisfies `holds`, which is true at 0 and false beyond its first failure."""
    if holds(LARGEST):
        return LARGEST
    low, high = 0, _order(LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_double_at(middle)) else (low, middle)
    return _double_at(low)


def _order(x: float) -> int:
    """The position of a nonnegative double among all doubles."""
    place: int = struct.unpack(">q", struct.pack(">d", x))[0]
    return place


def _double_at(place: int) -> float:
    x: float = struct.unpack(">d", struct.pack(">q", place))[0]
    return x


def _power(exponent: int) -> SQL:
    return double(2.0**exponent)


def _size(x: SQL) -> SQL:
    return call("abs", x)


def _endless(*parts: SQL) -> SQL:
    """Tests that an operand is infinite or NaN, which sorts above: then nothing overflows or underflows."""
    return joined(exp.Or, [at_least(_size(x), INFINITY) for x in parts])


def _moderate(*parts: SQL) -> SQL:
    """Tests that all operands are within 2^±500, so that products and quotients stay within the range of doubles."""
    return joined(exp.And, [between(_size(x), _power(-500), _power(500)) for x in parts])


def _signed_infinity(x: SQL, y: SQL) -> SQL:
    zero = double(0.0)
    return case((equal(less(zero, x), less(zero, y)), INFINITY), otherwise=double(-math.inf))


def _added(x: SQL, y: SQL, operator: FloatOperator) -> SQL:
    """x + y or x − y.

    Theorem: let x and y be finite, not both within ±2^1022 and both at least 2^900 in size. The sum overflows exactly
             where the sum of their halves is at least 2^1023 in size. If one is below 2^900 it does not overflow. No sum of
             doubles underflows.
    Proof:   such halves are exact, and so is halving the sum's exponent range: RN(x/2 + y/2) = RN(x + y)/2 with an
             unbounded exponent. 2^900 is less than half of the last place of the largest double. A sum of doubles is a
             multiple of the least one, so that it is rounded to 0 only where it is 0.
    """
    plain = _operation(operator, x, y)
    halves = _operation(operator, *(times(z, double(0.5)) for z in (x, y)))
    overflows = at_least(_size(halves), _power(1023))
    infinite = case((less(double(0.0), x), INFINITY), otherwise=double(-math.inf))
    small = joined(exp.And, [at_most(_size(z), _power(1022)) for z in (x, y)])
    one_small = joined(exp.Or, [less(_size(z), _power(900)) for z in (x, y)])
    return case(
        (small, plain), (one_small, plain), (_endless(x, y), plain), (overflows, infinite), otherwise=plain
    )


def _multiplied(x: SQL, y: SQL) -> SQL:
    """x · y.

    Theorem: let x and y be finite and not 0.
             (1) Where both are at least 1 in size, the product overflows exactly where the product of x · 2^-512 and
             y · 2^-512 is at least 1 in size; that product neither overflows nor underflows.
             (2) Where both are below 1 and one is at most 2^-537, let s = |x| · 2^540 and t = |y| · 2^540. The product is
             rounded to 0 exactly where s · t ≤ 32; that product neither overflows nor
             underflows.
             (3) Elsewhere it neither overflows nor underflows.
    Proof:   (1) x · 2^-512 is normal, hence exact, and lies within 2^-512 .. 2^512 (1 − 2^-53). The product of two such is
             at least 2^-1024, which is a double, and below 2^1024 (1 − 2^-53), the largest one. Rounding commutes with
             scaling: where the scaled product is at least 1/2 it is normal.
             (2) Half of the least double is 2^-1075, and a tie goes to 0, which is even: RN(x · y) = 0 exactly where
             |x · y| ≤ 2^-1075, that is s · t ≤ 2^(1080 − 1075). s and t are normal, hence exact: 2^-534 ≤ s < 2^540.
             2^-1068 ≤ s · t < 2^540 · 2^3, within the range of doubles and not rounded to 0.
             (3) Where one is at least 1 and the other below, the product lies between the two. Where both are below 1 and
             above 2^-537, it is above 2^-1074.
    """
    plain, unity, zero = times(x, y), double(1.0), double(0.0)
    scaled = times(*(times(z, _power(-512)) for z in (x, y)))
    overflows = at_least(_size(scaled), unity)
    large = joined(exp.And, [at_least(_size(z), unity) for z in (x, y)])
    below = joined(exp.And, [less(_size(z), unity) for z in (x, y)])
    tiny = joined(exp.Or, [at_most(_size(z), _power(-537)) for z in (x, y)])
    gone = _at_most_32(*(times(_size(z), _power(540)) for z in (x, y)))
    nothing = joined(exp.Or, [equal(x, zero), equal(y, zero)])
    return case(
        (_moderate(x, y), plain),
        (joined(exp.Or, [nothing, _endless(x, y)]), plain),
        (large, case((overflows, _signed_infinity(x, y)), otherwise=plain)),
        (joined(exp.And, [below, tiny]), case((gone, zero), otherwise=plain)),
        otherwise=plain,
    )


def _at_most_32(s: SQL, t: SQL) -> SQL:
    """Whether s · t ≤ 32, where 2^-534 ≤ s, t < 2^540 and s · t < 2^543: by the double nearest to s · t, and where that is 32
    itself, by the sign of its error. Rounding is monotone, and 32 a double."""
    product, limit = times(s, t), double(32.0)
    tie = at_most(_error(s, t), double(0.0))
    return case((equal(product, limit), tie), otherwise=less(product, limit))


def _error(s: SQL, t: SQL) -> SQL:
    """s · t − 32, where the double nearest to s · t is 32.

    Theorem: with s = s₁ + s₂ and t = t₁ + t₂, Veltkamp's halves of 26 bits and a sign, all of this is exact, and nothing
             overflows or underflows: ((s₁t₁ − 32) + s₁t₂ + s₂t₁) + s₂t₂.
    Proof:   Dekker's product, which is exact where none of the four underflows. s₂ is 0 or at least 2^-53 of s, and s₁ is at
             least half of s; the same holds of t. So each product is 0 because one factor is, or at least 32 · 2^-107 in
             size. The splitting multiplies by 2^27 + 1, and stays below 2^568.
    """

    def high(a: SQL) -> SQL:
        wide = times(a, double(2.0**27 + 1))
        return minus(wide, minus(wide, a))

    def low(a: SQL) -> SQL:
        return minus(a, high(a))

    first = minus(times(high(s), high(t)), double(32.0))
    return plus(plus(plus(first, times(high(s), low(t))), times(low(s), high(t))), times(low(s), low(t)))


def _quotient(x: SQL, y: SQL) -> SQL:
    """x / y, where y is not 0.

    Theorem: let x be finite and not 0, y finite, and one not within 2^±500.
             (1) Where |x| ≥ 2^-60 and |y| < 1, the quotient overflows exactly where that of x · 2^-550 and y · 2^550 is at
             least 2^-76 in size; that quotient neither overflows nor underflows.
             (2) Where |x| < 2^-50 and |y| ≥ 2, it is rounded to 0 exactly where |x| · 2^1000 ≤ |y| · 2^-75.
             (3) Elsewhere it neither overflows nor underflows.
    Proof:   (1) |x| > 2^500 or |y| < 2^-500, so that 2^440 ≤ |x / y| < 2^2098, and the scaled quotient, which is less by
             2^1100, is normal. So are x · 2^-550 ≥ 2^-610 and 2^-524 ≤ |y| · 2^550 < 2^550, hence exact. Rounding commutes
             with scaling, and 2^1024 · 2^-1100 = 2^-76.
             (2) RN(x / y) = 0 exactly where |x| · 2^1075 ≤ |y|, as for products; both sides are normal, hence exact.
             (3) Where |x| ≥ 2^-60 and |y| ≥ 1, it is at most |x|, and above 2^-1074 if |x| ≥ 2^-50; if |x| is less than that,
             |y| is below 2, and it is above 2^-1075. Where |x| < 2^-60 and |y| < 1, it is at least |x| and below 2^1014; where
             |x| < 2^-60 and 1 ≤ |y| < 2, it is at most |x| and above 2^-1075. What is above 2^-1075 is not rounded to 0.
    """
    plain, zero = ratio(x, y), double(0.0)
    large = joined(exp.And, [at_least(_size(x), _power(-60)), less(_size(y), double(1.0))])
    scaled = ratio(times(x, _power(-550)), times(y, _power(550)))
    small = joined(exp.And, [less(_size(x), _power(-50)), at_least(_size(y), double(2.0))])
    gone = at_most(times(_size(x), _power(1000)), times(_size(y), _power(-75)))
    finite = less(_size(x), INFINITY)
    return case(
        (_moderate(x, y), plain),
        (joined(exp.And, [finite, equal(_size(y), INFINITY)]), zero),
        (joined(exp.Or, [equal(x, zero), _endless(x, y)]), plain),
        (large, case((at_least(_size(scaled), _power(-76)), _signed_infinity(x, y)), otherwise=plain)),
        (small, case((gone, zero), otherwise=plain)),
        otherwise=plain,
    )
