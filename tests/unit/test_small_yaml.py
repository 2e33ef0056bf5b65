"""The YAML of metadata files: read exactly, or refused with the line."""

from __future__ import annotations

from decimal import Decimal

import pytest

import lapcat
from lapcat.cli.small_yaml import read_yaml


def test_mappings_scalars_quotes_and_comments() -> None:
    text = """\
---
# a comment: with a colon
'': # the schema has no name
    "a \\"b\\"":   'it''s # no comment'
    Kind of visit: plain text   # a comment
    url: http://host:80/#part
    empty:
    nothing: ~
    numbers:
      a: 0.1
      b: -5
      c: 1e3
      d: "7"
      e: 010
    truths:
      a: True
      b: no
top: .5
"""
    assert read_yaml(text) == {
        "": {
            'a "b"': "it's # no comment",
            "Kind of visit": "plain text",
            "url": "http://host:80/#part",
            "empty": None,
            "nothing": None,
            "numbers": {"a": Decimal("0.1"), "b": Decimal(-5), "c": Decimal(1000), "d": "7", "e": "010"},
            "truths": {"a": True, "b": False},
        },
        "top": Decimal("0.5"),
    }
    assert read_yaml("") == read_yaml("# nothing\n\n") == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a:\n  - b", 2),
        ("a: [1, 2]", 1),
        ("a: {b: c}", 1),
        ("a: &anchor 1", 1),
        ("a: !!int 1", 1),
        ("a: |\n  long", 1),
        ("a: 'open", 1),
        ("a:\n\tb: 1", 2),
        ("a: 1\nb", 2),
        ("a: 1\n  b: 2", 2),
        ("a:\n    b: 1\n  c: 2", 3),
        ("a: 1\n# x\na: 2", 3),
        ("a: {}", 1),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        read_yaml(text)
    assert refusal.value.code == "yaml-syntax" and refusal.value.fix
    assert refusal.value.place is not None and refusal.value.place.line == line
