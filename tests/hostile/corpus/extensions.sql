INSTALL httpfs
FORCE INSTALL spatial FROM 'http://127.0.0.1:PORT'
LOAD httpfs
LOAD '/tmp/evil.duckdb_extension'
UPDATE EXTENSIONS
SELECT COUNT(*) FROM duckdb_extensions()
CREATE EXTENSION dblink
SELECT COUNT(*) FROM dblink('host=127.0.0.1 port=PORT', 'SELECT 1') AS t(x int)
SELECT COUNT(*) FROM visits WHERE install_extension('httpfs')
