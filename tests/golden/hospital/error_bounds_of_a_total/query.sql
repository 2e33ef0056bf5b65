SELECT AVG(billed) AS billed
FROM (SELECT patient_id, SUM(bill) AS billed FROM visits GROUP BY patient_id)
