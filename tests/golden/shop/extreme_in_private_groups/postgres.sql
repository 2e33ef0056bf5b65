WITH "base" AS (SELECT "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"keyed" AS (SELECT "c_coupon", "rank", "unit", "c_coupon" AS "g0"
FROM "base"),
"ordered" AS (SELECT "c_coupon", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS (SELECT "c_coupon", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS (SELECT "c_coupon", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT)),
"picked" AS (SELECT "c_coupon" AS "k0", "unit"
FROM "bounded"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell"
FROM "cells" ORDER BY "k0"
WITH "base" AS (SELECT "amount" AS "c_amount", "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"keyed" AS (SELECT "c_amount", "c_coupon", "rank", "unit", "c_coupon" AS "g0"
FROM "base"),
"ordered" AS (SELECT "c_amount", "c_coupon", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS (SELECT "c_amount", "c_coupon", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS (SELECT "c_amount", "c_coupon", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT)),
"step0" AS (SELECT *, CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('500.0' AS DOUBLE PRECISION) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_amount" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) END AS "e0_0"
FROM "bounded" OFFSET 0),
"step1" AS (SELECT *, CASE WHEN (CAST('8.988465674311579e+307' AS DOUBLE PRECISION) < "e0_0") AND ("e0_0" < CAST('inf' AS DOUBLE PRECISION)) THEN CAST('inf' AS DOUBLE PRECISION) WHEN ("e0_0" < CAST('-8.988465674311579e+307' AS DOUBLE PRECISION)) AND (CAST('-inf' AS DOUBLE PRECISION) < "e0_0") THEN CAST('-inf' AS DOUBLE PRECISION) ELSE "e0_0" * CAST('2.0' AS DOUBLE PRECISION) END AS "e1_0"
FROM "step0" OFFSET 0),
"picked" AS (SELECT "c_coupon" AS "k0", CASE WHEN ("e1_0" >= CAST('-9.223372036854776e+18' AS DOUBLE PRECISION)) AND ("e1_0" < CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) THEN CAST(FLOOR("e1_0") AS BIGINT) END AS "k1", "unit"
FROM "step1"),
"combinations" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(1000 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
