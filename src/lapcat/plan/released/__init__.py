"""Released tables and post-processing: noisy numbers as rows and columns, and what is computed from them at no cost.

after.py       HAVING, DISTINCT, ORDER BY, OFFSET, LIMIT as a value
table.py       cells and keys as rows and columns
vectors.py     expressions over whole columns
enclosures.py  interval arithmetic over whole columns
computed.py    the estimates of all columns, including those computed from several aggregates
"""

from lapcat.plan.released.after import AS_IT_IS, After, Order
from lapcat.plan.released.table import Field, ReleasedTable, tabulate

__all__ = ["AS_IT_IS", "After", "Field", "Order", "ReleasedTable", "tabulate"]
