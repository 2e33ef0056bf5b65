"""Released tables and post-processing: noisy numbers as rows and columns, and what is computed from them at no cost.

after.py           HAVING, QUALIFY, DISTINCT, ORDER BY, OFFSET, LIMIT as a value
table.py           cells and keys as rows and columns
vectors.py         expressions over whole columns
enclosures.py      interval arithmetic over whole columns
computed.py        the estimates of all columns, including those computed from several aggregates
derived.py         which columns derived from others are public, and which have an interval
real_functions.py  SQRT, LN, EXP, POWER and the like
windowed.py        window functions
ends.py            estimates as enclosures, and back
"""

from lapcat.plan.released.after import AS_IT_IS, After
from lapcat.plan.released.table import Field, ReleasedTable, tabulate
from lapcat.plan.windows import Order

__all__ = ["AS_IT_IS", "After", "Field", "Order", "ReleasedTable", "tabulate"]
