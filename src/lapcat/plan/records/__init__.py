"""The records that a question's conditions can distinguish, as points of a finite space, and searches over it."""
