WITH "base" AS NOT MATERIALIZED (SELECT "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(10000 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", "c_coupon" AS "g0"
FROM "base"),
"pairs" AS NOT MATERIALIZED (SELECT "unit", "g0"
FROM "keyed"
WHERE "rank" <= CAST(4 AS BIGINT)
GROUP BY "unit", "g0"),
"settled" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
GROUP BY "unit" HAVING COUNT(*) >= CAST(4 AS BIGINT)),
"early" AS NOT MATERIALIZED (SELECT "l"."c_coupon", "l"."rank", "l"."unit"
FROM "keyed" AS l
INNER JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "rank" <= CAST(4 AS BIGINT)),
"others" AS NOT MATERIALIZED (SELECT "l"."c_coupon", "l"."rank", "l"."unit", "l"."g0"
FROM "keyed" AS l
LEFT JOIN "settled" AS r ON "l"."unit" = "r"."unit"
WHERE "r"."unit" IS NULL),
"ordered" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "others"),
"ranked" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS NOT MATERIALIZED (SELECT "c_coupon", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(4 AS BIGINT) UNION ALL SELECT "c_coupon", "rank", "unit"
FROM "early"),
"picked" AS NOT MATERIALIZED (SELECT "c_coupon" AS "k0", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell"
FROM "cells" ORDER BY "k0"
