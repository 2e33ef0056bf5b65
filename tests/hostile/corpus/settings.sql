SET threads = 1
SET GLOBAL enable_external_access = true
SET VARIABLE x = (SELECT MAX(cost) FROM visits)
RESET lock_configuration
RESET GLOBAL memory_limit
PRAGMA database_list
PRAGMA table_info('visits')
PRAGMA enable_profiling = 'json'
SET SESSION AUTHORIZATION steward
SET ROLE steward
SET search_path = 'vault'
SHOW ALL
SELECT current_setting('memory_limit')
SELECT COUNT(*) FROM duckdb_settings()
SELECT COUNT(*) FROM visits WHERE current_setting('threads') = '2'
SELECT COUNT(*) FROM visits WHERE set_config('threads', '1', false) = '1'
SELECT COUNT(*) FROM visits WHERE note = getvariable('x')
