SELECT COUNT(*) FROM visits WHERE _lapcat_rank = 1
SELECT SUM(CLAMP(_lapcat_rows, 0, 9)) FROM visits
SELECT COUNT(*) FROM visits WHERE "_lapcat_unit" = '1'
SELECT _lapcat_unit, COUNT(*) FROM visits GROUP BY _lapcat_unit
SELECT COUNT(_lapcat_weight) FROM visits
SELECT COUNT(*) FROM visits WHERE rowid = 7
SELECT COUNT(*) FROM visits WHERE filename LIKE '%x'
SELECT COUNT(*) FROM visits WHERE file_row_number < 10
SELECT COUNT(*) FILTER (WHERE file_index = 0) FROM visits
SELECT COUNT(*) FROM visits WHERE c_cost > 3
SELECT COUNT(email) FROM visits
SELECT COUNT(*) FROM visits WHERE visits.email = 'x'
SELECT COUNT(*) FROM visits WHERE "EMAIL" IS NULL
SELECT SUM(CASE WHEN email = 'x' THEN 1 ELSE 0 END) FROM visits
SELECT COUNT(*) FROM (SELECT email FROM visits)
SELECT COUNT(*) FROM (SELECT * FROM visits) AS s WHERE s.email = 'x'
SELECT COUNT(*) FROM visits WHERE note.x = 1
SELECT COUNT(*) FROM visits WHERE cats.weight > 3
SELECT COUNT(*) FROM base
SELECT COUNT(*) FROM picked, cells
SELECT COUNT(*) FROM visits v(a, b, c) WHERE b = 'x'
SELECT COUNT(*) FROM vault
SELECT SUM(gold) FROM vault WHERE gold > 3
SELECT COUNT(*) FROM visits JOIN vault ON visits.person_id = vault.person_id
SELECT COUNT(*) FROM visits WHERE person_id IN (SELECT person_id FROM vault)
WITH v AS (SELECT gold FROM vault) SELECT COUNT(*) FROM v
SELECT COUNT(*) FROM (SELECT cost FROM visits UNION ALL SELECT gold FROM vault)
SELECT COUNT(*) FROM visits WHERE excluded.cost > 3
SELECT 1
SELECT COUNT(*)
SELECT FROM visits
