SELECT COUNT(*) FROM visits WHERE pg_sleep(10) IS NULL
SELECT pg_sleep(10)
SELECT COUNT(*) FROM visits WHERE sleep_ms(10000) = 0
SELECT COUNT(*) FROM visits WHERE CASE WHEN note = 'x' THEN sleep(10) ELSE 0 END = 0
SELECT COUNT(*) FROM range(1000000000000)
SELECT COUNT(*) FROM generate_series(1, 1000000000000) AS g(x)
SELECT COUNT(*) FROM visits, range(1000000000)
SELECT COUNT(*) FROM visits CROSS JOIN visits AS again
SELECT COUNT(*) FROM visits a, visits b, visits c, visits d
SELECT COUNT(*) FROM visits a JOIN visits b ON true
WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) SELECT COUNT(*) FROM r
WITH RECURSIVE r(x) AS (SELECT note FROM visits UNION SELECT x || x FROM r) SELECT COUNT(*) FROM r
WITH RECURSIVE r USING KEY (k) AS (SELECT 1 AS k, 2 AS v UNION SELECT k + 1, v FROM r) SELECT COUNT(*) FROM r
SELECT COUNT(*) FROM visits WHERE note = repeat('x', 1000000000)
SELECT COUNT(*) FROM visits WHERE length(lpad(note, 2000000000, 'x')) > 1
SELECT COUNT(*) FROM visits WHERE list_sum(range(1000000000)) > 0
SELECT COUNT(*) FROM visits WHERE factorial(1000000) > 0
SELECT COUNT(*) FROM visits WHERE 9 ** 9 ** 9 > cost
SELECT unnest(range(1000000000)) FROM visits
SELECT COUNT(*) FROM visits WHERE levenshtein(note, note) < 3
