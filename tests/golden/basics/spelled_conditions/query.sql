SELECT COUNT_IF(name IS DISTINCT FROM city) AS differ, COUNT(*) AS n
FROM "public"."staff" AS "s"
WHERE (region, floor) IN (('north', 1), ('south', 2)) AND smoker = 0 AND age > '17'
  AND hired >= DATE '2023-12-31' - INTERVAL '2' MONTH AND hired < MAKE_DATE(2024, 7, 1) AND STARTS_WITH(name, 'A')
