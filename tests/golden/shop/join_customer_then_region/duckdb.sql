WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "customer_id" AS "c_customer_id", GREATEST(CAST(20 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_amount"
FROM "orders"),
"left" AS NOT MATERIALIZED (SELECT "c_amount", "size", "unit", "c_customer_id" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right" AS NOT MATERIALIZED (SELECT "c_age", "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_amount", "l"."size", "l"."unit", "r"."c_age" AS "c_age@2", "r"."c_region" AS "c_region@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_2" AS NOT MATERIALIZED (SELECT "c_amount", "c_age@2", "size", "unit", "c_region@2" AS "j0"
FROM "pairs"),
"base_3" AS NOT MATERIALIZED (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "regions"),
"right_2" AS NOT MATERIALIZED (SELECT "c_country", "c_code" AS "j0"
FROM "base_3"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."c_amount", "l"."c_age@2", "l"."size", "l"."unit", "r"."c_country" AS "c_country@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON "l"."j0" = "r"."j0"),
"picked" AS NOT MATERIALIZED (SELECT "c_country@3" AS "k0", TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS DOUBLE) * CAST('20.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "pairs_2"
WHERE "c_age@2" >= CAST(30 AS BIGINT)),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['x', 'y'] of 2
