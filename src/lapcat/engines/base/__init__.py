"""What engines share.

engine.py       what a question needs of an engine
backend.py      what a backend offers besides; sources.py, snapshots.py, cache_folder.py and public_columns.py are parts of it
dialect.py      what differs between the SQL of engines
words.py        constructors of SQLGlot nodes; no analyst text is ever pasted into a statement
relation.py     relations: the sources and snapshots that statements read
expressions.py  a plan's expressions as SQL, grids.py those on a grid
weights.py      contributions of weighted rows, computed or precomputed in a snapshot
rows.py         a plan's rows as steps of WITH
statement.py    a plan as one statement: bounded integer sums per cell; cells.py arranges its result
steward.py      the steward's statements: snapshots with the contribution index, and checks against the catalogue
"""
