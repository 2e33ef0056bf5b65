WITH "base" AS NOT MATERIALIZED (SELECT "reported" AS "c_reported"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT CAST(DATE_TRUNC('hour', CASE WHEN (CAST("c_reported" AS DATE) >= CAST('2024-01-01' AS DATE)) AND (CAST("c_reported" AS DATE) <= CAST('2024-12-31' AS DATE)) THEN "c_reported" END) AS TIMESTAMP) AS "k0"
FROM "base"
WHERE (CAST(DATE_TRUNC('minute', "c_reported") AS TIMESTAMP) >= CAST('2024-01-01 10:30:00' AS TIMESTAMP)) AND (CAST(DATE_TRUNC('minute', "c_reported") AS TIMESTAMP) <= CAST(DATE_TRUNC('second', "c_reported") AS TIMESTAMP))),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TIMESTAMP[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TIMESTAMP[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = [datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 1, 1, 1, 0), datetime.datetime(2024, 1, 1, 2, 0), datetime.datetime(2024, 1, 1, 3, 0), datetime.datetime(2024, 1, 1, 4, 0), datetime.datetime(2024, 1, 1, 5, 0), datetime.datetime(2024, 1, 1, 6, 0), datetime.datetime(2024, 1, 1, 7, 0), datetime.datetime(2024, 1, 1, 8, 0), datetime.datetime(2024, 1, 1, 9, 0), datetime.datetime(2024, 1, 1, 10, 0), datetime.datetime(2024, 1, 1, 11, 0), datetime.datetime(2024, 1, 1, 12, 0), datetime.datetime(2024, 1, 1, 13, 0), datetime.datetime(2024, 1, 1, 14, 0), datetime.datetime(2024, 1, 1, 15, 0), datetime.datetime(2024, 1, 1, 16, 0), datetime.datetime(2024, 1, 1, 17, 0), datetime.datetime(2024, 1, 1, 18, 0), datetime.datetime(2024, 1, 1, 19, 0)] of 8784
