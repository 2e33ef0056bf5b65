SELECT AVG(CLAMP(total, 0, 900)) AS mean
FROM (SELECT person_id, SUM(score) AS total FROM staff GROUP BY person_id)
