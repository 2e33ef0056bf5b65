WITH "base" AS NOT MATERIALIZED (SELECT "coupon" AS "c_coupon", "discount" AS "c_discount", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_coupon", "c_discount", "rank", "unit", "c_coupon" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_coupon", "c_discount", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_coupon", "c_discount", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_coupon", "c_discount", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_coupon" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_discount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('100.0' AS DOUBLE) THEN "c_discount" WHEN "c_discount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_discount" <= CAST('inf' AS DOUBLE) THEN CAST('100.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('33554432.0' AS DOUBLE)) AS BIGINT) AS "v1", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(*) AS "a1", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(1677721600 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "cells" ORDER BY "k0"
