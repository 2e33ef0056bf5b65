WITH "base" AS (SELECT "age" AS "c_age", "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"step0" AS (SELECT *, CAST(CASE WHEN ("c_age" >= CAST(0 AS BIGINT)) AND ("c_age" <= CAST(109 AS BIGINT)) THEN "c_age" END AS DOUBLE PRECISION) AS "e0_0"
FROM "base" OFFSET 0),
"step1" AS (SELECT *, CASE WHEN ABS("e0_0") <= CAST('5e-323' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "e0_0" / CAST('20.0' AS DOUBLE PRECISION) END AS "e1_0"
FROM "step0" OFFSET 0),
"picked" AS (SELECT "c_city" AS "k0", CASE WHEN ("e1_0" >= CAST('-9.223372036854776e+18' AS DOUBLE PRECISION)) AND ("e1_0" < CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) THEN CAST(FLOOR("e1_0") AS BIGINT) END * CAST(20 AS BIGINT) AS "k1", "unit"
FROM "step1"),
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
INNER JOIN (SELECT UNNEST(CAST($1 AS BIGINT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS BIGINT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = [0, 20, 40, 60, 80, 100] of 6
