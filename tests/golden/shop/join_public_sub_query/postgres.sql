WITH "base" AS (SELECT "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "items"),
"left" AS (SELECT "size", "c_product_id" AS "j0", TRUE AS "j1"
FROM "base"),
"base_2" AS (SELECT "category" AS "c_category", "cost" AS "c_cost", "product_id" AS "c_product_id"
FROM "products"),
"right" AS (SELECT "c_category", "c_product_id" AS "j0", "c_cost" < CAST(CAST(10 AS BIGINT) AS DOUBLE PRECISION) AS "j1"
FROM "base_2"),
"pairs" AS (SELECT "l"."size", "r"."c_category" AS "c_category@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."j1" = "r"."j1")),
"picked" AS (SELECT "c_category@2" AS "k0", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "pairs"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['books', 'garden', 'toys'] of 3
