WITH "base" AS (SELECT "order_id" AS "c_order_id", "product_id" AS "c_product_id", "quantity" AS "c_quantity", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_quantity"
FROM "items"),
"left" AS (SELECT "c_order_id", "c_quantity", "size", "unit", "c_product_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "category" AS "c_category", "product_id" AS "c_product_id"
FROM "products"),
"right" AS (SELECT "c_category", "c_product_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_order_id", "l"."c_quantity", "l"."size", "l"."unit", "r"."c_category" AS "c_category@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS (SELECT "c_quantity", "c_category@2", "size", "unit", "c_order_id" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "customer_id" AS "c_customer_id", "order_id" AS "c_order_id", "_lapcat_unit" AS "unit"
FROM "orders"),
"right_2" AS (SELECT "c_customer_id", "unit", "c_order_id" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_quantity", "l"."c_category@2", "l"."size", "l"."unit", "r"."c_customer_id" AS "c_customer_id@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_3" AS (SELECT "c_quantity", "c_category@2", "size", "unit", "c_customer_id@3" AS "j0"
FROM "pairs_2"),
"base_4" AS (SELECT "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right_3" AS (SELECT "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_4"),
"pairs_3" AS (SELECT "l"."c_quantity", "l"."c_category@2", "l"."size", "l"."unit", "r"."c_region" AS "c_region@4"
FROM "left_3" AS l
INNER JOIN "right_3" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_4" AS (SELECT "c_quantity", "c_category@2", "size", "unit", "c_region@4" AS "j0"
FROM "pairs_3"),
"base_5" AS (SELECT "code" AS "c_code", "name" AS "c_name"
FROM "regions"),
"right_4" AS (SELECT "c_name", "c_code" AS "j0"
FROM "base_5"),
"pairs_4" AS (SELECT "l"."c_quantity", "l"."c_category@2", "l"."size", "l"."unit", "r"."c_name" AS "c_name@5"
FROM "left_4" AS l
INNER JOIN "right_4" AS r ON "l"."j0" = "r"."j0"),
"step0" AS (SELECT *, CAST("c_quantity" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs_4" OFFSET 0),
"picked" AS (SELECT "c_name@5" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('10.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('10.0' AS DOUBLE PRECISION) END * CAST('134217728.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "step0"
WHERE "c_category@2" = (CAST('toys' AS TEXT) COLLATE "C")),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
