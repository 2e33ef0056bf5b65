WITH "base" AS NOT MATERIALIZED (SELECT "channel" AS "c_channel", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_channel", "rank", "unit", "c_channel" AS "g0"
FROM "base"),
"pairs" AS NOT MATERIALIZED (SELECT "unit", "g0"
FROM "keyed"
WHERE "rank" <= CAST(4 AS BIGINT)
GROUP BY "unit", "g0"),
"settled" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
GROUP BY "unit" HAVING COUNT(*) >= CAST(4 AS BIGINT)),
"early" AS NOT MATERIALIZED (SELECT "l"."c_channel", "l"."rank", "l"."unit"
FROM "keyed" AS l
INNER JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "rank" <= CAST(4 AS BIGINT)),
"others" AS NOT MATERIALIZED (SELECT "l"."c_channel", "l"."rank", "l"."unit", "l"."g0"
FROM "keyed" AS l
LEFT JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "r"."unit" IS NULL),
"ordered" AS NOT MATERIALIZED (SELECT "c_channel", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "others"),
"ranked" AS NOT MATERIALIZED (SELECT "c_channel", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS NOT MATERIALIZED (SELECT "c_channel", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT) UNION ALL SELECT "c_channel", "rank", "unit"
FROM "early"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN LIST_CONTAINS(CAST($known0 AS TEXT[]), "c_channel") THEN "c_channel" END AS "k0", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(COALESCE("keys0"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $known0 = ['web', 'app'] of 2
-- $list0 = ['web', 'app'] of 2
