SELECT COUNT(*) AS entries
FROM (SELECT visit_id, 1 AS what FROM visits UNION ALL SELECT visit_id, 2 AS what FROM labs) AS entry
WHERE what = 2
