WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_city" AS "k0", TRY_CAST(FLOOR(CAST(CASE WHEN ("c_age" >= CAST(0 AS BIGINT)) AND ("c_age" <= CAST(109 AS BIGINT)) THEN "c_age" END AS DOUBLE) / NULLIF(CAST('20.0' AS DOUBLE), CAST('0.0' AS DOUBLE))) AS BIGINT) * CAST(20 AS BIGINT) AS "k1", "unit"
FROM "base"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BIGINT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = [0, 20, 40, 60, 80, 100] of 6
