WITH "base" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "minutes" AS "c_minutes", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_flight" AS "d0"
FROM "base"
WHERE "c_minutes" > CAST(CAST(60 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "d0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
