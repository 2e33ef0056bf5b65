SELECT sex, blood, COUNT(*) FILTER (WHERE insured) AS insured, COUNT(*) FILTER (WHERE NOT insured) AS others
FROM patients
GROUP BY sex, blood
