"""Composition theorems: the total privacy loss of several releases. One module per theorem; `compose` quotes the smallest.

An accountant returns None for releases that its theorem does not cover. Those in ACCOUNTANTS are always consulted.
Privacy loss distributions need the extra `lapcat[accounting]` and are consulted only on request, so no figure depends on
what happens to be installed.
"""

from lapcat.accounting.base import Accountant, Quote, RepeatedRelease
from lapcat.accounting.compose import ACCOUNTANTS, Composed, compose
from lapcat.accounting.filters import PrivacyFilter

__all__ = ["ACCOUNTANTS", "Accountant", "Composed", "PrivacyFilter", "Quote", "RepeatedRelease", "compose"]
