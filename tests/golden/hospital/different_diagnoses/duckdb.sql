WITH "base" AS NOT MATERIALIZED (SELECT "diagnosis" AS "c_diagnosis"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "d0"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "d0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
