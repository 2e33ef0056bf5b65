WITH "base" AS (SELECT "product_id" AS "c_product_id", "quantity" AS "c_quantity", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_quantity"
FROM "items"),
"left" AS (SELECT "c_quantity", "size", "c_product_id" AS "j0", TRUE AS "j1"
FROM "base"),
"base_2" AS (SELECT "category" AS "c_category", "product_id" AS "c_product_id"
FROM "products"),
"right" AS (SELECT "c_product_id" AS "j0", "c_category" = (CAST('books' AS TEXT) COLLATE "C") AS "j1"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_quantity", "l"."size"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."j1" = "r"."j1")),
"step0" AS (SELECT *, CAST("c_quantity" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('10.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('10.0' AS DOUBLE PRECISION) END * CAST('134217728.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w0"
FROM "step0"
WHERE "c_quantity" > CAST(1 AS BIGINT)),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
