WITH "base" AS (SELECT "minutes" AS "c_minutes", "place" AS "c_place", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS (SELECT "c_place" AS "k0", "_lapcat_weighed_minutes" AS "v1", CASE WHEN "c_minutes" = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "c_minutes" END AS "d2"
FROM "base"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "d2") AS "a1", COUNT("v1") AS "a2", COUNT(*) AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s2"
FROM "cells" ORDER BY "k0"
WITH "base" AS (SELECT "minutes" AS "c_minutes", "place" AS "c_place", "_lapcat_weighed_minutes"
FROM "delays"),
"step0" AS (SELECT *, CASE WHEN "c_minutes" BETWEEN CAST('-30.0' AS DOUBLE PRECISION) AND CAST('600.0' AS DOUBLE PRECISION) THEN "c_minutes" WHEN "c_minutes" < CAST('-30.0' AS DOUBLE PRECISION) THEN CAST('-30.0' AS DOUBLE PRECISION) WHEN "c_minutes" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('600.0' AS DOUBLE PRECISION) END AS "e0_0"
FROM "base" OFFSET 0),
"step1" AS (SELECT *, "e0_0" * CAST('1.0' AS DOUBLE PRECISION) AS "e1_0"
FROM "step0" OFFSET 0),
"picked" AS (SELECT "c_place" AS "k0", CASE WHEN ("e1_0" >= CAST('-9.223372036854776e+18' AS DOUBLE PRECISION)) AND ("e1_0" < CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) THEN CAST(FLOOR("e1_0") AS BIGINT) END AS "k1"
FROM "step1"),
"combinations" AS (SELECT "k0", COUNT(*) AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(-30 AS BIGINT) AND CAST(600 AS BIGINT) THEN "k1" - CAST(-30 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
WITH "base" AS (SELECT "cause" AS "c_cause", "place" AS "c_place"
FROM "delays"),
"picked" AS (SELECT "c_place" AS "k0", "c_cause" AS "k1"
FROM "base"),
"combinations" AS (SELECT "k0", COUNT(*) AS "units"
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
-- $list1 = ['weather', 'crew'] of 2
