"""Coins from a secret key: the same person, question, wave and value report alike, and nothing else does."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lapcat.errors import BadArgument
from lapcat.local import Hybrid, KeyedWords, Numbers, Protocol, Response, Unary, Values
from lapcat.local.domain import domain_of
from tests.laws.chi_square import pearson

KEY = bytes(range(32))
PEOPLE = [f"person {i}" for i in range(2000)]


def test_encoding_again_adds_nothing_whoever_else_is_there() -> None:
    values = np.arange(2000) % 7
    coins = KeyedWords(KEY, Protocol("colour", domain_of(7), Response(Fraction(1), 7)))
    first = coins.reports(PEOPLE, values)["said"]
    assert (coins.reports(PEOPLE, values)["said"] == first).all()
    turned = coins.reports(PEOPLE[::-1], values[::-1])["said"][::-1]
    assert (turned == first).all()
    assert (coins.reports(PEOPLE[7:9], values[7:9])["said"] == first[7:9]).all()


def words(
    key: bytes, question: str, randomiser: Response, person: str, value: int, **more: str
) -> tuple[int, ...]:
    protocol = Protocol(question, domain_of(randomiser.values), randomiser, **more)
    return tuple(KeyedWords(key, protocol).words([person], np.array([value]))[0].tolist())


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
        words(KEY, "smokes", Response(Fraction(1)), "ann", 1, wave="1"),
        words(KEY, "smokes", Response(Fraction(1)), "ann", 1, wave="2"),
    }
    assert len(others) == 8 and base not in others


def test_two_lists_of_values_have_no_coins_in_common() -> None:
    """As many values, other ones, or in another order: with the same coins two reports would be one riddle."""
    lists = (("yes", "no"), ("no", "yes"), ("red", "blue"))
    drawn = {
        KeyedWords(KEY, Protocol("q", Values(texts, texts[0]), Response(Fraction(1)))).words(
            ["ann"], np.array([1])
        )[0, 0]
        for texts in lists
    }
    assert len(drawn) == len(lists)


def test_the_order_of_a_file_is_another_in_each_wave_and_does_not_depend_on_values() -> None:
    asked = Protocol("q", domain_of(2), Response(Fraction(1)))
    first, second = KeyedWords(KEY, asked).order(PEOPLE), KeyedWords(KEY, asked.in_wave("2")).order(PEOPLE)
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(2000))
    assert (first == KeyedWords(KEY, asked).order(PEOPLE)).all()
    for order, other in ((first, np.arange(2000)), (first, second)):
        assert (order == other).mean() < 0.01 and abs(np.corrcoef(order, other)[0, 1]) < 0.1


def test_keyed_reports_follow_the_law() -> None:
    randomiser = Hybrid(Fraction(1), 10)
    people = [str(i) for i in range(60_000)]
    reports = KeyedWords(KEY, Protocol("x", Numbers(0, 10), randomiser)).reports(people, np.full(60_000, 4))[
        "said"
    ]
    law = np.array([float(p) for p in randomiser.law(4).low])
    groups = np.cumsum(law * 60_000) // 300
    _, group = np.unique(groups, return_inverse=True)
    counts = np.bincount(group, np.bincount(reports, minlength=len(law))).astype(np.int64)
    assert pearson(counts, np.bincount(group, law * 60_000)).p > 1e-6


def test_many_words_are_all_different() -> None:
    asked = Protocol("x", domain_of(101), Unary(Fraction(1), 101))
    drawn = KeyedWords(KEY, asked).words(PEOPLE, np.zeros(2000, np.int64))
    assert drawn.shape == (2000, 101) and len(np.unique(drawn)) == drawn.size


def test_a_key_of_another_length_is_refused_and_never_shown() -> None:
    asked = Protocol("x", domain_of(2), Response(Fraction(1)))
    with pytest.raises(BadArgument, match="local-key"):
        KeyedWords(b"short", asked)
    assert KEY.hex() not in repr(KeyedWords(KEY, asked)) and "key" not in repr(KeyedWords(KEY, asked))
