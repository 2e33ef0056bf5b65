WITH "base" AS NOT MATERIALIZED (SELECT "bill" AS "c_bill", "diagnosis" AS "c_diagnosis", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_bill" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN "c_bill" WHEN "c_bill" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_bill" <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('65536.0' AS DOUBLE)) AS BIGINT) AS "v1", CASE WHEN "c_bill" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "c_bill" END AS "d2", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(*) AS "a1", COUNT(DISTINCT "d2") AS "a2", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a2" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(1638400000 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s2"
FROM "cells" ORDER BY "k0"
WITH "base" AS NOT MATERIALIZED (SELECT "bill" AS "c_bill", "diagnosis" AS "c_diagnosis", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_bill", "c_diagnosis", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE("c_bill", CAST('0.0' AS DOUBLE)) AS "e0_0"
FROM "bounded"),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", TRY_CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) END * CAST('0.015625' AS DOUBLE)) AS BIGINT) AS "k1", "unit"
FROM "step0"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE(CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(781 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
WITH "base" AS NOT MATERIALIZED (SELECT "diagnosis" AS "c_diagnosis", "ward" AS "c_ward", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "visits"
WHERE "_lapcat_rank" <= CAST(8 AS BIGINT)),
"keyed" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_ward", "rank", "unit", "c_diagnosis" AS "g0"
FROM "base"),
"ordered" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_ward", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_ward", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_diagnosis", "c_ward", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(3 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_diagnosis" AS "k0", "c_ward" AS "k1", "unit"
FROM "bounded"),
"combinations" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT "k0", COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BIGINT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"ready" AS NOT MATERIALIZED (SELECT "k0", "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed")
SELECT "combinations"."k0" AS "p0", CAST("units" AS BIGINT) AS "units", COALESCE("cell", CAST(-1 AS BIGINT)) AS "cell", "s0"
FROM "combinations"
LEFT JOIN "ready" ON "combinations"."k0" = "ready"."k0"
-- $list1 = [1, 2, 3, 4, 5, 6] of 6
