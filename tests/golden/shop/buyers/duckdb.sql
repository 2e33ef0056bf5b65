WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"),
"picked" AS NOT MATERIALIZED (SELECT "unit"
FROM "base"
WHERE "c_amount" > CAST(CAST(100 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
