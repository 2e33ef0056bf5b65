"""The mechanisms of SQL questions, on integers: one module each, one line in `registry.py`. tests/laws checks them all."""
