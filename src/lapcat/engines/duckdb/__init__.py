"""DuckDB, which reads files: text, Parquet, SQLite and DuckDB, and data frames."""
