WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "floor" AS "c_floor", "hired" AS "c_hired", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"step0" AS NOT MATERIALIZED (SELECT *, CAST(TRY_CAST(ROUND(CAST(CAST(2020 AS BIGINT) AS DOUBLE) + CAST("c_floor" AS DOUBLE)) AS BIGINT) AS TEXT) AS "e0_0", CAST("c_age" AS TEXT) AS "e0_1"
FROM "base"),
"step1" AS NOT MATERIALIZED (SELECT *, RIGHT(CASE WHEN (CAST(LENGTH('000') AS BIGINT) + CAST(LENGTH("e0_0") AS BIGINT)) <= CAST(4096 AS BIGINT) THEN '000' || "e0_0" END, 4) AS "e1_0", RIGHT(CASE WHEN (CAST(LENGTH('000') AS BIGINT) + CAST(LENGTH("e0_1") AS BIGINT)) <= CAST(4096 AS BIGINT) THEN '000' || "e0_1" END, 2) AS "e1_1"
FROM "step0"),
"step2" AS NOT MATERIALIZED (SELECT *, COALESCE(CASE WHEN (CAST(LENGTH('-') AS BIGINT) + CAST(LENGTH("e1_0") AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '-' || "e1_0" END, '') AS "e2_0", COALESCE(CASE WHEN (CAST(LENGTH('-') AS BIGINT) + CAST(LENGTH("e1_1") AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '-' || "e1_1" END, '') AS "e2_1"
FROM "step1"),
"step3" AS NOT MATERIALIZED (SELECT *, SUBSTR(CASE WHEN (CAST(LENGTH("e2_0") AS BIGINT) + (CAST(LENGTH('-02') AS BIGINT) + CAST(LENGTH("e2_1") AS BIGINT))) <= CAST(4097 AS BIGINT) THEN "e2_0" || ('-02' || "e2_1") END, 2) AS "e3_0"
FROM "step2"),
"picked" AS NOT MATERIALIZED (SELECT CAST(DATE_TRUNC('month', CASE WHEN ("c_hired" >= CAST('2020-01-01' AS DATE)) AND ("c_hired" <= CAST('2024-12-31' AS DATE)) THEN "c_hired" END) AS DATE) AS "k0", "_lapcat_weight" AS "w1", CASE WHEN ((NULLIF(CAST(CAST(2020 AS BIGINT) AS DOUBLE) + CAST("c_floor" AS DOUBLE), CAST('nan' AS DOUBLE)) >= CAST(CAST(1 AS BIGINT) AS DOUBLE)) AND (NULLIF(CAST(CAST(2020 AS BIGINT) AS DOUBLE) + CAST("c_floor" AS DOUBLE), CAST('nan' AS DOUBLE)) <= CAST(CAST(9999 AS BIGINT) AS DOUBLE))) AND (TRUE AND (("c_age" >= CAST(1 AS BIGINT)) AND ("c_age" <= CAST(31 AS BIGINT)))) THEN CASE WHEN REGEXP_FULL_MATCH(TRIM("e3_0", ' '), '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND (TRIM("e3_0", ' ') >= '0001') THEN TRY_CAST(TRIM("e3_0", ' ') AS DATE) END END > "c_hired" AS "p2"
FROM "step3"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") FILTER(WHERE "p2") AS "a0", SUM("w1") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS DATE[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS DATE[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = [datetime.date(2020, 1, 1), datetime.date(2020, 2, 1), datetime.date(2020, 3, 1), datetime.date(2020, 4, 1), datetime.date(2020, 5, 1), datetime.date(2020, 6, 1), datetime.date(2020, 7, 1), datetime.date(2020, 8, 1), datetime.date(2020, 9, 1), datetime.date(2020, 10, 1), datetime.date(2020, 11, 1), datetime.date(2020, 12, 1), datetime.date(2021, 1, 1), datetime.date(2021, 2, 1), datetime.date(2021, 3, 1), datetime.date(2021, 4, 1), datetime.date(2021, 5, 1), datetime.date(2021, 6, 1), datetime.date(2021, 7, 1), datetime.date(2021, 8, 1)] of 60
