SELECT COUNT(*) AS patients FROM patients
