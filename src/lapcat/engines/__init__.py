"""Query backends: a reference interpreter of plans, a SQL generator, and the engines that run the SQL over snapshots.

DuckDB reads files, PostgreSQL and Spark read their own tables. Every engine is tested against the reference interpreter.
"""
