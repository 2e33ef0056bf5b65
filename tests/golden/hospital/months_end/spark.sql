WITH `base` AS (SELECT `admitted` AS `c_admitted`, `bill` AS `c_bill`, GREATEST(CAST(8 AS BIGINT), `_lapcat_rows`) AS `size`, `_lapcat_weight`, `_lapcat_weighed_bill`
FROM `visits`),
`step0` AS (SELECT *, CAST(DATE_TRUNC('month', CASE WHEN (`c_admitted` >= CAST('2022-01-01' AS DATE)) AND (`c_admitted` <= CAST('2024-12-31' AS DATE)) THEN `c_admitted` END) AS DATE) AS `e0_0`
FROM `base`),
`step1` AS (SELECT *, CAST(CAST(CASE WHEN `e0_0` BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-11-30' AS DATE) THEN `e0_0` END AS TIMESTAMP_NTZ) + MAKE_YM_INTERVAL(0, 1) AS DATE) AS `e1_0`
FROM `step0`),
`picked` AS (SELECT CAST(CAST(CASE WHEN `e1_0` BETWEEN CAST('0001-01-02' AS DATE) AND CAST('9999-12-31' AS DATE) THEN `e1_0` END AS TIMESTAMP_NTZ) + MAKE_DT_INTERVAL(-1) AS DATE) AS `k0`, CAST((CAST(FLOOR(CASE WHEN `c_bill` BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN `c_bill` WHEN `c_bill` < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN `c_bill` <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('32768.0' AS DOUBLE)) AS DOUBLE) * CAST('8.0' AS DOUBLE)) / CAST(`size` AS DOUBLE) AS BIGINT) AS `w1`
FROM `step1`
WHERE `c_admitted` >= CAST('2023-12-02' AS DATE)),
`cells` AS (SELECT `k0`, CAST(SUM(`w1` & 4194303) AS DECIMAL(38, 0)) + (CAST(SUM(SHIFTRIGHT(`w1`, 22)) AS DECIMAL(38, 0)) * CAST(4194304 AS DECIMAL(38, 0))) AS `a0`
FROM `picked`
GROUP BY `k0`),
`placed` AS (SELECT COALESCE(`keys0`.`place`, CAST(-1 AS BIGINT)) AS `cell`, `a0`
FROM `cells`
INNER JOIN (SELECT CAST(`value` AS DATE) AS `value`, `place`
FROM (SELECT INLINE(FROM_JSON(:list0, 'ARRAY<STRUCT<place: BIGINT, value: STRING>>'))) AS l) AS `keys0` ON `k0` = `keys0`.`value`)
SELECT `cell` AS `cell`, CAST(LEAST(GREATEST(COALESCE(CAST(`a0` AS DECIMAL(38, 0)), CAST(0 AS DECIMAL(38, 0))), CAST(-4611686018427387904 AS DECIMAL(38, 0))), CAST(4611686018427387904 AS DECIMAL(38, 0))) AS BIGINT) AS `s0`
FROM `placed`
-- $list0 = [datetime.date(2022, 1, 31), datetime.date(2022, 2, 28), datetime.date(2022, 3, 31), datetime.date(2022, 4, 30), datetime.date(2022, 5, 31), datetime.date(2022, 6, 30), datetime.date(2022, 7, 31), datetime.date(2022, 8, 31), datetime.date(2022, 9, 30), datetime.date(2022, 10, 31), datetime.date(2022, 11, 30), datetime.date(2022, 12, 31), datetime.date(2023, 1, 31), datetime.date(2023, 2, 28), datetime.date(2023, 3, 31), datetime.date(2023, 4, 30), datetime.date(2023, 5, 31), datetime.date(2023, 6, 30), datetime.date(2023, 7, 31), datetime.date(2023, 8, 31)] of 36
