SELECT COUNT(*) AS n FROM staff WHERE (salary / age - 2 * score) * -1 < 100
