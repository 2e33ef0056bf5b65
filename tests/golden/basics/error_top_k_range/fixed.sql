-- pasted: APPROX_TOP_K(region, 3)
-- asks: what was meant
SELECT APPROX_TOP_K(region, 3) AS r FROM staff
