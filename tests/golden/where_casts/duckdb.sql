WITH "base" AS NOT MATERIALIZED (SELECT "name" AS "c_name", "seen" AS "c_seen", "age" AS "c_age", "score" AS "c_score"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "base"
WHERE ((CASE WHEN REGEXP_FULL_MATCH(TRIM("c_name", ' '), '[+-]?[0-9]{1,18}(\.0*)?') THEN TRY_CAST(SPLIT_PART(TRIM("c_name", ' '), '.', 1) AS BIGINT) END = CAST(7 AS BIGINT)) AND (CASE WHEN REGEXP_FULL_MATCH(TRIM("c_name", ' '), '[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?') THEN TRY_CAST(TRIM("c_name", ' ') AS DOUBLE) END > CAST('0.5' AS DOUBLE))) AND ((CAST("c_seen" AS DATE) = CAST('2024-05-01' AS DATE)) AND ((CAST("c_age" AS TEXT) LIKE '1%') AND (TRY_CAST("c_score" AS BIGINT) = CAST(3 AS BIGINT))))),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
