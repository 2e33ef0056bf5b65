WITH "base" AS (SELECT "order_id" AS "c_order_id", "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight"
FROM "items"),
"left" AS (SELECT "c_product_id", "size", "unit", "c_order_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "customer_id" AS "c_customer_id", "order_id" AS "c_order_id", "_lapcat_unit" AS "unit"
FROM "orders"),
"right" AS (SELECT "c_customer_id", "unit", "c_order_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_product_id", "l"."size", "l"."unit", "r"."c_customer_id" AS "c_customer_id@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_2" AS (SELECT "c_product_id", "size", "unit", "c_customer_id@2" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right_2" AS (SELECT "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_product_id", "l"."size", "l"."unit", "r"."c_region" AS "c_region@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_3" AS (SELECT "size", "unit", "c_product_id" AS "j0", "c_region@3" AS "j1"
FROM "pairs_2"),
"base_4" AS (SELECT "list_price" AS "c_list_price", "product_id" AS "c_product_id", "region" AS "c_region"
FROM "prices"),
"right_3" AS (SELECT "c_list_price", "c_region", "c_product_id" AS "j0", "c_region" AS "j1"
FROM "base_4"),
"pairs_3" AS (SELECT "l"."size", "l"."unit", "r"."c_list_price" AS "c_list_price@4", "r"."c_region" AS "c_region@4"
FROM "left_3" AS l
INNER JOIN "right_3" AS r ON ("l"."j0" = "r"."j0") AND ("l"."j1" = "r"."j1")),
"picked" AS (SELECT "c_region@4" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "c_list_price@4" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('250.0' AS DOUBLE PRECISION) THEN "c_list_price@4" WHEN "c_list_price@4" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_list_price@4" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('250.0' AS DOUBLE PRECISION) END * CAST('8388608.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w2"
FROM "pairs_3"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
