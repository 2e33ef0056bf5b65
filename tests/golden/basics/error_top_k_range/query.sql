SELECT APPROX_TOP_K(region, 9) AS r FROM staff
