SELECT blood, COUNT(*) AS patients FROM patients GROUP BY blood
