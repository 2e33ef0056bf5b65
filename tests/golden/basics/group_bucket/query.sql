SELECT WIDTH_BUCKET(weight, 0, 5, 4) AS quarter, COUNT(*) AS n FROM cats GROUP BY quarter
