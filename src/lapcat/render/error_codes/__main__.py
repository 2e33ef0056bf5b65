"""Prints docs/reference/errors.md."""

from lapcat.render.error_codes import ALL_CODES, as_markdown

print(as_markdown(ALL_CODES), end="")
