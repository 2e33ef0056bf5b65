"""What the collector can say: sample sizes, the choice of a protocol, estimates and their intervals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.exact import exact
from lapcat.errors import BadArgument
from lapcat.local import (
    Duchi,
    Hashing,
    Hybrid,
    Laplace,
    Numbers,
    Piecewise,
    Prefixes,
    Protocol,
    Questions,
    Response,
    Texts,
    Unary,
    Values,
    choose,
    compare,
    find,
    project,
    protocol_from_json,
    protocol_of,
)
from lapcat.local.base import counted, dense
from lapcat.local.domain import domain_of
from lapcat.local.means import bernstein_margin, laplace_margin, worst_variance
from lapcat.local.walsh import transformed
from lapcat.mechanisms.binomial import success_bounds
from lapcat.plan.sample_size import sample_size
from lapcat.testing.coins import SeededCoins

ONE = Fraction(1)


# ------------------------------------------------------------------------------------------------ how many people


def test_people_for_an_error_of_one_percent_at_epsilon_1() -> None:
    unary = protocol_of("q", domain_of(100), "unary", ONE)
    response = protocol_of("q", domain_of(100), "response", ONE)
    e = math.e
    assert unary.people_for("0.01") == math.ceil(4 * e / (e - 1) ** 2 * 10**4) == 36_827
    assert response.people_for("0.01") == math.ceil((e + 98) / (e - 1) ** 2 * 10**4) == 341_130


@pytest.mark.parametrize("epsilon", ["0.2", "1", "2", "3.5"])
def test_response_is_chosen_exactly_where_it_is_better(epsilon: str) -> None:
    edge = 3 * math.exp(float(epsilon)) + 2
    for values in {2, 3, 5, math.floor(edge), math.floor(edge) + 1, 50, 200}:
        chosen = choose(domain=values, epsilon=epsilon)
        assert (chosen.protocol.randomiser.name == "response") == (values < edge), (values, chosen)
        least = min(c.variance for c in chosen.candidates if c.fits)
        assert float(chosen.protocol.variance) == least


def test_a_choice_says_why_and_minds_the_length_of_a_report() -> None:
    assert choose(domain=1000, epsilon=1).protocol.randomiser.name == "unary"
    short = choose(domain=1000, epsilon=1, longest_report=64)
    assert short.protocol.randomiser.name == "hashing" and "of at most 64 bits" in short.why
    with pytest.raises(BadArgument) as caught:
        choose(domain=1000, epsilon=1, longest_report=5)
    fix = caught.value.fix
    assert choose(domain=1000, epsilon=1, longest_report=int(fix.removeprefix("longest_report="))).protocol


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "4"])
def test_for_numbers_the_least_of_the_largest_variances_is_chosen(epsilon: str) -> None:
    domain = Numbers(18, 100)
    chosen = choose(domain=domain, epsilon=epsilon).protocol
    others = [
        protocol_of("q", domain, name, exact(epsilon)) for name in ("duchi", "piecewise", "hybrid", "laplace")
    ]
    assert chosen.variance == min(other.variance for other in others)


def test_the_paper_s_variances_are_met() -> None:
    """In one dimension on [-1, 1]: Duchi's coin ((e+1)/(e-1))^2, piecewise (t^2/(x-1) + (x+3)/(3(x-1)^2)), x = e^(ε/2)."""
    steps, e, x = 65536, math.e, math.exp(0.5)
    unit = (2 / steps) ** 2
    assert float(Duchi(ONE, steps).variance(steps // 2)) * unit == pytest.approx(
        ((e + 1) / (e - 1)) ** 2, 1e-6
    )
    for value, t in ((steps // 2, 0.0), (steps, 1.0)):
        theory = t * t / (x - 1) + (x + 3) / (3 * (x - 1) ** 2)
        assert float(Piecewise(ONE, steps).variance(value)) * unit == pytest.approx(theory, 1e-4)
    worst = worst_variance(Hybrid(ONE, steps))
    assert worst < worst_variance(Duchi(ONE, steps)) and worst < worst_variance(Piecewise(ONE, steps))


def test_a_power_of_two_of_buckets_costs_little() -> None:
    def lost(epsilon: Fraction) -> float:
        hashing, unary = (protocol_of("q", domain_of(100), name, epsilon) for name in ("hashing", "unary"))
        return float(hashing.variance / unary.variance)

    assert 1 < lost(ONE) < 1.003
    assert 1.07 < max(lost(Fraction(i, 20)) for i in range(1, 110)) < 1.08


def test_alice_s_age_with_lap_3_costs_82_thirds() -> None:
    randomiser = Laplace.of(Numbers(18, 100), scale=3)
    assert randomiser.epsilon == randomiser.event("age").loss.epsilon == Fraction(82, 3)


# ------------------------------------------------------------------------------------------------ shares


def spread(size: int, n: int, seed: int) -> np.ndarray:
    """Values of which a few are frequent and most are rare."""
    return np.minimum(np.random.default_rng(seed).geometric(0.3, n) - 1, size - 1).astype(np.int64)


@pytest.mark.parametrize("name", ["response", "unary", "hashing", "hadamard"])
def test_intervals_cover_as_often_as_they_say(name: str) -> None:
    """80 % intervals, 60 surveys of 12 values: at least 75.5 % of 720 hold (three standard deviations below)."""
    protocol, n, held = protocol_of("q", domain_of(12), name, ONE), 500, 0
    for seed in range(60):
        true = spread(12, n, seed)
        answer = protocol.estimate(protocol.randomiser.draw(true, SeededCoins(seed)), "0.8")
        shares = np.bincount(true, minlength=12) / n
        held += sum(e.low <= s <= e.high for e, s in zip(answer.estimates, shares, strict=True))
    assert 0.755 < held / 720 < 0.9


def test_many_values_have_intervals_that_are_never_narrower_than_their_own() -> None:
    protocol, n = protocol_of("q", domain_of(300), "hashing", ONE), 20_000
    reports = protocol.randomiser.draw(spread(300, n, 1), SeededCoins(5))
    answer = protocol.estimate(reports)
    support = protocol.randomiser.support([counted(reports, t) for t in protocol.randomiser.tallies], n)
    from lapcat.mechanisms.binomial import true_count_bounds

    p, q = protocol.randomiser.holds, protocol.randomiser.others
    for value in (0, 1, 7, 150, 299):
        low, high = true_count_bounds(int(support[value]), n, float(p / (1 - p)), float(q / (1 - q)), 0.025)
        mine = answer.estimates[value]
        assert mine.low <= low / n and high / n <= mine.high
        assert mine.high - mine.low < 1.1 * (high - low) / n + 1e-9


def test_support_by_the_transform_is_support_one_by_one() -> None:
    protocol, n = Hashing(Fraction(2), 37), 300
    reports = protocol.draw(spread(37, n, 3), SeededCoins(6))
    fast = protocol.support([counted(reports, t) for t in protocol.tallies], n)
    for value in range(37):
        slow = 0
        for i in range(n):
            bucket = sum(
                ((int(reports[f"row_{j}"][i]) & value).bit_count() & 1) << j for j in range(protocol.rows)
            )
            slow += bucket == int(reports["said"][i])
        assert fast[value] == slow


def test_the_transform_is_its_own_inverse_but_for_the_length() -> None:
    signal = np.random.default_rng(2).integers(-9, 9, 64)
    assert (transformed(transformed(signal)) == 64 * signal).all()


def test_shares_add_up_after_projection_and_ordered_ones_stay_ordered() -> None:
    given = [0.61, -0.08, 0.2, 0.31, -0.01]
    projected = project(given)
    assert sum(projected) == pytest.approx(1) and min(projected) >= 0
    assert [i for i, _ in sorted(enumerate(projected), key=lambda p: -p[1])][:3] == [0, 3, 2]
    near = sum((a - b) ** 2 for a, b in zip(given, projected, strict=True))
    for other in ([0.5, 0, 0.2, 0.3, 0], [0.6, 0, 0.15, 0.25, 0], [1, 0, 0, 0, 0]):
        assert near <= sum((a - b) ** 2 for a, b in zip(given, other, strict=True))


def test_reports_of_another_protocol_are_refused() -> None:
    protocol = Protocol("q", domain_of(3), Response(ONE, 3))
    foreign = Response(ONE, 9).draw(np.full(100, 8), SeededCoins(1))
    with pytest.raises(BadArgument, match="reports-foreign"):
        protocol.estimate(foreign)
    with pytest.raises(BadArgument, match="reports-foreign"):
        dense((np.array([-1]), np.array([4])), 3)


# ------------------------------------------------------------------------------------------------ means


@pytest.mark.parametrize("name", ["duchi", "piecewise", "hybrid", "laplace"])
def test_intervals_of_means_hold(name: str) -> None:
    """95 % intervals, 80 surveys of 400 people: with 70 or fewer that hold, 95 % would be a lie (one in 10^3)."""
    protocol, held = protocol_of("age", Numbers(18, 100), name, ONE), 0
    for seed in range(80):
        ages = np.random.default_rng(seed).integers(20, 60, 400)
        mean = protocol.estimate(protocol.randomise(ages.tolist(), SeededCoins(seed)))
        held += mean.low <= ages.mean() <= mean.high
    assert held > 70


def test_a_mean_of_a_million_is_close() -> None:
    protocol = choose(domain=Numbers(0, 1, 65536), epsilon=1).protocol
    numbers = np.random.default_rng(4).beta(2, 5, 10**6)
    reports = protocol.randomiser.draw(protocol.domain.places(numbers), SeededCoins(9))
    mean = protocol.estimate(reports)
    assert mean.low <= numbers.mean() <= mean.high and mean.high - mean.low < 0.006
    assert abs(mean.value - numbers.mean()) < 5 * mean.sd


def test_margins_are_above_those_of_a_normal_law_and_not_by_much() -> None:
    for n in (10**3, 10**6):
        normal = 1.959964 / math.sqrt(n)
        assert normal < bernstein_margin(1.0, 2.0, n, 0.025) < 1.6 * normal
        assert normal * math.sqrt(2) * 5 < laplace_margin(5.0, n, 0.025) < 1.6 * normal * math.sqrt(2) * 5


def test_clopper_and_pearson_s_interval_is_the_one_of_the_tails() -> None:
    from scipy.stats import beta

    for heads, n in ((0, 10), (3, 10), (10, 10), (480, 1000), (5, 10**5)):
        low, high = success_bounds(heads, n, 0.025)
        want = (
            beta.ppf(0.025, heads, n - heads + 1) if heads else 0,
            beta.ppf(0.975, heads + 1, n - heads) if heads < n else 1,
        )
        assert low <= want[0] + 1e-12 and want[1] <= high + 1e-12
        assert (low, high) == pytest.approx(want, abs=1e-5)


# ------------------------------------------------------------------------------------------------ many questions


@pytest.mark.parametrize("way", ["split", "one"])
def test_k_questions_are_estimated_within_their_intervals(way: str) -> None:
    asked, n, held, total = Questions(Fraction(2), 5, way), 4000, 0, 0  # type: ignore[arg-type]
    for seed in range(40):
        answers = np.random.default_rng(seed).random((n, 5)) < [0.1, 0.3, 0.5, 0.7, 0.02]
        values = (answers @ (1 << np.arange(5))).astype(np.int64)
        reports = asked.draw(values, SeededCoins(seed))
        estimates = asked.estimate([counted(reports, t) for t in asked.tallies], n)
        held += sum(e.low <= s <= e.high for e, s in zip(estimates, answers.mean(axis=0), strict=True))
        total += 5
    assert held / total > 0.9


def test_one_random_question_each_is_better_than_splitting_and_as_theory_says() -> None:
    """V16: k = 10, α = 0.02, β = 0.05, ε = 1."""
    size = sample_size(questions=10, error="0.02", failure="0.05", epsilon=1)
    assert (size.laplace, size.randomized_response) == (2650, 3_000_727)
    assert size.sampled == pytest.approx(351_000, rel=0.001)
    split, sampled = (Questions(ONE, 10, way) for way in ("split", "one"))  # type: ignore[arg-type]
    n, values = 50_000, np.zeros(50_000, np.int64)
    spreads = []
    for asked in (split, sampled):
        reports = asked.draw(values, SeededCoins(3))
        estimates = asked.estimate([counted(reports, t) for t in asked.tallies], n)
        spreads.append(sum(e.variance for e in estimates) / 10)
    assert 6 < spreads[0] / spreads[1] < 12


# ------------------------------------------------------------------------------------------------ heavy hitters


def test_the_frequent_words_are_found_and_no_others() -> None:
    words = Prefixes(Fraction(3), "abcdefghijklmnopqrstuvwxyz", 6)
    pick = np.random.default_rng(7)
    crowd = ["".join(pick.choice(list("abcdefghijklmnopqrstuvwxyz"), 6)) for _ in range(4000)]
    texts = ["privat"] * 9000 + ["cat"] * 7000 + ["lap"] * 6000 + crowd
    values = np.array([words.place(text) for text in texts], np.int64)
    frequent = find(words, words.draw(values, SeededCoins(12)), confidence=Fraction(999, 1000))
    assert [f.text for f in frequent] == ["privat", "cat", "lap"]
    for f, number in zip(frequent, (9000, 7000, 6000), strict=True):
        assert f.share.low <= number / len(texts) <= f.share.high


def test_where_nothing_is_frequent_nothing_is_found() -> None:
    words = Prefixes(ONE, "abcdefgh", 8)
    values = np.random.default_rng(1).integers(0, 1 << 20, 3000)
    assert find(words, words.draw(values, SeededCoins(2))) == ()


# ------------------------------------------------------------------------------------------------ headers, comparison


@pytest.mark.parametrize(
    "protocol",
    [
        protocol_of("q", domain_of(5), "response", ONE),
        protocol_of("q", Values(("a", "b")), "unary", ONE),
        protocol_of("q", domain_of(500), "hashing", ONE),
        protocol_of("q", domain_of(500), "hadamard", ONE),
        protocol_of("q", Numbers("0", "2.5"), "piecewise", ONE),
        protocol_of("q", Numbers(18, 100), "laplace", ONE),
        protocol_of("q", Texts("abc", 9), "prefixes", ONE),
    ],
    ids=lambda p: p.randomiser.name,
)
def test_a_header_is_read_back_and_a_changed_one_is_refused(protocol: Protocol) -> None:
    import json

    written = json.loads(json.dumps(protocol.as_json()))
    assert protocol_from_json(written) == protocol
    for key in ("lie", "steps"):
        if key in written["parameters"]:
            changed = {**written, "parameters": {**written["parameters"], key: "1"}}
            with pytest.raises(BadArgument, match="local-header"):
                protocol_from_json(changed)
    with pytest.raises(BadArgument, match="local-header"):
        protocol_from_json({**written, "format": 2})


def test_the_local_model_needs_more_people_the_more_there_are() -> None:
    small, large = compare(n=1000, epsilon=1), compare(n=10**6, epsilon=1)
    assert 15 < small.asked.local / small.asked.central < 30
    assert large.asked.local / large.asked.central == pytest.approx(
        small.asked.local / small.asked.central * math.sqrt(1000), rel=1e-9
    )
    assert Unary(ONE, 100).report_bits == 100
    assert "<svg" in small._repr_html_() and "response" in str(small)
