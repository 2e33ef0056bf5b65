WITH "base" AS (SELECT "ward" AS "c_ward", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS (SELECT "c_ward", "rank", "unit", "c_ward" AS "g0"
FROM "base"),
"pairs" AS (SELECT "unit", "g0"
FROM "keyed"
WHERE "rank" <= CAST(3 AS BIGINT)
GROUP BY "unit", "g0"),
"settled" AS (SELECT "unit"
FROM "pairs"
GROUP BY "unit" HAVING COUNT(*) >= CAST(3 AS BIGINT)),
"early" AS (SELECT "l"."c_ward", "l"."rank", "l"."unit"
FROM "keyed" AS l
INNER JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "rank" <= CAST(3 AS BIGINT)),
"others" AS (SELECT "l"."c_ward", "l"."rank", "l"."unit", "l"."g0"
FROM "keyed" AS l
LEFT JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "r"."unit" IS NULL),
"ordered" AS (SELECT "c_ward", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "others"),
"ranked" AS (SELECT "c_ward", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS (SELECT "c_ward", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT) UNION ALL SELECT "c_ward", "rank", "unit"
FROM "early"),
"picked" AS (SELECT "c_ward" AS "k0", "unit"
FROM "bounded"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE(CASE WHEN "k0" BETWEEN CAST(1 AS BIGINT) AND CAST(6 AS BIGINT) THEN "k0" - CAST(1 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
