WITH "base" AS (SELECT "customer_id" AS "c_customer_id", "status" AS "c_status", GREATEST(CAST(20 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight"
FROM "orders"),
"left" AS (SELECT "c_status", "size", "unit", "c_customer_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right" AS (SELECT "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_status", "l"."size", "l"."unit", "r"."c_region" AS "c_region@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_region@2" AS "k0", "c_status" AS "k1", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('20.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w2"
FROM "pairs"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE((COALESCE("keys0"."place", CAST(3 AS BIGINT)) * CAST(4 AS BIGINT)) + COALESCE("keys1"."place", CAST(3 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
LEFT JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['N', 'S', 'W'] of 3
-- $list1 = ['open', 'sent', 'returned'] of 3
