WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"base_2" AS NOT MATERIALIZED (SELECT "discount" AS "c_discount"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"parts" AS NOT MATERIALIZED (SELECT "c_amount" AS "c_u1", CAST(NULL AS DOUBLE) AS "c_u2"
FROM "base" UNION ALL SELECT CAST(NULL AS DOUBLE) AS "c_u1", "c_discount" AS "c_u2"
FROM "base_2"),
"picked" AS NOT MATERIALIZED (SELECT "c_u1" AS "v0", "c_u2" AS "v1"
FROM "parts"),
"cells" AS NOT MATERIALIZED (SELECT COUNT("v0") AS "a0", COUNT("v1") AS "a1"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
