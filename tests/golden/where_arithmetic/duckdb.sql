WITH "base" AS NOT MATERIALIZED (SELECT "salary" AS "c_salary", "age" AS "c_age", "score" AS "c_score"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "base"
WHERE NULLIF((("c_salary" / NULLIF(CAST("c_age" AS DOUBLE), CAST('0.0' AS DOUBLE))) - (CAST(CAST(2 AS BIGINT) AS DOUBLE) * "c_score")) * CAST(CAST(-1 AS BIGINT) AS DOUBLE), CAST('nan' AS DOUBLE)) < CAST(CAST(100 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
