WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"kept" AS NOT MATERIALIZED (SELECT "c_amount", "rank", "unit"
FROM "base"
WHERE "c_status" = 'sent'),
"ranked" AS NOT MATERIALIZED (SELECT "c_amount", "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "kept"),
"bounded" AS NOT MATERIALIZED (SELECT "c_amount", "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('8388608.0' AS DOUBLE)) AS BIGINT) AS "v0"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT SUM("v0") AS "a0", COUNT("v0") AS "a1"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(2097152000 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
