SELECT COUNT(*) AS n FROM visits WHERE wards.beds > 10
