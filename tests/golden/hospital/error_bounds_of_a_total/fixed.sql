-- pasted: CLAMP(billed, 0, 200000)
SELECT AVG(CLAMP(billed, 0, 200000)) AS billed
FROM (SELECT patient_id, SUM(bill) AS billed FROM visits GROUP BY patient_id)
