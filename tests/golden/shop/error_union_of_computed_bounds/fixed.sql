-- pasted: CLAMP(value, LOW, HIGH)
-- given: LOW = -500, HIGH = 500
-- asks: the same
SELECT SUM(CLAMP(value, -500, 500)) AS value
FROM (SELECT amount AS value FROM till UNION ALL SELECT -amount AS value FROM till)
