SELECT ward, positive, COUNT(*) AS n
FROM clinic
GROUP BY ROLLUP (ward, positive)
