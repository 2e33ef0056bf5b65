WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "salary" AS "c_salary", "score" AS "c_score", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age", "_lapcat_weighed_salary"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT "_lapcat_weight" AS "w0"
FROM "base"
WHERE NULLIF((("c_salary" / NULLIF(CAST("c_age" AS DOUBLE), CAST('0.0' AS DOUBLE))) - (CAST(CAST(2 AS BIGINT) AS DOUBLE) * "c_score")) * CAST(CAST(-1 AS BIGINT) AS DOUBLE), CAST('nan' AS DOUBLE)) < CAST(CAST(100 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
