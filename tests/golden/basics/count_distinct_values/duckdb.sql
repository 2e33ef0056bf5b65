WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "d0"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "d0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
