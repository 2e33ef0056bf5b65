WITH "base" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "customers"),
"left" AS NOT MATERIALIZED (SELECT "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"),
"kept" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"
WHERE "c_amount" > CAST(CAST(100 AS BIGINT) AS DOUBLE)),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "kept"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit"
FROM "each"
GROUP BY "unit"),
"right" AS NOT MATERIALIZED (SELECT "unit"
FROM "units"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"left_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"),
"base_3" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "reviews"),
"each_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_3"),
"units_2" AS NOT MATERIALIZED (SELECT "unit" AS "unit", CAST(COUNT(*) AS BIGINT) AS "c_n"
FROM "each_2"
GROUP BY "unit"),
"right_2" AS NOT MATERIALIZED (SELECT "c_n", "unit"
FROM "units_2"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."unit", "r"."c_n" AS "c_n@3"
FROM "left_2" AS l
LEFT JOIN "right_2" AS r ON "l"."unit" = "r"."unit"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "pairs_2"
WHERE "c_n@3" IS NULL),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
