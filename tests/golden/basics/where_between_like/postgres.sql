WITH "base" AS (SELECT "hired" AS "c_hired", "name" AS "c_name", "salary" AS "c_salary", "seen" AS "c_seen", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_salary"
FROM "staff"),
"picked" AS (SELECT "_lapcat_weight" AS "w0"
FROM "base"
WHERE ((("c_salary" >= CAST(CAST(30000 AS BIGINT) AS DOUBLE PRECISION)) AND ("c_salary" <= CAST(CAST(60000 AS BIGINT) AS DOUBLE PRECISION))) AND ("c_name" LIKE 'A%' ESCAPE '')) AND (("c_hired" <> CAST('2024-02-29' AS DATE)) AND ("c_seen" < CAST('2024-01-01 12:30:00' AS TIMESTAMP)))),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
