SELECT sex, COUNT(*) AS patients
FROM patients
WHERE patient_id NOT IN (SELECT patient_id FROM visits WHERE emergency)
GROUP BY sex
