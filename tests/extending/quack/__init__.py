"""An engine from outside: DuckDB under another name, with a dialect of its own. Sources are Parquet files, quack:staff.parquet."""
