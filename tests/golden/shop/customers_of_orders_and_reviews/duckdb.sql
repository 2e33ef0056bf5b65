WITH "base" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"),
"left" AS NOT MATERIALIZED (SELECT "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "reviews"),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit"
FROM "each"
GROUP BY "unit"),
"right" AS NOT MATERIALIZED (SELECT "unit"
FROM "units"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"each_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"),
"units_2" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "each_2"
GROUP BY "unit"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "units_2"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
