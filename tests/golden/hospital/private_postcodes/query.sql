SELECT postcode, AVG(weight) AS weight FROM patients GROUP BY postcode HAVING AVG(weight) > 70
