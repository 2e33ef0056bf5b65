SELECT WIDTH_BUCKET(waited, 0, 120, 4) AS band, COUNT(*) AS n, AVG(pain) AS pain FROM survey GROUP BY band
