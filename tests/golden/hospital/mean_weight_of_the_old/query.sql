SELECT AVG(weight) AS weight, AVG(CASE WHEN born < 1950 THEN weight ELSE 0 END) AS share_of_old
FROM patients
WHERE born BETWEEN 1920 AND 1960
