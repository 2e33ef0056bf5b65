SELECT d.field, SUM(s.hours) AS hours
FROM shifts AS s
JOIN doctors AS d ON s.doctor_id = d.doctor_id
WHERE EXTRACT(dow FROM s.began) IN (0, 6)
GROUP BY d.field
