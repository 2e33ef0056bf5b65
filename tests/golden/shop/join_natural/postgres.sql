WITH "base" AS (SELECT "order_id" AS "c_order_id", "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight"
FROM "items"),
"left" AS (SELECT "c_order_id", "size", "unit", "c_product_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "category" AS "c_category", "product_id" AS "c_product_id"
FROM "products"),
"right" AS (SELECT "c_category", "c_product_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_order_id", "l"."size", "l"."unit", "r"."c_category" AS "c_category@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS (SELECT "c_category@2", "size", "unit", "c_order_id" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "order_id" AS "c_order_id", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"right_2" AS (SELECT "c_status", "unit", "c_order_id" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_category@2", "l"."size", "l"."unit", "r"."c_status" AS "c_status@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_category@2" AS "k0", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "pairs_2"
WHERE "c_status@3" = (CAST('sent' AS TEXT) COLLATE "C")),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['books', 'garden', 'toys'] of 3
