WITH "base" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "customers"),
"left" AS NOT MATERIALIZED (SELECT "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"),
"kept" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"
WHERE "c_amount" > CAST(CAST(400 AS BIGINT) AS DOUBLE)),
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
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "pairs"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
