SELECT AVG(weight) AS weight FROM patients
