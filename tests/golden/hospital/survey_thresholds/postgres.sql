WITH "base" AS (SELECT "pain" AS "c_pain", "_lapcat_weighed_pain"
FROM "survey"),
"picked" AS (SELECT CASE WHEN "c_pain" <= CAST(2 AS BIGINT) THEN CAST(-1 AS BIGINT) WHEN "c_pain" <= CAST(6 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN NOT ("c_pain" IS NULL) THEN CAST(1 AS BIGINT) END AS "k0"
FROM "base"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE(CASE WHEN "k0" BETWEEN CAST(0 AS BIGINT) AND CAST(1 AS BIGINT) THEN "k0" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
