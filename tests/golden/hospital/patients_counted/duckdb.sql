WITH "base" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "patients"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
