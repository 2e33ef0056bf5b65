WITH "base" AS (SELECT "channel" AS "c_channel", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS (SELECT "c_channel", "c_status", "rank", "unit", "c_status" AS "g0", "c_channel" AS "g1"
FROM "base"),
"pairs" AS (SELECT "unit", "g0", "g1"
FROM "keyed"
WHERE "rank" <= CAST(4 AS BIGINT)
GROUP BY "unit", "g0", "g1"),
"settled" AS (SELECT "unit"
FROM "pairs"
GROUP BY "unit" HAVING COUNT(*) >= CAST(4 AS BIGINT)),
"early" AS (SELECT "l"."c_channel", "l"."c_status", "l"."rank", "l"."unit"
FROM "keyed" AS l
INNER JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "rank" <= CAST(4 AS BIGINT)),
"others" AS (SELECT "l"."c_channel", "l"."c_status", "l"."rank", "l"."unit", "l"."g0", "l"."g1"
FROM "keyed" AS l
LEFT JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "r"."unit" IS NULL),
"ordered" AS (SELECT "c_channel", "c_status", "rank", "unit", "g0", "g1", ROW_NUMBER() OVER (PARTITION BY "unit", "g0", "g1" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0", "g1" ORDER BY "rank") AS "least"
FROM "others"),
"ranked" AS (SELECT "c_channel", "c_status", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0", "g1") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS (SELECT "c_channel", "c_status", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT) UNION ALL SELECT "c_channel", "c_status", "rank", "unit"
FROM "early"),
"picked" AS (SELECT "c_status" AS "k0", CASE WHEN "c_channel" = ANY(CAST($1 AS TEXT[])) THEN "c_channel" END AS "k1", "unit"
FROM "bounded"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"),
"cells_2" AS (SELECT "k1", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k1"),
"placed_2" AS (SELECT COALESCE(COALESCE("keys1"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_2"
LEFT JOIN (SELECT UNNEST(CAST($3 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($3 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_3" AS (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed_3" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells_3")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(3 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_2" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(6 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_3"
-- $known0 = ['web', 'app'] of 2
-- $list0 = ['open', 'sent', 'returned'] of 3
-- $list1 = ['web', 'app'] of 2
