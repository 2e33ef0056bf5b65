SELECT p.sex, AVG(CLAMP(v.days, 0, 100)) AS days
FROM patients AS p
JOIN (SELECT patient_id, SUM(days) AS days, MAX(bill) AS worst FROM visits GROUP BY patient_id) AS v USING (patient_id)
WHERE v.worst > 1000
GROUP BY p.sex
