"""Test-only tools: seeded coins, access to exact results, and mutants (planted bugs). Nothing else under src imports it."""
