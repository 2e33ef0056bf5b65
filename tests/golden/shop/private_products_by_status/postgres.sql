WITH "base" AS (SELECT "order_id" AS "c_order_id", "product_id" AS "c_product_id", "_lapcat_unit" AS "unit"
FROM "items"
WHERE "_lapcat_rank" <= CAST(50 AS BIGINT)),
"left" AS (SELECT "c_product_id", "unit", "c_order_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "order_id" AS "c_order_id", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"right" AS (SELECT "c_status", "unit", "c_order_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_product_id", "l"."unit", "r"."c_status" AS "c_status@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_product_id" AS "k0", "c_status@2" AS "k1", "unit"
FROM "pairs"),
"combinations" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS (SELECT "k0", COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = ['open', 'sent', 'returned'] of 3
