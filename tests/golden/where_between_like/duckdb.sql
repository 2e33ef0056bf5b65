WITH "base" AS NOT MATERIALIZED (SELECT "salary" AS "c_salary", "name" AS "c_name", "hired" AS "c_hired", "seen" AS "c_seen"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "base"
WHERE ((("c_salary" >= CAST(CAST(30000 AS BIGINT) AS DOUBLE)) AND ("c_salary" <= CAST(CAST(60000 AS BIGINT) AS DOUBLE))) AND ("c_name" LIKE 'A%')) AND (("c_hired" <> CAST('2024-02-29' AS DATE)) AND ("c_seen" < CAST('2024-01-01 12:30:00' AS TIMESTAMP)))),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
