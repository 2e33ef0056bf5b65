SELECT COUNT(*) FROM query('SELECT * FROM visits')
SELECT COUNT(*) FROM query_table('visits')
SELECT COUNT(*) FROM query_table(['visits', 'vault'], true)
SELECT COUNT(*) FROM sql_auto_complete('SELECT * FROM va')
SELECT COUNT(*) FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
SELECT COUNT(*) FROM visits WHERE getenv('HOME') = note
SELECT COUNT(*) FROM visits WHERE random() < 0.5
SELECT COUNT(*) FROM visits WHERE setseed(0.5) IS NULL
SELECT COUNT(*) FROM visits WHERE uuid() = note
SELECT COUNT(*) FROM visits WHERE seen < now()
SELECT COUNT(*) FROM visits WHERE seen < CURRENT_TIMESTAMP
SELECT COUNT(*) FROM visits WHERE day < CURRENT_DATE
SELECT COUNT(*) FROM visits WHERE day < today()
SELECT COUNT(*) FROM visits WHERE note = CURRENT_USER
SELECT version()
SELECT COUNT(*) FROM visits WHERE txid_current() = 7
SELECT COUNT(*) FROM visits WHERE current_query() LIKE '%x%'
SELECT COUNT(*) FROM visits WHERE stats(cost) LIKE '%Max: 7%'
SELECT COUNT(*) FROM visits WHERE typeof(note) = 'VARCHAR'
SELECT COUNT(*) FROM visits WHERE write_log(note)
SELECT COUNT(*) FROM test_all_types()
SELECT COUNT(*) FROM repeat_row(1, 2, num_rows = 3)
SELECT COUNT(*) FROM visits WHERE reflect('java.lang.Runtime', 'exec') = note
SELECT COUNT(*) FROM visits WHERE py_eval('1') = 1
SELECT COUNT(*) FROM data
SELECT COUNT(*) FROM __import__
SELECT COUNT(*) FROM visits WHERE hash(note) = 7
SELECT COUNT(*) FROM visits WHERE md5(note) LIKE 'a%'
