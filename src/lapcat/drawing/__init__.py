"""Pictures as text: SVG and rows of block characters, from plain numbers. The standard library alone."""
