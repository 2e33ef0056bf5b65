"""SQL binder: translates a SELECT, parsed by SQLGlot, into a query plan.

Every clause is consumed, or refused with its place, the rule and a rewrite.
"""

from lapcat.frontend.sql.statement import understand

__all__ = ["understand"]
