WITH "base" AS NOT MATERIALIZED (SELECT "bill" AS "c_bill", "days" AS "c_days", "patient_id" AS "c_patient_id", "_lapcat_unit" AS "unit"
FROM "visits"),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE("c_bill", CAST('0.0' AS DOUBLE)) AS "e0_0"
FROM "base"),
"step1" AS NOT MATERIALIZED (SELECT *, CASE WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN CAST('50000.0' AS DOUBLE) < "e0_0" THEN CAST('50000.0' AS DOUBLE) ELSE "e0_0" END AS "e1_0"
FROM "step0"),
"each" AS NOT MATERIALIZED (SELECT "unit", "c_patient_id" AS "v_v0", CASE WHEN "c_days" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(60 AS BIGINT) < "c_days" THEN CAST(60 AS BIGINT) ELSE "c_days" END AS "v_v1", CASE WHEN "e1_0" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "e1_0" END AS "v_v2"
FROM "step1"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("v_v0") AS "c_v0", CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS INT128), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) END AS BIGINT) AS "c_v1", MAX("v_v2") AS "c_v2"
FROM "each"
GROUP BY "unit"),
"left" AS NOT MATERIALIZED (SELECT "c_v1", "c_v2", "unit", "c_v0" AS "j0"
FROM "units"),
"base_2" AS NOT MATERIALIZED (SELECT "patient_id" AS "c_patient_id", "sex" AS "c_sex", "_lapcat_unit" AS "unit"
FROM "patients"),
"right" AS NOT MATERIALIZED (SELECT "c_sex", "unit", "c_patient_id" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_v1", "l"."c_v2", "l"."unit", "r"."c_sex" AS "c_sex@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS NOT MATERIALIZED (SELECT "c_sex@2" AS "k0", CASE WHEN "c_v1" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(100 AS BIGINT) < "c_v1" THEN CAST(100 AS BIGINT) ELSE "c_v1" END AS "v1"
FROM "pairs"
WHERE "c_v2" > CAST(CAST(1000 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(COALESCE("keys0"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a1") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)) - (CAST(50 AS INT128) * COALESCE(CAST(SUM("a1") AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['f', 'm'] of 2
