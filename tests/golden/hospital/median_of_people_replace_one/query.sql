SELECT ward, MEDIAN(days) AS m, QUANTILE(bill, 0.75) AS b FROM visits GROUP BY ward
