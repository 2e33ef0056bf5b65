"""A question that is asked again: what a history of values can tell, computed over all pairs of histories."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lapcat.core.exact import ln_down, ln_up
from lapcat.core.loss import PureDP
from lapcat.errors import BadArgument
from lapcat.local import (
    Duchi,
    Hadamard,
    Hashing,
    KeyedWords,
    Memo,
    Numbers,
    Permanent,
    Protocol,
    Response,
    Texts,
    choose,
    protocol_from_json,
)
from lapcat.local.domain import domain_of
from lapcat.local.permanent import best_hashing
from lapcat.local.protocol import NAMES, protocol_of
from lapcat.local.shares import rare_variance
from lapcat.local.survey import odds_of
from lapcat.mechanisms.integers import Discrete
from lapcat.testing.coins import SeededCoins
from tests.laws.chi_square import pearson
from tests.local.cases import CASES, Case

ONE, HALF, THREE = Fraction(1), Fraction(1, 2), Fraction(3)
WAVES = 3
KEY = bytes(range(32))
History = tuple[int, ...]


def law_of(randomiser: Permanent, history: History, reports: History, rows: int = 0) -> Fraction:
    """The probability of these rows with these symbols: the rows drawn once, a permanent symbol for each distinct value, and a
    fresh draw in each wave."""
    symbols = randomiser.again.values
    chance_of_rows = ONE * symbols / randomiser.outcomes
    probability = chance_of_rows
    for value in set(history):
        of_value = [report for held, report in zip(history, reports, strict=True) if held == value]
        once = randomiser.kept.law(value).low[rows * symbols : (rows + 1) * symbols]
        probability *= sum(
            (
                p
                / chance_of_rows
                * math.prod((randomiser.again.law(kept).low[report] for report in of_value), start=ONE)
                for kept, p in enumerate(once)
            ),
            Fraction(0),
        )
    return probability


def losses(randomiser: Permanent) -> dict[tuple[History, History], Fraction]:
    """e^loss of every pair of histories, exactly."""
    histories = list(product(range(randomiser.inputs), repeat=WAVES))
    symbols = randomiser.again.values
    reports = [
        (pattern, rows)
        for rows in range(randomiser.outcomes // symbols)
        for pattern in product(range(symbols), repeat=WAVES)
    ]
    laws = {history: [law_of(randomiser, history, *report) for report in reports] for history in histories}
    assert all(sum(law) == 1 for law in laws.values())
    return {
        (left, other): max(p / q for p, q in zip(laws[left], laws[other], strict=True))
        for left, other in product(histories, repeat=2)
    }


def renamed(history: History, other: History) -> int | None:
    """How many values have another name, if both repeat at the same places."""
    pairs = set(zip(history, other, strict=True))
    if len({a for a, _ in pairs}) == len(pairs) == len({b for _, b in pairs}):
        return sum(a != b for a, b in pairs)
    return None


SMALL = (
    Permanent(Response(THREE, 2), ONE),
    Permanent(Response(THREE, 3), ONE),
    Permanent(Response(Fraction(2), 3), Fraction(1, 100)),
    Permanent(Response(HALF, 3), THREE),
    Permanent(Duchi(THREE, 2), ONE),
    Permanent(Duchi(HALF, 2), HALF),
    Permanent(Hashing(THREE, 3, 1), ONE),
    Permanent(Hadamard(THREE, 4), HALF),
    Permanent(Hashing(THREE, 2, 2), ONE),
)


def names(randomiser: Permanent) -> str:
    return f"{randomiser.name}-{randomiser.epsilon}-{randomiser.inputs}-{randomiser.permanent}"


@pytest.mark.parametrize("randomiser", SMALL, ids=names)
def test_each_wave_that_differs_costs_at_most_epsilon_and_a_renamed_value_the_permanent_one(
    randomiser: Permanent,
) -> None:
    for (history, other), ratio in losses(randomiser).items():
        differ = sum(a != b for a, b in zip(history, other, strict=True))
        assert ln_down(ratio) <= differ * randomiser.epsilon, (history, other)
        changed = renamed(history, other)
        if changed is not None:
            assert ln_down(ratio) <= changed * randomiser.permanent, (history, other)


@pytest.mark.parametrize("randomiser", SMALL, ids=names)
def test_no_smaller_number_than_epsilon_holds_for_every_number_of_waves(randomiser: Permanent) -> None:
    """(a, …, a, b, …, b, a) and (a, …, a, b, …, b, b): the early waves show both permanent reports, the last one whose."""
    symbols = randomiser.again.values
    blocks = [slice(start, start + symbols) for start in range(0, randomiser.outcomes, symbols)]

    def likely(value: int, rows: slice) -> int:
        once = randomiser.kept.law(value).low[rows]
        return once.index(max(once))

    b = randomiser.inputs - 1
    rows = next(
        rows for rows in blocks if likely(b, rows) != 0 == likely(0, rows)
    )  # a hash that tells the two apart
    own = {0: 0, b: likely(b, rows)}  # what each of the two says again and again
    odds, again = randomiser.again.holds / randomiser.again.others, randomiser.again
    waves = math.ceil(20 / randomiser.epsilon)

    def told(value: int, *, once_more: bool) -> Fraction:
        """The weight of saying its own report in all waves, and 0 once more."""
        return sum(
            (
                p
                * (1 if kept == own[value] else 1 / odds**waves)
                * (again.law(kept).low[0] if once_more else 1)
                for kept, p in enumerate(randomiser.kept.law(value).low[rows])
            ),
            Fraction(0),
        )

    a, b = own
    ratio = (
        told(a, once_more=True)
        * told(b, once_more=False)
        / told(a, once_more=False)
        / told(b, once_more=True)
    )
    assert randomiser.epsilon * Fraction(999, 1000) < ln_up(ratio) and ln_down(ratio) <= randomiser.epsilon


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_fresh_draws_in_three_waves_cost_exactly_three_epsilon(case: Case) -> None:
    """Independent waves: the worst pair of histories differs in every wave, by the worst pair of values and report of one."""
    ratio = Discrete([case.randomiser.law(value).low for value in case.rows]).worst().ratio
    assert ratio is not None
    assert WAVES * (case.epsilon - case.slack) < ln_up(ratio**WAVES) <= WAVES * case.epsilon


def test_three_fresh_draws_multiplied_out_are_three_epsilon() -> None:
    randomiser = Response(ONE, 3)
    laws = {
        history: [
            math.prod((randomiser.law(v).low[s] for v, s in zip(history, reports, strict=True)), start=ONE)
            for reports in product(range(3), repeat=WAVES)
        ]
        for history in product(range(3), repeat=WAVES)
    }
    worst = max(
        p / q for law in laws.values() for other in laws.values() for p, q in zip(law, other, strict=True)
    )
    assert WAVES - Fraction(1, 2**40) < ln_up(worst) <= WAVES


def test_a_permanent_report_alone_tells_for_certain_that_somebody_changed() -> None:
    """Why there is a second draw: kept reports as they are, at any epsilon. (a, a) never gives two different ones."""
    kept = Response(Fraction(1, 100), 3)
    same = [
        sum(p for symbol, p in enumerate(kept.law(0).low) if (symbol, symbol) == pair)
        for pair in product(range(3), repeat=2)
    ]
    changed = [p * q for p, q in product(kept.law(0).low, kept.law(1).low)]
    assert any(p == 0 < q for p, q in zip(same, changed, strict=True))


# ------------------------------------------------------------------------------------------------ the change detector


def asked(epsilon: object, domain: object, wave: str | None = None, permanent: object = None) -> Protocol:
    return choose(domain=domain, epsilon=epsilon, question="q", wave=wave, permanent=permanent).protocol


@pytest.mark.parametrize("epsilon, domain", [("0.5", ["no", "yes"]), ("0.1", 100), ("0.01", 1000)])
def test_a_memo_that_is_asked_again_never_says_whether_the_answer_changed(
    epsilon: str, domain: object
) -> None:
    protocol = asked(epsilon, domain)
    first, second = protocol.domain.texts[:2]  # type: ignore[union-attr]
    for seed in range(40):
        mine, coins = Memo(), SeededCoins(seed)
        assert mine.report(protocol, first, coins) == mine.report(protocol, second, coins)
        assert mine.loss == PureDP(protocol.epsilon)


@pytest.mark.parametrize("randomiser", SMALL, ids=names)
def test_that_two_waves_differ_is_at_most_e_to_epsilon_times_as_likely_after_a_change(
    randomiser: Permanent,
) -> None:
    symbols = randomiser.again.values

    def differ(history: History) -> Fraction:
        return sum(
            (
                law_of(randomiser, history, pair, rows)
                for rows in range(randomiser.outcomes // symbols)
                for pair in product(range(symbols), repeat=2)
                if len(set(pair)) == 2
            ),
            Fraction(0),
        )

    same, changed = differ((0, 0)), differ((0, randomiser.inputs - 1))
    assert (
        same > 0
        and ln_down(changed / same) <= randomiser.epsilon
        and ln_down(same / changed) <= randomiser.epsilon
    )


PEOPLE = [f"person {i}" for i in range(40_000)]


@pytest.mark.parametrize("size, permanent", [(2, None), (2, 3), (1000, 3)])
def test_files_of_two_waves_find_the_changed_no_better_than_chance(size: int, permanent: int | None) -> None:
    """Half of 40 000 people change, at epsilon 0.01: whose reports differ says nothing (four standard deviations)."""
    before = np.zeros(40_000, np.int64)
    after = np.arange(40_000) % 2 * (size - 1)
    first, two = (
        KeyedWords(KEY, asked("0.01", size, wave, permanent)).reports(PEOPLE, values)
        for wave, values in (("1", before), ("2", after))
    )
    differ = np.any([first[name] != two[name] for name in first], axis=0)
    changed, same = differ[1::2].mean(), differ[0::2].mean()
    assert 0.2 < same < 0.9 and abs(changed - same) < 4 * (2 * 0.25 / 20_000) ** 0.5 + 0.01 / 2


# ------------------------------------------------------------------------------------------------ a person's memo


def test_a_person_pays_epsilon_for_each_question_and_each_wave() -> None:
    smokes, fruit = asked("0.5", ["yes", "no"]), asked(1, 5)
    mine, coins = Memo(), SeededCoins(1)
    assert mine.loss == PureDP(Fraction(0))
    reports = [mine.report(smokes, "yes", coins) for _ in range(50)]
    assert all(report == reports[0] for report in reports) and mine.loss == PureDP(HALF)
    mine.report(smokes.in_wave("2"), "yes", coins)
    mine.report(smokes.in_wave("3"), "yes", coins)
    assert mine.loss == PureDP(3 * HALF), "the value never changed, and that is not known from outside"
    mine.report(fruit, "3", coins)
    assert mine.loss == PureDP(5 * HALF)
    assert Memo().loss == PureDP(Fraction(0)), "a lost memo starts anew, and each draw is a new epsilon"


@pytest.mark.parametrize("history", [("a", "a"), ("a", "b")])
def test_what_a_memo_says_in_two_waves_follows_the_law_of_the_history(history: tuple[str, str]) -> None:
    protocol, coins, people = asked(1, ["a", "b", "c"], "1", 2), SeededCoins(5), 6000
    counts = np.zeros(9, np.int64)
    for _ in range(people):
        mine = Memo()
        reports = [
            mine.report(protocol.in_wave(wave), value, coins)["said"]
            for wave, value in zip("12", history, strict=True)
        ]
        counts[3 * reports[0] + reports[1]] += 1
    assert isinstance(protocol.randomiser, Permanent)
    places = tuple("abc".index(value) for value in history)
    law = [float(law_of(protocol.randomiser, places, pair)) for pair in product(range(3), repeat=2)]
    assert pearson(counts, np.array(law) * people).p > 1e-6
    independent = Response(ONE, 3).law(0).low
    wrong = np.array([float(p * q) for p, q in product(independent, repeat=2)])
    assert pearson(counts, wrong * people).p < 1e-6, "the test can fail"


# ------------------------------------------------------------------------------------------------ one wave, estimates


@pytest.mark.parametrize("randomiser", SMALL, ids=names)
def test_one_wave_is_the_product_of_both_channels_and_costs_less_than_either(randomiser: Permanent) -> None:
    laws = [randomiser.law(value).low for value in range(randomiser.inputs)]
    symbols = randomiser.again.values
    for value, law in enumerate(laws):
        assert list(law) == [
            sum(
                (
                    p * randomiser.again.law(kept % symbols).low[outcome % symbols]
                    for kept, p in enumerate(randomiser.kept.law(value).low)
                    if kept // symbols == outcome // symbols
                ),
                Fraction(0),
            )
            for outcome in range(randomiser.outcomes)
        ]
    worst = Discrete(laws).worst().ratio
    assert worst is not None and ln_down(worst) < min(randomiser.epsilon, randomiser.permanent)
    assert randomiser.event("q").epsilon <= randomiser.epsilon
    drawn = randomiser.numbered(randomiser.draw(np.full(100_000, 1, np.int64), SeededCoins(3)))
    expected = np.array([float(p) for p in laws[1]]) * 100_000
    assert pearson(np.bincount(drawn, minlength=randomiser.outcomes), expected).p > 1e-6


def test_shares_and_means_of_waves_are_unbiased_and_within_their_intervals() -> None:
    colours = asked(1, ["red", "blue", "green"], "1", 3)
    true = np.array([0] * 5000 + [1] * 3000 + [2] * 2000)
    shares = colours.estimate(KeyedWords(KEY, colours).reports(PEOPLE[:10_000], true), "0.999999")
    for share, estimate in zip((0.5, 0.3, 0.2), shares.estimates, strict=True):  # type: ignore[union-attr]
        assert estimate.low <= share <= estimate.high and estimate.high - estimate.low < 0.25
    ages = asked(1, Numbers(18, 100), "1", 3)
    assert isinstance(ages.randomiser, Permanent)
    for value in (0, 40, 82):
        law = ages.randomiser.law(value).low
        assert sum(p * ages.randomiser.worth(outcome) for outcome, p in enumerate(law)) == value
        second = sum(p * ages.randomiser.worth(outcome) ** 2 for outcome, p in enumerate(law))
        assert second - value**2 == ages.randomiser.variance(value)
    mean = ages.estimate(ages.randomise([20, 60] * 5000, SeededCoins(2)), "0.999999")
    assert mean.low <= 40 <= mean.high < mean.low + 30  # type: ignore[union-attr]


def test_coins_of_a_permanent_report_are_the_same_in_every_wave_and_the_wave_s_are_not() -> None:
    first, two = (
        KeyedWords(KEY, asked(1, 5, wave, 3)).words(PEOPLE[:99], np.full(99, 4)) for wave in ("1", "2")
    )
    assert (first[:, 0] == two[:, 0]).all() and not (first[:, 1] == two[:, 1]).any()
    dearer = KeyedWords(KEY, asked(2, 5, "1", 3)).words(PEOPLE[:99], np.full(99, 4))
    assert (dearer[:, 0] == first[:, 0]).all() and not (dearer[:, 1] == first[:, 1]).any()


# ------------------------------------------------------------------------------------------------ what is refused


def test_a_permanent_report_without_a_wave_or_of_many_parts_is_refused() -> None:
    with pytest.raises(BadArgument, match="local-wave"):
        asked(1, ["a", "b"], None, 3)
    with pytest.raises(BadArgument, match="local-permanent"):
        asked(1, Texts("abc", 3), "1", 3)
    with pytest.raises(BadArgument, match="local-wave"):
        asked(1, ["a", "b"], "")
    with pytest.raises(BadArgument, match="epsilon-zero"):
        asked(1, ["a", "b"], "1", 0)
    with pytest.raises(BadArgument, match="local-protocol"):
        Protocol("q", domain_of(5), Permanent(Duchi(ONE, 4), ONE), "1")


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"response", "hashing", "hadamard", "duchi"}))
def test_a_permanent_report_of_more_than_one_symbol_is_refused(name: str) -> None:
    domain = {"unary": domain_of(5), "prefixes": Texts("abc", 2)}.get(name, Numbers(0, 9))
    with pytest.raises(BadArgument, match="local-permanent") as refused:
        protocol_of("q", domain, name, ONE, "1", THREE)
    assert "hashing" in (refused.value.fix or "")


# ------------------------------------------------------------------------------------------------ hashes


def test_many_values_are_told_by_a_hash_that_a_change_of_value_does_not_change() -> None:
    protocol = asked(1, 1000, "1", 3)
    assert protocol.randomiser.name == "permanent-hashing"
    assert "can be linked" in protocol.cost and "can be linked" in odds_of(protocol)
    assert "linked" not in asked(1, 2, "1", 3).cost
    mine, coins = Memo(), SeededCoins(7)
    reports = [mine.report(protocol.in_wave(str(i)), str(i % 7), coins) for i in range(40)]
    assert len({(report["row_0"], report["row_1"]) for report in reports}) == 1
    assert len({report["said"] for report in reports}) == 4
    keyed = [
        KeyedWords(KEY, protocol.in_wave(str(i))).reports(PEOPLE[:500], np.full(500, i)) for i in range(3)
    ]
    for name in ("row_0", "row_1"):
        assert all((columns[name] == keyed[0][name]).all() for columns in keyed)
        assert len(set(keyed[0][name].tolist())) > 300, "everybody has a hash of their own"
    assert not (keyed[0]["said"] == keyed[1]["said"]).all()


def test_shares_of_many_values_are_within_their_intervals_in_a_wave() -> None:
    protocol = asked(1, 100, "1", 3)
    true = np.array([0] * 6000 + [1] * 4000)
    shares = protocol.estimate(KeyedWords(KEY, protocol).reports(PEOPLE[:10_000], true), "0.9999999")
    for place, share in ((0, 0.6), (1, 0.4), (2, 0.0), (99, 0.0)):
        estimate = shares.estimates[place]  # type: ignore[union-attr]
        assert estimate.low <= share <= estimate.high and estimate.high - estimate.low < 0.35


def test_the_number_of_rows_is_the_best_for_a_wave() -> None:
    best = best_hashing(ONE, 100, THREE)
    variances = [
        rare_variance(randomiser.holds, randomiser.others)
        for randomiser in (Permanent(Hashing(THREE, 100, rows), ONE) for rows in range(1, 9))
    ]
    assert rare_variance(best.holds, best.others) == min(variances)
    unary_at_half = (
        Fraction(1, 4) / (Fraction(453, 1000) * Fraction(245, 1000)) ** 2
    )  # two bits at epsilon / 2, roughly
    assert min(variances) < unary_at_half / 3, "why there is no permanent unary encoding"


@pytest.mark.parametrize("domain", [["a", "b"], Numbers(0, 9), 100])
def test_the_header_of_a_wave_is_read_back_and_nothing_else_is(domain: object) -> None:
    protocol = asked(1, domain, "2026", 3)
    header = protocol.as_json()
    assert protocol_from_json(header) == protocol and header["wave"] == "2026"
    assert "wave" not in asked(1, domain).as_json(), "one-off reports have the header they always had"
    parameters = header["parameters"]
    assert isinstance(parameters, dict)
    for wrong in (
        {**header, "wave": 3},
        {**header, "protocol": "response"},
        {**header, "format": True},
        {**header, "parameters": {**parameters, "wave_lie": "5"}},
        {**header, "parameters": {**parameters, "permanent": "4"}},
    ):
        with pytest.raises(BadArgument, match="local-header"):
            protocol_from_json(wrong)


def test_a_person_s_own_value_is_in_no_error() -> None:
    ages = asked(1, Numbers(18, 100))
    for value in ("kanarienvogel", float("nan"), None):
        with pytest.raises(BadArgument, match="local-number") as caught:
            Memo().report(ages, value)
        assert str(value) not in str(caught.value)
    assert ages.places([10**300, -(10**300)]).tolist() == [82, 0]
    assert protocol_of("q", Numbers(0, 9), "duchi", ONE, "1", ONE).places([3]).tolist() == [3]
