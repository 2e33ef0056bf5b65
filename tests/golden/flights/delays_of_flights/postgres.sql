WITH "base" AS (SELECT "flight" AS "c_flight", "minutes" AS "c_minutes", "reported" AS "c_reported", "_lapcat_weighed_minutes"
FROM "delays"),
"left" AS (SELECT "c_minutes", "c_reported", "c_flight" AS "j0"
FROM "base"),
"base_2" AS (SELECT "flight" AS "c_flight", "km" AS "c_km", "origin" AS "c_origin"
FROM "flights"),
"right" AS (SELECT "c_km", "c_origin", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_minutes", "l"."c_reported", "r"."c_km" AS "c_km@2", "r"."c_origin" AS "c_origin@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"step0" AS (SELECT *, CAST("c_km@2" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT "c_origin@2" AS "k0", CAST(DATE_PART('month', CAST(CASE WHEN (CAST("c_reported" AS DATE) >= CAST('2024-01-01' AS DATE)) AND (CAST("c_reported" AS DATE) <= CAST('2024-12-31' AS DATE)) THEN "c_reported" END AS TIMESTAMP)) AS BIGINT) AS "k1"
FROM "step0"
WHERE "c_minutes" > LEAST(CAST(CAST(60 AS BIGINT) AS DOUBLE PRECISION), NULLIF(CASE WHEN ABS("e0_0") <= CAST('2.5e-323' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "e0_0" / CAST('10.0' AS DOUBLE PRECISION) END, CAST('nan' AS DOUBLE PRECISION)))),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(12 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(1 AS BIGINT) AND CAST(12 AS BIGINT) THEN "k1" - CAST(1 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['OSL', 'CDG', 'LIS'] of 3
