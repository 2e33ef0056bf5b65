"""Intervals of every kind, with one question each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lapcat.audit.deployment.check import Check
from lapcat.audit.deployment.copies import copied, with_null
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.margins.added_up import added_up
from lapcat.audit.deployment.margins.choices import choices
from lapcat.audit.deployment.margins.strategies import strategies
from lapcat.audit.deployment.margins.sums import sums


def margins(family: Family, folder: Path) -> Iterator[Check]:
    """Checks the coverage of all kinds of intervals."""
    copy = copied(family, with_null(family), folder)
    try:
        for checks in (sums, strategies, choices, added_up):
            yield from checks(copy)
    finally:
        copy.remove()
