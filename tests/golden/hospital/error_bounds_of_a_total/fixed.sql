-- pasted: CLAMP(billed, 0, 400000)
-- asks: the same
SELECT AVG(CLAMP(billed, 0, 400000)) AS billed
FROM (SELECT patient_id, SUM(bill) AS billed FROM visits GROUP BY patient_id)
