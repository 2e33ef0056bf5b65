"""Front-ends: the SQL binder (`sql`), the Python query builder (`frame`) and the reader of lapcat.toml (`catalogue`).

They translate text into plans and catalogues, or refuse it with the place, the reason and a fix. No row is read here.
"""
