SELECT CASE WHEN region = 'west' THEN 'the west' ELSE COALESCE(city, 'none') END AS place, COUNT(*) AS n
FROM staff
GROUP BY place
