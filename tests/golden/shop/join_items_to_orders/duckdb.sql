WITH "base" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "price" AS "c_price", "quantity" AS "c_quantity", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_price", "_lapcat_weighed_quantity"
FROM "items"),
"left" AS NOT MATERIALIZED (SELECT "c_price", "c_quantity", "size", "unit", "c_order_id" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"right" AS NOT MATERIALIZED (SELECT "c_status", "unit", "c_order_id" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_price", "l"."c_quantity", "l"."size", "l"."unit", "r"."c_status" AS "c_status@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"step0" AS NOT MATERIALIZED (SELECT *, CASE WHEN "c_price" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('200.0' AS DOUBLE) THEN "c_price" WHEN "c_price" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_price" <= CAST('inf' AS DOUBLE) THEN CAST('200.0' AS DOUBLE) END * CAST(CASE WHEN "c_quantity" BETWEEN CAST(0 AS BIGINT) AND CAST(10 AS BIGINT) THEN "c_quantity" WHEN "c_quantity" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(10 AS BIGINT) < "c_quantity" THEN CAST(10 AS BIGINT) END AS DOUBLE) AS "e0_0"
FROM "pairs"),
"picked" AS NOT MATERIALIZED (SELECT "c_status@2" AS "k0", TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('2000.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('2000.0' AS DOUBLE) END * CAST('1048576.0' AS DOUBLE)) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
