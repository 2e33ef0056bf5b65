WITH "base" AS NOT MATERIALIZED (SELECT "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", "rank", "c_status" AS "c_k0"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("rank") AS "rank"
FROM "each"
GROUP BY "unit", "c_k0"),
"ranked" AS NOT MATERIALIZED (SELECT "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "units"),
"bounded" AS NOT MATERIALIZED (SELECT "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(20 AS BIGINT)),
"base_2" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"),
"base_3" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"right" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_3"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"parts" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "bounded" UNION ALL SELECT 1 AS "one"
FROM "pairs"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "parts"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
