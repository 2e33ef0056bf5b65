SELECT COUNT(DISTINCT patient_id) AS patients,
       COUNT(DISTINCT patient_id) FILTER (WHERE days > 7) AS long
FROM visits
WHERE emergency
