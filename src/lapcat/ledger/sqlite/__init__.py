"""The ledger in one SQLite file.

connection.py is all that is used of SQLite; opening.py and store.py make a file durable; schema.py, entries.py and rows.py
know its tables; ledger.py is the ledger.
"""

from lapcat.ledger.sqlite.ledger import SQLiteLedger

__all__ = ["SQLiteLedger"]
