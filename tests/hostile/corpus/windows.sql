SELECT row_number() OVER () FROM visits
SELECT lag(note) OVER (ORDER BY cost) FROM visits
SELECT lead(note, 1, 'x') OVER (PARTITION BY ward ORDER BY seen) FROM visits
SELECT first_value(note) OVER w FROM visits WINDOW w AS (ORDER BY cost)
SELECT SUM(cost) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM visits
SELECT SUM(cost) OVER (ORDER BY cost RANGE BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE GROUP) FROM visits
SELECT ward, SUM(COUNT(*)) OVER (ORDER BY note) FROM visits GROUP BY ward
SELECT COUNT(*) FROM visits QUALIFY row_number() OVER (ORDER BY cost) = 1
SELECT note FROM visits QUALIFY rank() OVER (PARTITION BY ward ORDER BY cost) = 1
SELECT COUNT(*) FROM visits WHERE ntile(4) OVER (ORDER BY cost) = 1
SELECT COUNT(*) FROM visits GROUP BY cume_dist() OVER (ORDER BY cost)
SELECT COUNT(*) FROM (SELECT row_number() OVER (ORDER BY cost) AS r FROM visits) WHERE r = 1
SELECT AVG(CLAMP(x, 0, 9)) FROM (SELECT cost - lag(cost) OVER (ORDER BY seen) AS x FROM visits)
SELECT nth_value(note, 7) IGNORE NULLS OVER (ORDER BY cost) FROM visits
SELECT fill(cost) OVER (ORDER BY seen) FROM visits
SELECT ward, SUM(COUNT(*)) OVER (ORDER BY BUCKETS(CLAMP(cost, 0, 9))) FROM visits GROUP BY ward
SELECT ward, SUM(SUM(cost)) OVER (PARTITION BY note) FROM visits GROUP BY ward
SELECT ward, SUM(COUNT(DISTINCT note) OVER ()) FROM visits GROUP BY ward
SELECT ward, SUM(COUNT(*)) OVER (PARTITION BY ward ORDER BY (SELECT MAX(cost) FROM visits)) FROM visits GROUP BY ward
