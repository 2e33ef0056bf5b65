WITH "base" AS (SELECT "lives" AS "c_lives", "_lapcat_weighed_lives"
FROM "cats"),
"picked" AS (SELECT CASE WHEN "c_lives" BETWEEN CAST(-9 AS BIGINT) AND CAST(9 AS BIGINT) THEN "c_lives" WHEN "c_lives" < CAST(-9 AS BIGINT) THEN CAST(-9 AS BIGINT) WHEN CAST(9 AS BIGINT) < "c_lives" THEN CAST(9 AS BIGINT) END AS "k0"
FROM "base"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE(CASE WHEN "k0" BETWEEN CAST(-9 AS BIGINT) AND CAST(9 AS BIGINT) THEN "k0" - CAST(-9 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
