WITH "base" AS NOT MATERIALIZED (SELECT "product_id" AS "c_product_id", "quantity" AS "c_quantity", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_quantity"
FROM "items"),
"left" AS NOT MATERIALIZED (SELECT "c_quantity", "size", "c_product_id" AS "j0", TRUE AS "j1"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "category" AS "c_category", "product_id" AS "c_product_id"
FROM "products"),
"right" AS NOT MATERIALIZED (SELECT "c_product_id" AS "j0", "c_category" = 'books' AS "j1"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_quantity", "l"."size"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."j1" = "r"."j1")),
"step0" AS NOT MATERIALIZED (SELECT *, CAST("c_quantity" AS DOUBLE) AS "e0_0"
FROM "pairs"),
"picked" AS NOT MATERIALIZED (SELECT TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('10.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('10.0' AS DOUBLE) END * CAST('134217728.0' AS DOUBLE)) AS DOUBLE) * CAST('50.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w0"
FROM "step0"
WHERE "c_quantity" > CAST(1 AS BIGINT)),
"cells" AS NOT MATERIALIZED (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
