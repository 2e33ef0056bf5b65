WITH "base" AS (SELECT "_lapcat_unit" AS "unit"
FROM "orders"),
"base_2" AS (SELECT "_lapcat_unit" AS "unit"
FROM "reviews"),
"parts" AS (SELECT "unit" AS "unit"
FROM "base" UNION ALL SELECT "unit" AS "unit"
FROM "base_2"),
"each" AS (SELECT "unit"
FROM "parts"),
"units" AS (SELECT 1 AS "one"
FROM "each"
GROUP BY "unit"),
"picked" AS (SELECT 1 AS "one"
FROM "units"),
"cells" AS (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
