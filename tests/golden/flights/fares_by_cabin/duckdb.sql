WITH "base" AS NOT MATERIALIZED (SELECT "booked" AS "c_booked", "cabin" AS "c_cabin", "fare" AS "c_fare", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_fare"
FROM "bookings"),
"picked" AS NOT MATERIALIZED (SELECT "c_cabin" AS "k0", "_lapcat_weighed_fare" AS "w1", "_lapcat_weight" AS "w2"
FROM "base"
WHERE "c_booked" >= CAST('2024-06-01' AS DATE)),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1", SUM("w2") FILTER(WHERE "w1" IS NULL) AS "a2"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128)) - (CAST(1 AS INT128) * COALESCE(CAST("a2" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['economy', 'business'] of 2
