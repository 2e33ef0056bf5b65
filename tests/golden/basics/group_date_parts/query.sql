SELECT YEAR(hired) AS y, EXTRACT(quarter FROM hired) AS q, COUNT(*) AS n FROM staff GROUP BY 1, 2
