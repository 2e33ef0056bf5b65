WITH "base" AS (SELECT "order_id" AS "c_order_id", "returned" AS "c_returned", "_lapcat_unit" AS "unit"
FROM "items"
WHERE "_lapcat_rank" <= CAST(50 AS BIGINT)),
"left" AS (SELECT "c_returned", "unit", "c_order_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "customer_id" AS "c_customer_id", "order_id" AS "c_order_id", "_lapcat_unit" AS "unit"
FROM "orders"),
"right" AS (SELECT "c_customer_id", "unit", "c_order_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_returned", "l"."unit", "r"."c_customer_id" AS "c_customer_id@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"left_2" AS (SELECT "c_returned", "unit", "c_customer_id@2" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "customer_id" AS "c_customer_id", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"right_2" AS (SELECT "c_region", "unit", "c_customer_id" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_returned", "l"."unit", "r"."c_region" AS "c_region@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_region@3" AS "k0", "unit"
FROM "pairs_2"
WHERE "c_returned"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
