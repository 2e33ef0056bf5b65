SELECT COUNT(*) AS everybody,
       COUNT(*) FILTER (WHERE age >= 18) AS adults,
       COUNT(*) FILTER (WHERE age >= 65) AS old,
       COUNT(*) FILTER (WHERE age IS NULL) AS unknown
FROM staff
