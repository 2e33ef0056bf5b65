"""Prints docs/reference/errors.md."""

from lapcat.story.error_codes import ALL_CODES, as_markdown

print(as_markdown(ALL_CODES), end="")
