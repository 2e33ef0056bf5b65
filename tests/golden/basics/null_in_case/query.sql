SELECT CASE WHEN age > 80 THEN NULL WHEN smoker THEN 'smoker' ELSE 'other' END AS kind,
       COUNT(CASE WHEN salary > 50000 THEN NULL ELSE 1 END) AS low_paid
FROM staff
WHERE floor IN (1, 2, NULL)
GROUP BY 1
