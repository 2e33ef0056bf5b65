"""The table of planted bugs, as `make mutants` prints it below the tests that have caught them."""

from __future__ import annotations

from lapcat.testing.mutants import MUTANTS


def table() -> str:
    """One line for each: its name, what is wrong, and the test that catches it."""
    rows = [("mutant", "what", "caught by"), *((m.name, m.what, m.caught_by) for m in MUTANTS)]
    first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
    return "\n".join(f"{name:<{first}}  {what:<{second}}  {test}" for name, what, test in rows)


if __name__ == "__main__":
    print(table())
