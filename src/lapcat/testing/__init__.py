"""Tools for tests only: seeded coins, a way to look at exact figures, planted bugs. Nothing else under src imports it."""
