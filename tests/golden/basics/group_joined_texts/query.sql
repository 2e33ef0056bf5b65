SELECT SUBSTRING(region, 1, 1) || '-' || floor AS place, smoker, COUNT(*) AS n
FROM staff WHERE name LIKE '10!%%' ESCAPE '!' OR CONTAINS(name, '_') GROUP BY 1, 2
