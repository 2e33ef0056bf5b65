SELECT COUNT(*) FILTER (WHERE weight BETWEEN 30 AND 50) AS from_30_to_50,
       COUNT(*) FILTER (WHERE weight BETWEEN 30 AND 70) AS from_30_to_70,
       COUNT(*) FILTER (WHERE weight BETWEEN 30 AND 90) AS from_30_to_90,
       COUNT(*) FILTER (WHERE weight BETWEEN 30 AND 150) AS from_30_to_150,
       COUNT(*) FILTER (WHERE weight BETWEEN 50 AND 70) AS from_50_to_70,
       COUNT(*) FILTER (WHERE weight BETWEEN 50 AND 90) AS from_50_to_90,
       COUNT(*) FILTER (WHERE weight BETWEEN 50 AND 150) AS from_50_to_150,
       COUNT(*) FILTER (WHERE weight BETWEEN 70 AND 90) AS from_70_to_90,
       COUNT(*) FILTER (WHERE weight BETWEEN 70 AND 150) AS from_70_to_150,
       COUNT(*) FILTER (WHERE weight BETWEEN 90 AND 150) AS from_90_to_150
FROM clinic
