SELECT COUNT(DISTINCT patient_id) AS patients FROM visits
