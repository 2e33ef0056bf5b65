WITH "base" AS (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"),
"picked" AS (SELECT "unit"
FROM "base"
WHERE "c_amount" > CAST(CAST(100 AS BIGINT) AS DOUBLE PRECISION)),
"cells" AS (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
