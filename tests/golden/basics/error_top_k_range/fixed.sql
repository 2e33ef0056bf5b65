-- pasted: APPROX_TOP_K(region, 3)
SELECT APPROX_TOP_K(region, 3) AS r FROM staff
