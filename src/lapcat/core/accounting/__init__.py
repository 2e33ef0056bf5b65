"""What several releases cost together: one file per theorem, and one name in the tuple. `compose` quotes the least.

An accountant may say nothing (None) of releases that its theorem does not cover. Those in ACCOUNTANTS are always
asked; privacy loss distributions need the extra `lapcat[accounting]` and are asked only on request, so that no figure
depends on what happens to be installed.
"""

from lapcat.core.accounting.advanced import advanced
from lapcat.core.accounting.base import Accountant, Quote, RepeatedRelease
from lapcat.core.accounting.basic import basic
from lapcat.core.accounting.compose import Composed, compose
from lapcat.core.accounting.filters import PrivacyFilter
from lapcat.core.accounting.renyi import renyi
from lapcat.core.accounting.zcdp import epsilon_of_zcdp, zcdp

ACCOUNTANTS: tuple[Accountant, ...] = (basic, advanced, zcdp, renyi)

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "Composed",
    "PrivacyFilter",
    "Quote",
    "RepeatedRelease",
    "compose",
    "epsilon_of_zcdp",
]
