SELECT region, MAX(age) FILTER (WHERE smoker) AS oldest FROM staff GROUP BY region
