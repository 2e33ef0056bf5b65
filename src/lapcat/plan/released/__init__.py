"""What has left: the released table, and what is computed of it at no cost.

after.py       HAVING, DISTINCT, ORDER BY, OFFSET, LIMIT as a value
table.py       cells and keys as rows and columns
vectors.py     expressions over whole columns
enclosures.py  interval arithmetic over whole columns
computed.py    the estimates of all columns, also of those computed of several aggregates
"""

from lapcat.plan.released.after import AS_IT_IS, After, Order
from lapcat.plan.released.table import Field, ReleasedTable, tabulate

__all__ = ["AS_IT_IS", "After", "Field", "Order", "ReleasedTable", "tabulate"]
