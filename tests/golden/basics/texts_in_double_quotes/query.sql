SELECT CASE WHEN name LIKE "A%" THEN "begins" ELSE "does not" END AS kind, COUNT(*) AS n
FROM staff
WHERE city = "Oslo" OR name IN ("Ann", "Bob")
GROUP BY kind
