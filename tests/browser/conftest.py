"""One browser and one collector for all tests of the survey page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.chromium import Browser, started
from tests.browser.collector import Collector, collecting
from tests.debian import Missing


@pytest.fixture(scope="session")
def window() -> Iterator[Browser]:
    try:
        with started() as browser:
            yield browser
    except Missing as problem:
        pytest.skip(str(problem))


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as server:
        yield server


@pytest.fixture
def browser(window: Browser) -> Iterator[Browser]:
    """Somebody who was never here."""
    window.open("about:blank")
    window.requests()
    yield window
    window.offline(False)
