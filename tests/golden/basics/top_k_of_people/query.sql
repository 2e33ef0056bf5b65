SELECT APPROX_TOP_K(region, 2) AS r, COUNT(*) AS n FROM staff
