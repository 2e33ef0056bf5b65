SELECT d.field, COUNT(*) AS n
FROM visits AS v
JOIN doctors AS d ON v.ward = d.ward
GROUP BY d.field
