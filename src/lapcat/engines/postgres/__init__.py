"""PostgreSQL, which reads its own tables."""
