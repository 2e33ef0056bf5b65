WITH "base" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight"
FROM "items"),
"left" AS NOT MATERIALIZED (SELECT "c_order_id", "size", "unit", "c_product_id" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "category" AS "c_category", "product_id" AS "c_product_id"
FROM "products"),
"right" AS NOT MATERIALIZED (SELECT "c_category", "c_product_id" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_order_id", "l"."size", "l"."unit", "r"."c_category" AS "c_category@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS NOT MATERIALIZED (SELECT "c_category@2", "size", "unit", "c_order_id" AS "j0"
FROM "pairs"),
"base_3" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"right_2" AS NOT MATERIALIZED (SELECT "c_status", "unit", "c_order_id" AS "j0"
FROM "base_3"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."c_category@2", "l"."size", "l"."unit", "r"."c_status" AS "c_status@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS NOT MATERIALIZED (SELECT "c_category@2" AS "k0", TRY_CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "pairs_2"
WHERE "c_status@3" = 'sent'),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['books', 'garden', 'toys'] of 3
