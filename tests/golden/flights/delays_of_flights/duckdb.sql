WITH "base" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "minutes" AS "c_minutes", "reported" AS "c_reported", "_lapcat_weighed_minutes"
FROM "delays"),
"left" AS NOT MATERIALIZED (SELECT "c_minutes", "c_reported", "c_flight" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "km" AS "c_km", "origin" AS "c_origin"
FROM "flights"),
"right" AS NOT MATERIALIZED (SELECT "c_km", "c_origin", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_minutes", "l"."c_reported", "r"."c_km" AS "c_km@2", "r"."c_origin" AS "c_origin@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"picked" AS NOT MATERIALIZED (SELECT "c_origin@2" AS "k0", CAST(DATE_PART('month', CASE WHEN (CAST("c_reported" AS DATE) >= CAST('2024-01-01' AS DATE)) AND (CAST("c_reported" AS DATE) <= CAST('2024-12-31' AS DATE)) THEN "c_reported" END) AS BIGINT) AS "k1"
FROM "pairs"
WHERE "c_minutes" > LEAST(CAST(CAST(60 AS BIGINT) AS DOUBLE), NULLIF(CAST("c_km@2" AS DOUBLE) / NULLIF(CAST(CAST(10 AS BIGINT) AS DOUBLE), CAST('0.0' AS DOUBLE)), CAST('nan' AS DOUBLE)))),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(12 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(1 AS BIGINT) AND CAST(12 AS BIGINT) THEN "k1" - CAST(1 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['OSL', 'CDG', 'LIS'] of 3
