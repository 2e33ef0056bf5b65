WITH "base" AS NOT MATERIALIZED (SELECT "minutes" AS "c_minutes", "place" AS "c_place", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_place" AS "k0", "_lapcat_weighed_minutes" AS "v1", CASE WHEN "c_minutes" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "c_minutes" END AS "d2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "d2") AS "a1", COUNT("v1") AS "a2", COUNT(*) AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s2"
FROM "cells" ORDER BY "k0"
WITH "base" AS NOT MATERIALIZED (SELECT "minutes" AS "c_minutes", "place" AS "c_place", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_place" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_minutes" BETWEEN CAST('-30.0' AS DOUBLE) AND CAST('600.0' AS DOUBLE) THEN "c_minutes" WHEN "c_minutes" < CAST('-30.0' AS DOUBLE) THEN CAST('-30.0' AS DOUBLE) WHEN "c_minutes" <= CAST('inf' AS DOUBLE) THEN CAST('600.0' AS DOUBLE) END * CAST('1.0' AS DOUBLE)) AS BIGINT) AS "k1"
FROM "base"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(-30 AS BIGINT) AND CAST(600 AS BIGINT) THEN "k1" - CAST(-30 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
WITH "base" AS NOT MATERIALIZED (SELECT "cause" AS "c_cause", "place" AS "c_place"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_place" AS "k0", "c_cause" AS "k1"
FROM "base"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list1 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS TEXT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = ['weather', 'crew'] of 2
