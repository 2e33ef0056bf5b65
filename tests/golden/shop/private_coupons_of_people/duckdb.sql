WITH "base" AS NOT MATERIALIZED (SELECT "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", "c_coupon" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", MIN("rank") OVER (PARTITION BY "unit", "g0") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", "place", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit"
FROM "ranked"
WHERE ("which" <= CAST(4 AS BIGINT)) AND ("place" <= CAST(1 AS BIGINT))),
"picked" AS NOT MATERIALIZED (SELECT "c_coupon" AS "k0", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell"
FROM "cells" ORDER BY "k0"
