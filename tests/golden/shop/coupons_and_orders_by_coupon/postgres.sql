WITH "base" AS (SELECT "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS (SELECT "unit", "rank", "c_coupon" AS "c_k0"
FROM "base"),
"units" AS (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0"
FROM "each"
GROUP BY "unit", "c_k0"),
"base_2" AS (SELECT "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"parts" AS (SELECT "c_k0" AS "c_u1", ("rank" * CAST(2 AS BIGINT)) + CAST(0 AS BIGINT) AS "rank", "unit" AS "unit"
FROM "units" UNION ALL SELECT "c_coupon" AS "c_u1", ("rank" * CAST(2 AS BIGINT)) + CAST(1 AS BIGINT) AS "rank", "unit" AS "unit"
FROM "base_2"),
"ranked" AS (SELECT "c_u1", "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "parts"),
"bounded" AS (SELECT "c_u1", "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(20 AS BIGINT)),
"keyed" AS (SELECT "c_u1", "rank", "unit", "c_u1" AS "g0"
FROM "bounded"),
"ordered" AS (SELECT "c_u1", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked_2" AS (SELECT "c_u1", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded_2" AS (SELECT "c_u1", "rank", "unit"
FROM "ranked_2"
WHERE "which" <= CAST(4 AS BIGINT)),
"picked" AS (SELECT "c_u1" AS "k0", "unit"
FROM "bounded_2"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "cells" ORDER BY "k0"
