"""`python -m lapcat.cli` is `lapcat`."""

from lapcat.cli import main

main()
