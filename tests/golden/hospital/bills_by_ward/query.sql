SELECT w.name, SUM(v.bill) AS billed, AVG(v.days) AS days
FROM visits AS v
JOIN wards AS w ON v.ward = w.ward
GROUP BY w.name
