WITH "base" AS NOT MATERIALIZED (SELECT "channel" AS "c_channel", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_channel", "c_status", "rank", "unit", "c_status" AS "g0", "c_channel" AS "g1"
FROM "base"),
"pairs" AS NOT MATERIALIZED (SELECT "unit", "g0", "g1"
FROM "keyed"
WHERE "rank" <= CAST(4 AS BIGINT)
GROUP BY "unit", "g0", "g1"),
"settled" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
GROUP BY "unit" HAVING COUNT(*) >= CAST(4 AS BIGINT)),
"early" AS NOT MATERIALIZED (SELECT "l"."c_channel", "l"."c_status", "l"."rank", "l"."unit"
FROM "keyed" AS l
INNER JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "rank" <= CAST(4 AS BIGINT)),
"others" AS NOT MATERIALIZED (SELECT "l"."c_channel", "l"."c_status", "l"."rank", "l"."unit", "l"."g0", "l"."g1"
FROM "keyed" AS l
LEFT JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "r"."unit" IS NULL),
"ordered" AS NOT MATERIALIZED (SELECT "c_channel", "c_status", "rank", "unit", "g0", "g1", ROW_NUMBER() OVER (PARTITION BY "unit", "g0", "g1" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0", "g1" ORDER BY "rank") AS "least"
FROM "others"),
"ranked" AS NOT MATERIALIZED (SELECT "c_channel", "c_status", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0", "g1") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS NOT MATERIALIZED (SELECT "c_channel", "c_status", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT) UNION ALL SELECT "c_channel", "c_status", "rank", "unit"
FROM "early"),
"picked" AS NOT MATERIALIZED (SELECT "c_status" AS "k0", CASE WHEN LIST_CONTAINS(CAST($known0 AS TEXT[]), "c_channel") THEN "c_channel" END AS "k1", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"),
"cells_2" AS NOT MATERIALIZED (SELECT "k1", COUNT(DISTINCT "unit") AS "a0"
FROM "picked"
GROUP BY "k1"),
"placed_2" AS NOT MATERIALIZED (SELECT COALESCE(COALESCE("keys1"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_2"
LEFT JOIN (SELECT UNNEST(CAST($list1 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS TEXT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_3" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed_3" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells_3")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(3 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_2" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(6 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_3"
-- $known0 = ['web', 'app'] of 2
-- $list0 = ['open', 'sent', 'returned'] of 3
-- $list1 = ['web', 'app'] of 2
