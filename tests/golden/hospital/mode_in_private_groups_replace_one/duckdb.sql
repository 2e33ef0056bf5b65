WITH "base" AS NOT MATERIALIZED (SELECT "diagnosis" AS "c_diagnosis", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_diagnosis", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_diagnosis", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_diagnosis", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_diagnosis", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell"
FROM "cells" ORDER BY "k0"
WITH "base" AS NOT MATERIALIZED (SELECT "diagnosis" AS "c_diagnosis", "emergency" AS "c_emergency", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_emergency", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_emergency", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_emergency", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_emergency", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", "c_emergency" AS "k1", "unit"
FROM "bounded"),
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
INNER JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = [False, True] of 2
WITH "base" AS NOT MATERIALIZED (SELECT "days" AS "c_days", "diagnosis" AS "c_diagnosis", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_days", "c_diagnosis", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_days", "c_diagnosis", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_days", "c_diagnosis", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_days", "c_diagnosis", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", CASE WHEN "c_days" BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN "c_days" WHEN "c_days" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(60 AS BIGINT) < "c_days" THEN CAST(60 AS BIGINT) END AS "k1", "unit"
FROM "bounded"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(60 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
