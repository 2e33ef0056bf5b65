"""Spark, which reads tables of its catalogue and folders of Parquet files."""
