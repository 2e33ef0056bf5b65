WITH "base" AS (SELECT "age" AS "c_age", "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"step0" AS (SELECT *, CAST("c_age" AS DOUBLE PRECISION) AS "e0_0"
FROM "base" OFFSET 0),
"picked" AS (SELECT "c_city" AS "k0", CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('109.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('109.0' AS DOUBLE PRECISION) END * CAST('2.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v1", "c_age" AS "d2", "unit"
FROM "step0"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1", COUNT(DISTINCT "d2") AS "a2", COUNT(*) AS "a3", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a2" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1", CAST("a3" AS BIGINT) AS "s2", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)) - (CAST(109 AS DECIMAL) * COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL))), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s3"
FROM "cells" ORDER BY "k0"
WITH "base" AS (SELECT "age" AS "c_age", "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS (SELECT "c_city" AS "k0", CASE WHEN "c_age" BETWEEN CAST(0 AS BIGINT) AND CAST(109 AS BIGINT) THEN "c_age" WHEN "c_age" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(109 AS BIGINT) < "c_age" THEN CAST(109 AS BIGINT) END AS "k1", "unit"
FROM "base"),
"combinations" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(109 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
WITH "base" AS (SELECT "city" AS "c_city", "smoker" AS "c_smoker", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS (SELECT "c_city" AS "k0", "c_smoker" AS "k1", "unit"
FROM "base"),
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
INNER JOIN (SELECT UNNEST(CAST($1 AS BOOLEAN[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS BOOLEAN[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = [False, True] of 2
