WITH "base" AS (SELECT "fare" AS "c_fare", "passenger" AS "c_passenger", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "bookings"
WHERE "_lapcat_rank" <= CAST(30 AS BIGINT)),
"left" AS (SELECT "c_fare", "rank", "unit", "c_passenger" AS "j0"
FROM "base"),
"base_2" AS (SELECT "home" AS "c_home", "passenger" AS "c_passenger", "_lapcat_unit" AS "unit"
FROM "passengers"),
"right" AS (SELECT "c_home", "unit", "c_passenger" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_fare", "l"."rank", "l"."unit", "r"."c_home" AS "c_home@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"keyed" AS (SELECT "c_fare", "c_home@2", "rank", "unit", "c_home@2" AS "g0"
FROM "pairs"),
"ordered" AS (SELECT "c_fare", "c_home@2", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS (SELECT "c_fare", "c_home@2", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS (SELECT "c_fare", "c_home@2", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(5 AS BIGINT)),
"picked" AS (SELECT "c_home@2" AS "k0", CAST(FLOOR(CASE WHEN "c_fare" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('2000.0' AS DOUBLE PRECISION) THEN "c_fare" WHEN "c_fare" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_fare" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('2000.0' AS DOUBLE PRECISION) END * CAST('2097152.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v1", "unit"
FROM "bounded"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)) - (CAST(2097152000 AS DECIMAL) * COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL))), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "cells" ORDER BY "k0"
