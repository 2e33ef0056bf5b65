WITH "base" AS (SELECT "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "customers"),
"picked" AS (SELECT "c_city" AS "k0", "unit"
FROM "base"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell"
FROM "cells" ORDER BY "k0"
WITH "base" AS (SELECT "age" AS "c_age", "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "customers"),
"picked" AS (SELECT "c_city" AS "k0", CASE WHEN "c_age" BETWEEN CAST(18 AS BIGINT) AND CAST(97 AS BIGINT) THEN "c_age" WHEN "c_age" < CAST(18 AS BIGINT) THEN CAST(18 AS BIGINT) WHEN CAST(97 AS BIGINT) < "c_age" THEN CAST(97 AS BIGINT) END AS "k1", "unit"
FROM "base"),
"combinations" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(18 AS BIGINT) AND CAST(97 AS BIGINT) THEN "k1" - CAST(18 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
