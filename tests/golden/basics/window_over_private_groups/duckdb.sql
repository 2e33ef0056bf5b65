WITH "base" AS NOT MATERIALIZED (SELECT "city" AS "c_city", "floor" AS "c_floor", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_city" AS "k0", "c_floor" AS "k1", "unit"
FROM "base"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(9 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
