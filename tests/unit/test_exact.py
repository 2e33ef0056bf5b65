"""Exact numbers: what is read is what was written, and what rounds up is never below."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.exact import (
    LARGEST_EXP,
    exact,
    exact_text,
    exp_bounds,
    exp_down,
    exp_up,
    ln_down,
    ln_up,
    sqrt_down,
    sqrt_up,
)
from lapcat.errors import BadArgument

TIGHT = 1 + Fraction(1, 2**64)  # the relative precision that the directed functions promise

positive = st.builds(Fraction, st.integers(1, 10**30), st.integers(1, 10**30))
moderate = st.builds(Fraction, st.integers(-(10**12), 10**12), st.integers(10**10, 10**12))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("1/10", Fraction(1, 10)),
        ("1e-6", Fraction(1, 10**6)),
        ("+2.50E+1", Fraction(25)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        (" 3 ", Fraction(3)),
        ("-3/7", Fraction(-3, 7)),
        (-0.0, Fraction(0)),
        (7, Fraction(7)),
        (Fraction(1, 3), Fraction(1, 3)),
        (1e308, Fraction(10**308)),
        (5e-324, Fraction(5, 10**324)),
        (np.int64(-4), Fraction(-4)),
        (np.uint8(200), Fraction(200)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (2**-60, Fraction("8.673617379884035e-19")),
    ],
)
def test_a_number_is_read_as_it_was_written(written: object, meant: Fraction) -> None:
    assert exact(written) == meant


@pytest.mark.parametrize(
    "given_value",
    [
        *(True, False, None, float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("sNaN")),
        *(Decimal("Infinity"), np.float32("nan"), np.bool_(True), np.array(1.0), 1j, b"1", [], object),
        *("", "  ", "abc", "0,1", "1 000", "1_000", "٣", "１", "1e", "e5", ".", "-", "--1", "0x10", "1/0"),
        *("1/2/3", "1.5/2", "1/-2", "nan", "inf", "1\n", "\t1"),
    ],
)
def test_what_is_no_number_is_refused_and_quoted(given_value: object) -> None:
    with pytest.raises(BadArgument) as refusal:
        exact(given_value)
    assert refusal.value.code == "number-unreadable"
    assert repr(given_value)[:50] in refusal.value.message
    assert refusal.value.fix


@pytest.mark.parametrize(
    "given_value",
    [
        *("1e999", "1e-999999999", "1e" + "9" * 1900, "9" * 2001, "0." + "1" * 2000, Decimal("1e999999")),
        *(Decimal("1e-999999"), 10**5000, Fraction(1, 10**5000)),
    ],
    ids=range(9),  # pytest would write the numbers out
)
def test_a_number_of_absurd_size_is_refused_at_once(given_value: object) -> None:
    with pytest.raises(BadArgument) as refusal:
        exact(given_value)
    assert refusal.value.code == "number-too-large"
    assert len(refusal.value.message) < 120


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3), "3"),
        (Fraction(0), "0"),
        (Fraction(3, 25), "0.12"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-22, 7), "-22/7"),
        (Fraction(1, 2**10), "0.0009765625"),
        (Fraction(10**20), "1" + "0" * 20),
    ],
)
def test_a_number_is_written_in_full(value: Fraction, text: str) -> None:
    assert exact_text(value) == text


@given(st.fractions())
def test_what_is_written_is_read_back(value: Fraction) -> None:
    assert exact(exact_text(value)) == value


@pytest.mark.parametrize("grid", [-1500, -1000, -400, -60, 60, 400])
def test_numbers_on_every_grid_are_read_back(grid: int) -> None:
    value = (2**61 - 1) * Fraction(2) ** grid
    assert "e" not in exact_text(value)
    assert exact(exact_text(value)) == value


def test_a_number_too_long_to_be_read_is_not_written() -> None:
    with pytest.raises(BadArgument, match="number-too-large"):
        exact_text(Fraction(3**4000, 7**2300))


def taylor(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^-x from partial sums in plain fractions: an independent road to the same number."""
    total, term, k = Fraction(1), Fraction(1), 0
    while term > Fraction(1, 2 ** (bits + 8)) or k < 2 * x:
        k += 1
        term = term * x / k
        total += -term if k % 2 else term
    return total - term, total + term


@given(st.builds(Fraction, st.integers(0, 400), st.integers(20, 60)), st.integers(0, 200))
def test_exp_bounds_enclose_e_to_the_minus_x_within_two_units(x: Fraction, bits: int) -> None:
    low, high = exp_bounds(x, bits)
    below, above = taylor(x, bits)
    assert low <= 2**bits * above and 2**bits * below <= high
    finer_low, finer_high = exp_bounds(x, bits + 200)
    assert low << 200 <= finer_low and finer_high <= high << 200
    assert 0 <= high - low <= 2


@given(positive, st.integers(0, 300))
def test_exp_bounds_hold_for_any_fraction(x: Fraction, bits: int) -> None:
    low, high = exp_bounds(x, bits)
    finer_low, finer_high = exp_bounds(x, bits + 100)
    assert 0 <= high - low <= 2
    assert low << 100 <= finer_low and finer_high <= high << 100


def test_exp_bounds_are_exact_at_zero_and_refuse_what_they_cannot_bound() -> None:
    assert exp_bounds(Fraction(0), 9) == (512, 512)
    for x, bits in ((Fraction(-1), 8), (Fraction(1), -1)):
        with pytest.raises(ValueError):
            exp_bounds(x, bits)


@given(moderate)
def test_exp_rounds_the_way_its_name_says(x: Fraction) -> None:
    assert 0 < exp_down(x) <= exp_up(x) <= exp_down(x) * TIGHT
    # e^x * e^-x = 1 lies between the products, whichever way either was computed
    assert exp_down(x) * exp_down(-x) <= 1 <= exp_up(x) * exp_up(-x)


def test_exp_of_what_is_far_out_is_bounded_or_refused() -> None:
    far = Fraction(-LARGEST_EXP - 1)
    assert exp_down(far) == 0 < exp_up(far) < Fraction(1, 2**11000)
    assert exp_up(Fraction(-(10**40))) == exp_up(far)
    with pytest.raises(BadArgument, match="number-too-large"):
        exp_up(Fraction(10**9))


@given(positive)
def test_ln_rounds_the_way_its_name_says(x: Fraction) -> None:
    low, high = ln_down(x), ln_up(x)
    assert low <= high
    assert high - low <= abs(low) * (TIGHT - 1)
    # e^low <= x <= e^high, up to the precision of exp itself
    assert exp_down(low) <= x <= exp_up(high)


@given(st.integers(1, 10**40))
def test_ln_keeps_its_precision_next_to_one(n: int) -> None:
    x = 1 + Fraction(1, n)
    # 1/(n + 1) < ln(1 + 1/n) < 1/n
    assert Fraction(1, n + 1) < ln_up(x) and ln_down(x) < Fraction(1, n)
    assert ln_up(x) - ln_down(x) <= ln_down(x) * (TIGHT - 1)


@given(positive)
def test_sqrt_rounds_the_way_its_name_says(x: Fraction) -> None:
    assert sqrt_down(x) ** 2 <= x <= sqrt_up(x) ** 2
    assert sqrt_up(x) <= sqrt_down(x) * TIGHT
    assert sqrt_down(x * x) == sqrt_up(x * x) == x


def test_ln_and_sqrt_refuse_what_has_none() -> None:
    for function, x in ((ln_up, 0), (ln_down, -1), (sqrt_up, -1), (sqrt_down, -1)):
        with pytest.raises(ValueError):
            function(Fraction(x))
    assert sqrt_up(Fraction(0)) == sqrt_down(Fraction(0)) == 0
