SELECT AVG(CLAMP(billed, 0, 100000)) AS billed
FROM (SELECT patient_id, SUM(bill) AS billed FROM visits GROUP BY patient_id)
