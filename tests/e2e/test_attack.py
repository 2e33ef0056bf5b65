"""`lapcat attack` as a user or a script meets it."""

from __future__ import annotations

from tests.e2e.kit import Desk


def test_pictures_and_json_of_the_command(desk: Desk) -> None:
    done = desk.here("attack", "membership", "--json")
    assert done.code == 0 and done.json()["broken"] == [] and done.json()["attacks"][0]["held"] is True
    wrong = desk.here("attack", "phrenology")
    assert wrong.code == 2 and "differencing" in wrong.err
    both = desk.here("attack", "--epsilon", "1", "-c", "lapcat.toml")
    assert both.code == 2
