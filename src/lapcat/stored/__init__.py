"""How values are written where they outlive the process: what they are called there never depends on Python's names.

    forms         the tag and the fields of a plan's nodes, in the order in which they are stored
    digest        the identity of a question: the digest of its stored form
    scopes        what a budget is booked under in a ledger
    declarations  the keys under which an accepted catalogue is kept

What is written here is read for ever (tests/stored keeps what each version wrote): a class or a field may be renamed, its
tag and its place in the form may not.
"""
