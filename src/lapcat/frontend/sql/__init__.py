"""SQL text → the question it asks. Every clause is consumed, or refused with its place, the rule and a rewrite."""

from lapcat.frontend.sql.statement import understand

__all__ = ["understand"]
