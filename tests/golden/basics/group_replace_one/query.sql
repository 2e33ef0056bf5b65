SELECT ward, COUNT(*) AS n, AVG(dose) AS dose FROM clinic GROUP BY ward
