-- pasted: CLAMP(value, 0, 200000)
SELECT SUM(CLAMP(value, 0, 200000)) AS value
FROM (SELECT amount AS value FROM till UNION ALL SELECT -amount AS value FROM till)
