SELECT COUNT(*) FROM visits a JOIN visits b ON a.ward = b.ward
SELECT COUNT(*) FROM visits a JOIN bills b USING (note)
SELECT COUNT(*) FROM visits a, bills b WHERE a.cost = b.amount
SELECT COUNT(*) FROM visits a JOIN bills b ON a.cost < b.amount
SELECT COUNT(*) FROM visits a JOIN bills b ON a.person_id <> b.person_id
SELECT COUNT(*) FROM visits a JOIN bills b ON a.person_id = b.person_id OR a.ward = 'eyes'
SELECT COUNT(*) FROM visits a JOIN bills b ON a.person_id = b.person_id + 1
SELECT COUNT(*) FROM visits FULL OUTER JOIN bills ON visits.note = bills.note
SELECT COUNT(*) FROM visits JOIN cats ON visits.note = cats.name
SELECT COUNT(*) FROM cats a JOIN cats b ON a.colour = b.colour
SELECT COUNT(*) FROM cats SEMI JOIN visits ON cats.name = visits.note
SELECT COUNT(*) FROM visits ANTI JOIN cats ON cats.name = visits.note
SELECT COUNT(*) FROM visits ASOF JOIN bills ON visits.seen >= bills.seen
SELECT COUNT(*) FROM visits POSITIONAL JOIN bills
SELECT COUNT(*) FROM visits, LATERAL (SELECT note FROM cats WHERE cats.weight > visits.cost) AS l
SELECT COUNT(*) FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.cost > v.cost)
SELECT COUNT(*) FROM visits v WHERE NOT EXISTS (SELECT 1 FROM cats WHERE cats.name = v.note)
SELECT COUNT(*) FROM visits WHERE note IN (SELECT name FROM cats)
SELECT COUNT(*) FROM visits WHERE (ward, note) IN (SELECT ward, note FROM bills)
SELECT COUNT(*) FROM visits WHERE cost = (SELECT MAX(cost) FROM visits)
SELECT COUNT(*) FROM visits WHERE cost > (SELECT AVG(weight) FROM cats)
SELECT COUNT(*) FROM visits WHERE cost > ALL (SELECT weight FROM cats)
SELECT COUNT(*) FROM visits WHERE cost = ANY (SELECT weight FROM cats)
SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 5)
SELECT SUM(CLAMP((SELECT MAX(cost) FROM visits), 0, 9)) FROM visits
SELECT SUM(CLAMP(cost, 0, (SELECT MAX(weight) FROM cats))) FROM visits
SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 1)
SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost LIMIT 5 OFFSET 3)
SELECT COUNT(*) FROM (SELECT DISTINCT ON (ward) * FROM visits ORDER BY cost)
SELECT AVG(CLAMP(t, 0, 9)) FROM (SELECT ward, SUM(cost) AS t FROM visits GROUP BY ward)
WITH top AS (SELECT MAX(cost) AS m FROM visits) SELECT COUNT(*) FROM visits, top WHERE cost = m
WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT COUNT(*) FROM a
SELECT COUNT(*) FROM (SELECT note FROM visits INTERSECT SELECT name FROM cats)
SELECT COUNT(*) FROM (SELECT note FROM visits EXCEPT ALL SELECT name FROM cats)
SELECT COUNT(*) FROM visits TABLESAMPLE 10 PERCENT
SELECT COUNT(*) FROM visits USING SAMPLE reservoir(1 ROWS) REPEATABLE (7)
PIVOT visits ON note USING COUNT(*)
UNPIVOT visits ON cost, age INTO NAME n VALUE v
SELECT * FROM visits PIVOT (SUM(cost) FOR note IN ('a', 'b'))
SELECT COUNT(*) FROM visits UNPIVOT (v FOR n IN (cost, age))
SELECT COUNT(*) FROM visits, UNNEST([note, ward]) AS u(x)
SELECT COUNT(*) FROM visits AT (VERSION => 1)
SELECT COUNT(*) FROM visits FOR SYSTEM_TIME AS OF '2024-01-01'
SELECT COUNT(*) FROM visits MATCH_RECOGNIZE (PATTERN (a) DEFINE a AS cost > 1)
SELECT COUNT(*) FROM visits START WITH cost = 1 CONNECT BY PRIOR person_id = age
SELECT COUNT(*) FROM (VALUES (1), (2)) AS t(x)
