"""Composition theorems: the total privacy loss of several releases. One module per theorem; `compose` quotes the smallest.

An accountant returns None for releases that its theorem does not cover. Those in ACCOUNTANTS are always consulted.
Privacy loss distributions need the extra `lapcat[accounting]` and are consulted only on request, so no figure depends on
what happens to be installed.
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
