SELECT ward, QUANTILE_CONT(weight, 0.9) AS p90, MEDIAN(weight) AS m FROM clinic GROUP BY ward
