SELECT city, COUNT(*) FROM staff GROUP BY city
