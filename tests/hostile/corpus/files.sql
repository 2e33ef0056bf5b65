SELECT COUNT(*) FROM 'secrets.csv'
SELECT COUNT(*) FROM "secrets.parquet"
FROM 'secrets.csv'
SELECT COUNT(*) FROM 'visits.parquet' WHERE email LIKE 'a%'
SELECT COUNT(*) FROM 'lapcat.cache/*.parquet'
SELECT COUNT(*) FROM read_csv('secrets.csv')
SELECT COUNT(*) FROM read_csv_auto('secrets.csv', header = true)
SELECT content FROM read_text('/etc/passwd')
SELECT COUNT(*) FROM read_blob('secrets.csv')
SELECT COUNT(*) FROM read_json('secrets.csv')
SELECT COUNT(*) FROM read_ndjson_objects('secrets.csv')
SELECT COUNT(*) FROM parquet_scan('secrets.parquet')
SELECT COUNT(*) FROM read_parquet(['visits.parquet', 'secrets.parquet'], filename = true)
SELECT stats_min, stats_max FROM parquet_metadata('visits.parquet')
SELECT COUNT(*) FROM parquet_schema('visits.parquet')
SELECT COUNT(*) FROM parquet_bloom_probe('visits.parquet', 'note', 'x')
SELECT COUNT(*) FROM sniff_csv('secrets.csv')
SELECT COUNT(*) FROM glob('*')
SELECT COUNT(*) FROM 'http://127.0.0.1:PORT/rows.parquet'
SELECT COUNT(*) FROM read_csv('http://127.0.0.1:PORT/rows.csv') AS t
SELECT COUNT(*) FROM iceberg_scan('s3://bucket/table', allow_moved_paths = true)
SELECT COUNT(*) FROM sqlite_scan('lapcat.ledger', 'entries')
SELECT COUNT(*) FROM postgres_scan('host=127.0.0.1 port=PORT', 'public', 'visits')
SELECT COUNT(*) FROM '/proc/self/environ'
SELECT COUNT(*) FROM visits, read_csv('secrets.csv') AS s WHERE s.line = visits.note
SELECT COUNT(*) FROM visits LEFT JOIN 'secrets.csv' AS s ON s.line = visits.note
SELECT COUNT(*) FROM visits WHERE note IN (SELECT line FROM 'secrets.csv')
SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM read_text('secrets.csv'))
SELECT COUNT(*) FROM visits WHERE cost > (SELECT COUNT(*) FROM glob('/home/*'))
WITH s AS (SELECT * FROM read_csv('secrets.csv')) SELECT COUNT(*) FROM visits JOIN s ON s.line = visits.note
SELECT COUNT(*) FROM (SELECT note FROM visits UNION ALL SELECT line FROM 'secrets.csv')
COPY (SELECT * FROM visits) TO 'stolen.csv'
COPY visits TO 'stolen.parquet' (FORMAT parquet)
COPY visits FROM 'secrets.csv'
COPY FROM DATABASE memory TO stolen
EXPORT DATABASE 'stolen'
IMPORT DATABASE 'stolen'
SELECT COUNT(*) INTO OUTFILE 'stolen.csv' FROM visits
SELECT COUNT(*) FROM visits WHERE LOAD_FILE('/etc/passwd') = note
