WITH "base" AS NOT MATERIALIZED (SELECT "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "items"),
"left" AS NOT MATERIALIZED (SELECT "size", "c_product_id" AS "j0", TRUE AS "j1"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "category" AS "c_category", "cost" AS "c_cost", "product_id" AS "c_product_id"
FROM "products"),
"right" AS NOT MATERIALIZED (SELECT "c_category", "c_product_id" AS "j0", "c_cost" < CAST(CAST(10 AS BIGINT) AS DOUBLE) AS "j1"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."size", "r"."c_category" AS "c_category@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."j1" = "r"."j1")),
"picked" AS NOT MATERIALIZED (SELECT "c_category@2" AS "k0", TRY_CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "pairs"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['books', 'garden', 'toys'] of 3
