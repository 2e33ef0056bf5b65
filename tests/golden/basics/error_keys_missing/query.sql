SELECT name, COUNT(*) FROM staff GROUP BY name
