SELECT SUM(value) AS value
FROM (SELECT amount AS value FROM till UNION ALL SELECT -amount AS value FROM till)
