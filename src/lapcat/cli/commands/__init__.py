"""The commands, one per file; app.py lists them."""
