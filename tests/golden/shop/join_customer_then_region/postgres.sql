WITH "base" AS (SELECT "amount" AS "c_amount", "customer_id" AS "c_customer_id", GREATEST(CAST(20 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_amount"
FROM "orders"),
"left" AS (SELECT "c_amount", "size", "unit", "c_customer_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "age" AS "c_age", "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right" AS (SELECT "c_age", "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_amount", "l"."size", "l"."unit", "r"."c_age" AS "c_age@2", "r"."c_region" AS "c_region@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_2" AS (SELECT "c_amount", "c_age@2", "size", "unit", "c_region@2" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "regions"),
"right_2" AS (SELECT "c_country", "c_code" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_amount", "l"."c_age@2", "l"."size", "l"."unit", "r"."c_country" AS "c_country@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON "l"."j0" = "r"."j0"),
"picked" AS (SELECT "c_country@3" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('500.0' AS DOUBLE PRECISION) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_amount" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) END * CAST('4194304.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('20.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "pairs_2"
WHERE "c_age@2" >= CAST(30 AS BIGINT)),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['x', 'y'] of 2
