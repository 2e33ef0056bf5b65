-- pasted: APPROX_TOP_K(region, 3)
-- asks: the same
SELECT APPROX_TOP_K(region, 3) AS r FROM staff
