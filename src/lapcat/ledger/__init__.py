"""The privacy budget ledger: append-only, hash-chained debits, each durable before a row is read. Start with base.py."""

from lapcat.ledger.base import Charge, Debit, Entry, Ledger, Request, Spent
from lapcat.ledger.filters import affordable, left
from lapcat.ledger.ledger import SQLLedger
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.ledger.store_urls import ledger_at

__all__ = [
    "Charge",
    "Debit",
    "Entry",
    "Ledger",
    "Request",
    "SQLLedger",
    "SQLiteLedger",
    "Spent",
    "affordable",
    "ledger_at",
    "left",
]
