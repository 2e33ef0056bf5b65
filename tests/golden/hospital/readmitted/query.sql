SELECT a.ward, COUNT(*) AS pairs
FROM visits AS a
JOIN visits AS b ON a.patient_id = b.patient_id AND a.ward = b.ward
WHERE a.admitted < b.admitted
GROUP BY a.ward
