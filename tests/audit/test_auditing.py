"""What an audit says, whatever kind of answer a mechanism gives."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import beta

import lapcat
from lapcat.audit.auditing import choose, proved, rounds_of
from lapcat.audit.broken import half_scale
from lapcat.audit.claim import Claim
from lapcat.audit.member import laplace
from lapcat.audit.outputs import outputs_of
from lapcat.audit.sound import rare_leak


def noisy(d: float, size: int, scale: float = 1.0, rng: np.random.Generator | None = None) -> np.ndarray:
    return d + laplace(rng or np.random.default_rng(3), scale, size)


def test_the_package_is_the_function_whatever_was_imported_first() -> None:
    script = "import lapcat.audit.broken, lapcat; print(lapcat.audit(lambda x: x, 0, 1, 1).verdict)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "VIOLATION\n"


def test_importing_lapcat_loads_no_auditor() -> None:
    script = "import lapcat, sys; print([name for name in sys.modules if name.startswith('lapcat.audit')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_pass_is_never_called_a_proof() -> None:
    rng = np.random.default_rng(5)
    passed = lapcat.audit(lambda x, size: noisy(x, size, 1.0, rng), 0.0, 1.0, 1, samples=1000)
    assert passed.verdict == "NO EVIDENCE"
    for text in (repr(passed), passed._repr_html_()):
        assert "NO EVIDENCE" in text and "a pass is never a proof" in text


def test_a_violation_names_its_witness_its_bound_and_what_it_took() -> None:
    result = lapcat.audit(half_scale.MEMBER.mechanism(2), 0.0, 1.0, 1, samples=20_000)
    text = repr(result)
    for part in ("VIOLATION of ε = 1", "the answer is", "99 % confidence", "answers on each side", "on d′"):
        assert part in text
    assert "<svg" in result.svg() and "<svg" in result._repr_html_()
    assert result.as_json()["verdict"] == "VIOLATION" and result.as_json()["claim"] == {
        "epsilon": "1",
        "delta": "0",
    }


def test_the_bound_comes_near_the_true_epsilon_and_not_above() -> None:
    rng = np.random.default_rng(4)
    result = lapcat.audit(lambda x, size: noisy(x, size, 0.5, rng), 0.0, 1.0, 3, samples=100_000)
    assert not result.violated and 1.8 < result.bound <= 2


def test_a_bound_is_above_the_truth_no_more_often_than_its_confidence_says() -> None:
    rng = np.random.default_rng(8)
    above = [
        lapcat.audit(lambda x, size: noisy(x, size, 1.0, rng), 0.0, 1.0, 2, samples=1000, level="0.2").bound
        > 1
        for _ in range(40)
    ]
    assert sum(above) <= 8


def test_the_bound_is_clopper_and_pearson_s() -> None:
    claim = Claim.read(1, "0.01", "0.05")
    here, there = outputs_of(np.repeat([0.0, 1.0], [300, 700])), outputs_of(np.repeat([0.0, 1.0], [900, 100]))
    event = choose(here, there, claim).strongest.event
    seen = proved(event, here, there, claim, rounds=1)
    a, b = round(seen.likely * 1000), round(seen.unlikely * 1000)
    low, high = beta.ppf(0.025, a, 1001 - a), beta.ppf(0.975, b + 1, 1000 - b)
    assert seen.bound == pytest.approx(np.log((low - 0.01) / high), abs=1e-4)


def test_delta_is_taken_off_exactly() -> None:
    """What leaks once in twenty times breaks every claim whose delta is smaller, and none whose delta is that."""
    leak = rare_leak.MEMBER
    assert not lapcat.audit(leak.mechanism(1), 0.0, 1.0, 1, "0.05", samples=10_000).violated
    assert lapcat.audit(leak.mechanism(1), 0.0, 1.0, 1, "0.02", samples=10_000).violated


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda x: x,
        lambda x: bool(x),
        lambda x: "yes" if x else "no",
        lambda x: ("a", x),
        lambda x: [1] * (x + 1),
        lambda x: np.array([0.5, x]),
        lambda x: {"count": x},
        lambda x: None if x else 0,
        lambda x: b"\x01" if x else b"\x02",
        lambda x: {"member"} if x else set(),
        lambda x: 10**400 + x,
        lambda x: [2**60 + x],
        lambda x: 1 / x,
        lambda x: float("nan") if x else 0.0,
        lambda x: float("inf") if x else 0.0,
        lambda x: random.random() if x else -random.random(),
    ],
)
def test_an_exact_answer_of_any_kind_is_caught(mechanism: object) -> None:
    assert lapcat.audit(mechanism, 0, 1, 1, samples=2000).violated  # type: ignore[operator]


@pytest.mark.parametrize("mechanism", [lambda x: 0, lambda x: "the same", lambda x: [], lambda x: None])
def test_an_answer_that_ignores_the_data_passes(mechanism: object) -> None:
    passed = lapcat.audit(mechanism, 0, 1, 0, samples=2000)  # type: ignore[operator]
    assert not passed.violated and passed.bound == 0


def test_a_rare_answer_that_the_warm_up_did_not_hold_is_noticed() -> None:
    rng = np.random.default_rng(1)
    result = lapcat.audit(lambda x: "rare" if x and rng.random() < 0.01 else "usual", 0, 1, 1, samples=50_000)
    assert result.violated


@pytest.mark.parametrize("samples", [512, 3000, 15_000, 60_000, 100_000, 1_000_000])
def test_rounds_use_the_samples_that_were_given(samples: int) -> None:
    assert sum(rounds_of(samples)) + 256 == samples


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("audit-epsilon", {"epsilon": 31}),
        ("audit-epsilon", {"epsilon": -1}),
        ("audit-probability", {"epsilon": 1, "delta": 1}),
        ("audit-probability", {"epsilon": 1, "level": 0}),
        ("audit-samples", {"epsilon": 1, "samples": 10}),
    ],
)
def test_a_claim_that_cannot_be_audited_is_refused(code: str, given: dict[str, object]) -> None:
    with pytest.raises(lapcat.BadArgument) as refused:
        lapcat.audit(lambda x: x, 0, 1, **given)  # type: ignore[operator]
    assert refused.value.code == code


def test_a_mechanism_that_is_called_in_a_wrong_way_is_not_passed() -> None:
    with pytest.raises(lapcat.BadArgument) as refused:
        lapcat.audit(lambda: 1, 0, 1, 1)  # type: ignore[operator]
    assert refused.value.code == "audit-raises" and "TypeError" in str(refused.value)
    with pytest.raises(lapcat.BadArgument) as refused:
        lapcat.audit(lambda x, size: [x], 0, 1, 1)  # type: ignore[operator]
    assert refused.value.code == "audit-size"
