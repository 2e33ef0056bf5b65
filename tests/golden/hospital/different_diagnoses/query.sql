SELECT COUNT(DISTINCT diagnosis) AS diagnoses FROM visits
