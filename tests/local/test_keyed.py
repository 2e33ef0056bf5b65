"""Coins from a secret key: the same person, question and value report alike, and nothing else does."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lapcat.core.loss import PureDP
from lapcat.errors import BadArgument
from lapcat.local import Hybrid, KeyedWords, Memo, Response, Unary, choose
from lapcat.testing.coins import SeededCoins
from tests.laws.chi_square import pearson

KEY = bytes(range(32))
PEOPLE = [f"person {i}" for i in range(2000)]


def test_encoding_again_adds_nothing_whoever_else_is_there() -> None:
    values = np.arange(2000) % 7
    coins = KeyedWords(KEY, "colour", Response(Fraction(1), 7))
    first = coins.reports(PEOPLE, values)["said"]
    assert (coins.reports(PEOPLE, values)["said"] == first).all()
    turned = coins.reports(PEOPLE[::-1], values[::-1])["said"][::-1]
    assert (turned == first).all()
    assert (coins.reports(PEOPLE[7:9], values[7:9])["said"] == first[7:9]).all()


def words(key: bytes, question: str, randomiser: Response, person: str, value: int) -> tuple[int, ...]:
    return tuple(KeyedWords(key, question, randomiser).words([person], np.array([value]))[0].tolist())


def test_another_key_question_protocol_person_or_value_has_other_coins() -> None:
    """Were the coins of two epsilons alike, a pair of reports could give the value away."""
    base = words(KEY, "smokes", Response(Fraction(1)), "ann", 1)
    assert base == words(KEY, "smokes", Response(Fraction(1)), "ann", 1)
    others = {
        words(bytes(32), "smokes", Response(Fraction(1)), "ann", 1),
        words(KEY, "drinks", Response(Fraction(1)), "ann", 1),
        words(KEY, "smokes", Response(Fraction(2)), "ann", 1),
        words(KEY, "smokes", Response(Fraction(1), 3), "ann", 1),
        words(KEY, "smokes", Response(Fraction(1)), "bob", 1),
        words(KEY, "smokes", Response(Fraction(1)), "ann", 0),
    }
    assert len(others) == 6 and base not in others


def test_keyed_reports_follow_the_law() -> None:
    randomiser = Hybrid(Fraction(1), 10)
    people = [str(i) for i in range(60_000)]
    said = KeyedWords(KEY, "x", randomiser).reports(people, np.full(60_000, 4))["said"]
    law = np.array([float(p) for p in randomiser.law(4).low])
    groups = np.cumsum(law * 60_000) // 300
    _, group = np.unique(groups, return_inverse=True)
    counts = np.bincount(group, np.bincount(said, minlength=len(law))).astype(np.int64)
    assert pearson(counts, np.bincount(group, law * 60_000)).p > 1e-6


def test_many_words_are_all_different() -> None:
    found = KeyedWords(KEY, "x", Unary(Fraction(1), 101)).words(PEOPLE, np.zeros(2000, np.int64))
    assert found.shape == (2000, 101) and len(np.unique(found)) == found.size


def test_a_key_of_another_length_is_refused_and_never_shown() -> None:
    with pytest.raises(BadArgument, match="local-key"):
        KeyedWords(b"short", "x", Response(Fraction(1)))
    assert KEY.hex() not in repr(KeyedWords(KEY, "x", Response(Fraction(1)))) and "key" not in repr(
        KeyedWords(KEY, "x", Response(Fraction(1)))
    )


def test_a_person_pays_for_each_distinct_value_and_no_more() -> None:
    smokes = choose(domain=["yes", "no"], epsilon="0.5", question="smokes").protocol
    fruit = choose(domain=5, epsilon=1, question="fruit").protocol
    mine, coins = Memo(), SeededCoins(1)
    assert mine.loss == PureDP(Fraction(0))
    reports = [mine.report(smokes, "yes", coins) for _ in range(50)]
    assert all(report == reports[0] for report in reports) and mine.loss == PureDP(Fraction(1, 2))
    mine.report(smokes, "no", coins)
    mine.report(fruit, "3", coins)
    assert mine.loss == PureDP(Fraction(2))
    assert Memo().loss == PureDP(Fraction(0)), "a lost memo starts anew, and each draw is a new epsilon"
