"""Serialisation of everything that outlives the process. Stored names never depend on Python's names.

    forms         the tag and the fields of a plan's nodes, in the order in which they are stored
    digest        the identity of a question: the digest of its stored form
    scopes        the names of budgets in a ledger
    declarations  the keys of an accepted catalogue

All later versions must read what is written here (tests/stored keeps examples of each version): a class or a field may be
renamed, its tag and its position in the form may not.
"""
