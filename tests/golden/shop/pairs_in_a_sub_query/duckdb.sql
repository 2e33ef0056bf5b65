WITH "base" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left" AS NOT MATERIALIZED (SELECT "c_order_id", "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "order_id" AS "c_order_id", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"right" AS NOT MATERIALIZED (SELECT "c_order_id", "unit"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_order_id", "l"."unit", "r"."c_order_id" AS "c_order_id@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"kept" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
WHERE "c_order_id" < "c_order_id@2"),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "kept"),
"units" AS NOT MATERIALIZED (SELECT CAST(COUNT(*) AS BIGINT) AS "c_v1"
FROM "each"
GROUP BY "unit"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN "c_v1" BETWEEN CAST(0 AS BIGINT) AND CAST(100 AS BIGINT) THEN "c_v1" WHEN "c_v1" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(100 AS BIGINT) < "c_v1" THEN CAST(100 AS BIGINT) END AS "v0"
FROM "units"
WHERE "c_v1" >= CAST(2 AS BIGINT)),
"cells" AS NOT MATERIALIZED (SELECT SUM("v0") AS "a0", COUNT("v0") AS "a1", COUNT(*) AS "a2"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1", "a2"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(50 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s2"
FROM "placed"
