SELECT ward, emergency, SUM(bill) AS billed FROM visits GROUP BY ROLLUP (ward, emergency)
