SELECT region, MODE(floor) AS f, MODE() WITHIN GROUP (ORDER BY smoker) AS s FROM staff GROUP BY region
