"""The trusted core: exact arithmetic, randomness, samplers, mechanisms, privacy accounting and the release gate."""
