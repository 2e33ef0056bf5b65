SELECT EXTRACT(hour FROM l.taken) AS hour, COUNT(*) AS tests
FROM labs AS l
JOIN visits AS v USING (visit_id)
JOIN patients AS p ON v.patient_id = p.patient_id
WHERE p.insured
GROUP BY hour
