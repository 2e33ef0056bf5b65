"""Every public constructor of `lapcat.local` and `lapcat.mechanisms` works, or refuses with one of lapcat's own errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import lapcat
from lapcat import local, mechanisms
from lapcat.local import Numbers, Values, choose

ONE = Fraction(1)
SLOW = (Fraction(1, 10**300), 1e-320)
"""As the delta of a Gaussian: it works, and takes seconds."""
HOSTILE: tuple[object, ...] = (
    *(float("nan"), float("inf"), -float("inf"), 1.5, 1e308, 10**400, -(10**400), 2**70, 0, -1, *SLOW),
    *(None, True, object(), b"a", {}, [], [1], "", "x", "1e999", "1/0", "-1", "nan", "٣"),
    *(np.int64(3), np.uint64(2**64 - 1), np.float32(0.5), np.float64("nan"), np.bool_(True)),
    *(np.array([]), np.array([1, 2]), np.ma.masked_array([1, 2], [True, False])),
    *(Decimal("NaN"), Fraction(-1)),
)

YES_NO = Values(("yes", "no"), "no")
CASES: tuple[tuple[Callable[..., object], dict[str, object]], ...] = (
    (local.Values, {"given": ("a", "b"), "missing": "a"}),
    (local.Numbers, {"low": 0, "high": 9, "steps": 3}),
    (local.Texts, {"alphabet": "abc", "length": 3}),
    (local.Response, {"epsilon": ONE, "values": 3}),
    (local.Unary, {"epsilon": ONE, "values": 3}),
    (local.Hashing, {"epsilon": ONE, "values": 3, "rows": 0}),
    (local.Hadamard, {"epsilon": ONE, "values": 3}),
    (local.Duchi, {"epsilon": ONE, "steps": 3}),
    (local.Piecewise, {"epsilon": ONE, "steps": 3}),
    (local.Hybrid, {"epsilon": ONE, "steps": 3}),
    (local.Laplace, {"scale": ONE, "steps": 3}),
    (local.Prefixes, {"epsilon": ONE, "alphabet": "abc", "length": 3}),
    (local.Permanent, {"kept": local.Response(ONE, 3), "epsilon": ONE}),
    (local.Questions, {"epsilon": ONE, "questions": 3, "way": "split"}),
    (choose, {"domain": 3, "epsilon": 1, "longest_report": 9, "wave": "1", "permanent": 3}),
    (choose, {"domain": Numbers(0, 9), "epsilon": 1, "question": "q", "wave": "1"}),
    (local.compare, {"n": 100, "epsilon": 1, "values": 3}),
    (
        local.protocol_of,
        {"question": "q", "domain": YES_NO, "name": "response", "epsilon": ONE, "wave": None},
    ),
    (
        local.Protocol,
        {"question": "q", "domain": YES_NO, "randomiser": local.Response(ONE, 2), "wave": None},
    ),
    (mechanisms.Laplace, {"sensitivity": 1, "epsilon": 1, "grid": 1, "dimensions": 3}),
    (mechanisms.Laplace, {"sensitivity": 1, "scale": 1, "grid": None}),
    (mechanisms.Gaussian, {"sensitivity": 1, "epsilon": 1, "delta": "1e-6", "grid": 1, "dimensions": 3}),
    (mechanisms.Gaussian, {"sensitivity": 1, "epsilon": 1, "delta": "1e-6"}),
    (mechanisms.Gaussian, {"sensitivity": 1, "rho": 1, "grid": None, "dimensions": 3}),
    (mechanisms.Threshold, {"epsilon": 1, "delta": "1e-6", "keys": 1, "relation": "add-remove"}),
    (mechanisms.Exponential, {"epsilon": 1, "sensitivity": 1, "monotone": True}),
    (mechanisms.PermuteAndFlip, {"epsilon": 1, "sensitivity": 1, "monotone": False}),
    (mechanisms.RandomizedResponse, {"epsilon": 1, "values": 3}),
    (
        mechanisms.DiscreteMechanism,
        {"matrix": [["0.75", "0.25"], ["0.25", "0.75"]], "neighbours": [(0, 1)]},
    ),
    (mechanisms.KNorm, {"epsilon": 1, "norm": "l2", "sensitivity": 1, "dimensions": 2, "grid": 1}),
    (mechanisms.KNorm, {"epsilon": 1, "vertices": [[1, 0], [0, 1]]}),
    (mechanisms.KNorm, {"epsilon": 1, "differences": [[1, 0], [0, 1]]}),
    (mechanisms.KNorm, {"epsilon": 1, "questions": [[1, 0]], "relation": "replace-one", "rows_per_unit": 2}),
)


def name(value: object) -> str:
    return value.__name__ if callable(value) else "-".join(value) if isinstance(value, dict) else ""


@pytest.mark.parametrize("make, right", CASES, ids=name)
def test_a_constructor_works_or_refuses_in_lapcat_s_own_words(
    make: Callable[..., object], right: dict[str, object]
) -> None:
    assert repr(make(**right))
    for field in right:
        for wrong in HOSTILE:
            if field == "delta" and any(wrong is slow for slow in SLOW):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    repr(make(**{**right, field: wrong}))
                except lapcat.errors.Error as refusal:
                    assert refusal.code and len(str(refusal)) < 1500, (field, wrong)


def test_every_public_class_is_among_the_cases() -> None:
    made = {make for make, _ in CASES}
    for module, others in (
        (mechanisms, set()),
        (
            local,
            {
                *(
                    "Candidate",
                    "Choice",
                    "Comparison",
                    "Found",
                    "KeyedWords",
                    "MeanEstimate",
                    "Memo",
                    "Shares",
                    "Survey",
                ),
            },
        ),
    ):  # what is made by lapcat itself
        public = {getattr(module, n) for n in module.__all__ if n not in others}
        assert {kind for kind in public if isinstance(kind, type)} <= made


@pytest.mark.parametrize("steps", [0, 10])
@pytest.mark.parametrize(
    "low, high", [("-1e308", "1e308"), ("-1e200", "1e200"), (0, "1e-320"), (2**60, 2**60 + 10)]
)
def test_numbers_that_floats_cannot_tell_apart_are_refused_with_a_way_out(
    low: object, high: object, steps: int
) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        Numbers(low, high, steps)  # type: ignore[arg-type]
    assert refusal.value.code == "local-numbers"
    assert refusal.value.fix is not None and "low = 0 and high = " in refusal.value.fix


@pytest.mark.parametrize("low, high", [("-1e100", "1e100"), (0, 10), (0, "1e-90"), ("1e15", "1e15")])
def test_numbers_that_are_accepted_are_estimated(low: str, high: str) -> None:
    if low == high:
        low, high = "1000000000000000", "1000000000000008"
    protocol = choose(domain=Numbers(low, high), epsilon=1).protocol  # type: ignore[arg-type]
    estimate = protocol.estimate(protocol.randomise([low] * 200 + [high] * 200), "0.999999")
    middle = (float(low) + float(high)) / 2
    assert isinstance(estimate, local.MeanEstimate)
    assert estimate.low <= middle <= estimate.high and estimate.sd > 0


def test_arrays_of_numpy_are_matrices_too() -> None:
    rows = np.array([[1, 0], [0, 1]])
    assert mechanisms.KNorm(epsilon=1, vertices=rows).epsilon == 1  # type: ignore[arg-type]
    assert mechanisms.DiscreteMechanism(rows * 0.5 + 0.25).epsilon > 1  # type: ignore[arg-type]
    assert choose(domain=np.array(["yes", "no"]), epsilon=1).protocol.domain.size == 2
    assert local.Response(1, np.int64(3)) == local.Response(ONE, 3)  # type: ignore[arg-type]
