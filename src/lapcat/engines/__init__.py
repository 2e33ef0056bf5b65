"""Where rows are read: the executable specification, the SQL that says the same, and the engines that run it."""
