ATTACH 'other.db'
ATTACH 'other.db' AS other (READ_ONLY)
ATTACH 'host=127.0.0.1 port=PORT' AS pg (TYPE postgres)
ATTACH OR REPLACE ':memory:' AS memory
DETACH memory
USE other
SELECT COUNT(*) FROM information_schema.tables
SELECT COUNT(*) FROM information_schema.columns WHERE table_name = 'vault'
SELECT COUNT(*) FROM pg_catalog.pg_class
SELECT COUNT(*) FROM sqlite_master
SELECT COUNT(*) FROM sqlite_schema AS s
SELECT COUNT(*) FROM duckdb_tables()
SELECT COUNT(*) FROM duckdb_secrets(redact = false)
SELECT COUNT(*) FROM other.visits
SELECT COUNT(*) FROM memory.main.visits
SELECT COUNT(*) FROM "memory"."main"."held"
SELECT COUNT(*) FROM db0.main.visits
SELECT COUNT(*) FROM pragma_storage_info('visits')
SELECT COUNT(*) FROM pragma_table_info('visits') WHERE name = 'email'
SELECT COUNT(*) FROM duckdb_temporary_files()
SELECT COUNT(*) FROM visits WHERE current_database() = 'memory'
SELECT COUNT(*) FROM visits WHERE current_schemas(true) IS NOT NULL
SELECT COUNT(*) FROM visits WHERE memory.main.visits.cost > 3
SELECT COUNT(*) FROM visits WHERE has_table_privilege('vault', 'select')
