"""Charts as text: SVG and Unicode block characters, from plain numbers. Standard library only."""
