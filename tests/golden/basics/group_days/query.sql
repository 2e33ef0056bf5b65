SELECT hired, COUNT(*) AS n FROM staff WHERE hired >= '2024-12-01' GROUP BY hired
