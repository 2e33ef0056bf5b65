"""Few places for what is chosen: how far a unit moves their counts does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lapcat.plan import choices


@pytest.fixture(autouse=True, scope="module")
def few_places() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choices, "MAX_PLACES", 2**6)
        patch.setattr(choices, "MIN_PLACES", 2**6)
        yield
