WITH "base" AS (SELECT "seat" AS "c_seat", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "bookings"
WHERE "_lapcat_rank" <= CAST(30 AS BIGINT)),
"keyed" AS (SELECT "c_seat", "rank", "unit", "c_seat" AS "g0"
FROM "base"),
"ordered" AS (SELECT "c_seat", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS (SELECT "c_seat", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS (SELECT "c_seat", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(5 AS BIGINT)),
"picked" AS (SELECT "c_seat" AS "k0", "unit"
FROM "bounded"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "cells" ORDER BY "k0"
