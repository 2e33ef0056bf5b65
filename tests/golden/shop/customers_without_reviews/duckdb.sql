WITH "base" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"),
"left" AS NOT MATERIALIZED (SELECT "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "reviews"),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", CAST(COUNT(*) AS BIGINT) AS "c_n"
FROM "each"
GROUP BY "unit"),
"right" AS NOT MATERIALIZED (SELECT "c_n", "unit"
FROM "units"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit", "r"."c_n" AS "c_n@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"kept" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
WHERE "c_n@2" IS NULL),
"each_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "kept"),
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
