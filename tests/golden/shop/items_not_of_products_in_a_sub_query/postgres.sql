WITH "base" AS (SELECT "product_id" AS "c_product_id", GREATEST(CAST(50 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "items"),
"left" AS (SELECT "c_product_id", "size", "c_product_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "product_id" AS "c_product_id"
FROM "products"),
"right" AS (SELECT "c_product_id", "c_product_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_product_id", "l"."size", "r"."c_product_id" AS "c_product_id@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"picked" AS (SELECT CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('50.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w0"
FROM "pairs"
WHERE ("c_product_id@2" IS NULL) AND (NOT ("c_product_id" IS NULL))),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
