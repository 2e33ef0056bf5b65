"""The clause of options: read exactly, blanked in its place, refused anywhere else."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapcat
from lapcat.frontend.sql.contributions import split_contributions
from lapcat.frontend.sql.options import Options, split

ALL = """\
-- SELECT WITH ANONYMIZATION OPTIONS(epsilon=9)
SELECT /* here */ WITH differential_privacy
  OPTIONS (epsilon = .5, delta=1e-7, -- comma, )
    privacy_unit_column = v."person id", max_groups_contributed=2, max_rows_contributed = 3,)
  kind, 'WITH ANONYMIZATION OPTIONS(epsilon=1)', COUNT(*) FROM visits v GROUP BY kind"""


def test_every_option_is_read_exactly() -> None:
    _, options = split(ALL)
    assert options.epsilon == Fraction(1, 2) and options.delta == Fraction(1, 10**7)
    assert options.privacy_unit_column == "person id"
    assert (options.max_groups_contributed, options.max_rows_contributed) == (2, 3)


def test_options_of_older_and_newer_dialects_are_read() -> None:
    _, options = split("SELECT WITH ANONYMIZATION OPTIONS(kappa=2, group_selection_strategy=public_groups) 1")
    assert (options.max_groups_contributed, options.group_selection_strategy) == (2, "PUBLIC_GROUPS")


def test_the_rest_stays_where_it_was() -> None:
    read, _ = split(ALL)
    assert len(read) == len(ALL) and read.count("\n") == ALL.count("\n")
    assert [i for i, c in enumerate(read) if c == "\n"] == [i for i, c in enumerate(ALL) if c == "\n"]
    behind = ALL.index("  kind,")
    assert read[behind:] == ALL[behind:] and read.startswith(ALL[: ALL.index("WITH differential")])
    assert "epsilon" not in read[ALL.index("SELECT /*") : behind]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM staff",
        "WITH anonymization AS (SELECT age FROM staff) SELECT COUNT(*) FROM anonymization",
        "SELECT 'SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1)' FROM staff",
        "SELECT COUNT(*) FROM staff -- WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1)",
        'SELECT COUNT(*) AS "WITH DIFFERENTIAL_PRIVACY OPTIONS(" FROM staff',
        "SELECT 'open",
        "",
    ],
)
def test_a_text_without_the_clause_is_left_alone(text: str) -> None:
    assert split(text) == (text, Options())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT WITH ANONYMIZATION OPTIONS(epsilon=2) COUNT(*) FROM staff",
        "WITH old AS (SELECT age FROM staff) SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=2.0) COUNT(*) FROM old",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=2.) COUNT(*) FROM staff UNION ALL SELECT 1",
    ],
)
def test_the_clause_stands_behind_the_outermost_select(text: str) -> None:
    read, options = split(text)
    assert options.epsilon == 2 and "OPTIONS" not in read and "COUNT(*) FROM" in read


def test_the_clause_may_say_nothing() -> None:
    for text in ("SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) FROM t", "SELECT WITH ANONYMIZATION OPTIONS() 1"):
        read, options = split(text)
        assert options == Options() and "WITH" not in read


DP = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS"
REFUSED = [
    (f"{DP}(epsilom=1) COUNT(*) FROM t", "option-unknown", "epsilom"),
    (f"{DP}(group_selection_strategy=ALL) 1", "option-value", "ALL"),
    (f"{DP}(max_groups_contributed=1, kappa=1) 1", "option-twice", "kappa"),
    (f"{DP}(epsilon=1, delta=1e-6, EPSILON=1) 1", "option-twice", "EPSILON"),
    (f"{DP}(epsilon=0) 1", "option-value", "0"),
    (f"{DP}(epsilon=-1) 1", "option-value", "-1"),
    (f"{DP}(epsilon='1') 1", "option-value", "'1'"),
    (f"{DP}(epsilon=1/10) 1", "option-value", "1/10"),
    (f"{DP}(epsilon=(SELECT 1)) 1", "option-value", "(SELECT 1)"),
    (f"{DP}(epsilon=inf) 1", "option-value", "inf"),
    (f"{DP}(delta=1) 1", "option-value", "1"),
    (f"{DP}(max_groups_contributed=2.5) 1", "option-value", "2.5"),
    (f"{DP}(max_rows_contributed=NULL) 1", "option-value", "NULL"),
    (f"{DP}(max_rows_contributed=0) 1", "option-value", "0"),
    (f"{DP}(privacy_unit_column=a+b) 1", "option-value", "a+b"),
    (f"{DP}(privacy_unit_column='id') 1", "option-value", "'id'"),
    (f"{DP}(epsilon) 1", "options-syntax", "epsilon"),
    (f"{DP}(epsilon=) 1", "options-syntax", "epsilon"),
    (f"{DP}(,) 1", "options-syntax", ","),
    (f"{DP} epsilon=1 1", "options-syntax", "OPTIONS"),
    (f"{DP}(epsilon=1", "options-syntax", "epsilon"),
    (f"{DP}(", "options-syntax", "("),
    (f"SELECT COUNT(*) FROM ({DP}(epsilon=1) age FROM t)", "options-place", "WITH DIFFERENTIAL_PRIVACY"),
    ("SELECT DISTINCT WITH ANONYMIZATION OPTIONS(epsilon=1) a", "options-place", "WITH ANONYMIZATION"),
    ("SELECT 1\nUNION ALL\nSELECT WITH ANONYMIZATION b", "options-place", "WITH ANONYMIZATION"),
    (f"{DP}(epsilon=1) 1 UNION ALL {DP}(epsilon=1) 2", "options-place", "WITH DIFFERENTIAL_PRIVACY"),
]


@pytest.mark.parametrize(("text", "code", "under"), REFUSED)
def test_what_cannot_be_meant_is_refused_with_its_place(text: str, code: str, under: str) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        split(text)
    error = refusal.value
    assert error.code == code and error.fix and error.place is not None
    line = text.splitlines()[error.place.line - 1]
    assert line[error.place.column - 1 :][: error.place.length] == under


def test_the_price_is_the_question_s_or_the_call_s_but_not_two() -> None:
    options = split(f"{DP}(epsilon=0.5, delta=1e-7) 1")[1]
    half, tiny = Fraction(1, 2), Fraction(1, 10**7)
    assert options.price(None, None, otherwise=False) == (half, tiny)
    assert options.price("0.5", None, otherwise=False) == ("0.5", tiny)
    assert options.price(0.5, "1e-7", otherwise=False) == (0.5, "1e-7")
    assert Options().price(None, None, otherwise=True) == (None, None)
    assert Options().price("0.3", None, otherwise=False) == ("0.3", None)
    for epsilon, delta, otherwise in (("0.4", None, False), (None, "1e-6", False), (None, None, True)):
        with pytest.raises(lapcat.BadArgument) as refusal:
            options.price(epsilon, delta, otherwise=otherwise)
        assert refusal.value.code == "price-twice" and refusal.value.place is not None


PIECES = """SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ( ) , = => epsilon delta privacy_unit_column 1 .5 1e-7 1e999999999
- * x "y" 'z' ANON_SUM SUM CLAMPED BETWEEN AND contribution_bounds_per_group max_rows_contributed FROM -- /* */ '"""


@given(st.lists(st.sampled_from([*PIECES.split(), "\n"]), max_size=25))
def test_no_text_breaks_the_readers(pieces: list[str]) -> None:
    text = " ".join(pieces)
    try:
        read, _ = split(text)
        read, _ = split_contributions(read)
    except lapcat.BadQuery as error:
        assert error.fix
    else:
        assert len(read) == len(text)
