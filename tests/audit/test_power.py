"""How many answers an audit needs, and how seldom it is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lapcat
from lapcat.audit.broken import BROKEN
from lapcat.audit.member import Member, laplace
from lapcat.audit.sound import SOUND

CLAIMED = 1
TARGETS = [(2.0, 3_000), (1.2, 15_000), (1.1, 60_000)]
"""The true epsilon of what is claimed to be 1, and the answers on each side within which it must be noticed."""


def rejected(true: float, samples: int, runs: int) -> int:
    count = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, samples])

        def mechanism(x: float, size: int, rng: np.random.Generator = rng) -> np.ndarray:
            return x + laplace(rng, 1 / true, size)

        count += lapcat.audit(mechanism, 0.0, 1.0, CLAIMED, samples=samples).violated
    return count


def false_alarms(member: Member, samples: int, runs: int, level: str) -> int:
    return sum(
        lapcat.audit(
            member.mechanism(seed),
            member.d,
            member.d_prime,
            member.epsilon,
            member.delta,
            samples=samples,
            level=level,
        ).violated
        for seed in range(runs)
    )


@pytest.mark.parametrize(
    ("true", "samples", "runs"), [(*TARGETS[0], 40), (*TARGETS[1], 20), (*TARGETS[2], 10)]
)
def test_too_little_noise_is_noticed_in_time(true: float, samples: int, runs: int) -> None:
    assert rejected(true, samples, runs) >= 0.95 * runs


@pytest.mark.slow
@pytest.mark.parametrize(("true", "samples"), TARGETS)
def test_too_little_noise_is_noticed_in_time_in_two_hundred_runs(true: float, samples: int) -> None:
    assert rejected(true, samples, 200) >= 190


@pytest.mark.parametrize("member", SOUND, ids=lambda member: member.name)
def test_a_sound_mechanism_passes(member: Member) -> None:
    assert false_alarms(member, 2_000, 4, "0.01") == 0


@pytest.mark.slow
@pytest.mark.parametrize(("level", "limit"), [("0.05", 50), ("0.01", 10)])
def test_a_thousand_audits_of_sound_mechanisms_are_wrong_no_more_often_than_they_say(
    level: str, limit: int
) -> None:
    assert sum(false_alarms(member, 5_000, 125, level) for member in SOUND) <= limit


@pytest.mark.parametrize("member", BROKEN, ids=lambda member: member.name)
def test_a_broken_mechanism_is_caught_within_a_million_answers(member: Member) -> None:
    result = lapcat.audit(
        member.mechanism(1), member.d, member.d_prime, member.epsilon, member.delta, samples=1_000_000
    )
    assert result.violated, result


def test_the_catalogue_s_table_is_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    assert [member.name for member in (*BROKEN, *SOUND) if f"| {member.name} |" not in page] == []


def test_names_of_the_catalogue_are_told_apart() -> None:
    names = [member.name for member in (*BROKEN, *SOUND)]
    assert len(set(names)) == len(names)
