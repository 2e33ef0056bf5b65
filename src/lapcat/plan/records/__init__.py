"""All records that a question can tell apart, as points of a finite space."""
