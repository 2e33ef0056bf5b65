"""Transcripts of the installed command: what is typed, the exit code, standard output, standard error."""
