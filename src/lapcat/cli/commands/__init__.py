"""One file per command; app.py names them."""
