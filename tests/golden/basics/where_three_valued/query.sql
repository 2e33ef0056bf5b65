SELECT COUNT(*) AS n FROM staff
WHERE NOT (age > 30 OR smoker) AND region IN ('north', 'west') AND name IS NOT NULL AND smoker IS FALSE
