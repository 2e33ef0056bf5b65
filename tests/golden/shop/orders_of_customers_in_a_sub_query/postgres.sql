WITH "base" AS (SELECT "customer_id" AS "c_customer_id", "_lapcat_unit" AS "unit"
FROM "orders"),
"left" AS (SELECT "unit", "c_customer_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "customer_id" AS "c_customer_id", "newsletter" AS "c_newsletter", "_lapcat_unit" AS "unit"
FROM "customers"),
"right" AS (SELECT "c_newsletter", "unit", "c_customer_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."unit", "r"."c_newsletter" AS "c_newsletter@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"kept" AS (SELECT "unit"
FROM "pairs"
WHERE "c_newsletter@2"),
"each" AS (SELECT "unit"
FROM "kept"),
"units" AS (SELECT CAST(COUNT(*) AS BIGINT) AS "c_v1"
FROM "each"
GROUP BY "unit"),
"picked" AS (SELECT 1 AS "one"
FROM "units"
WHERE "c_v1" >= CAST(25 AS BIGINT)),
"cells" AS (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
