SELECT COUNT(*) AS n FROM staff
WHERE ABS(score) > 1 AND ROUND(score) = 2 AND CEIL(score) < 9 AND LEAST(score, age) < GREATEST(score, 7)
  AND COALESCE(age, 18) >= 18 AND HOUR(seen) = 12 AND DATE_PART('isodow', hired) = 1
