-- pasted: CLAMP(score, LOW, HIGH)
-- given: LOW = 0, HIGH = 100
-- asks: the same
SELECT AVG(CLAMP(total, 0, 900)) AS mean
FROM (SELECT person_id, SUM(CLAMP(score, 0, 100)) AS total FROM staff GROUP BY person_id)
