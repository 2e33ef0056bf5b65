WITH "base" AS NOT MATERIALIZED (SELECT "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_status", "rank", "unit", "c_status" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_status", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_status", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"
WHERE "place" <= CAST(3 AS BIGINT)),
"bounded" AS NOT MATERIALIZED (SELECT "c_status", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(2 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_status" AS "k0"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
