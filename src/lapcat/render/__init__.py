"""What lapcat knows, told to people."""
