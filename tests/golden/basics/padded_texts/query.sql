SELECT LPAD(CAST(floor AS VARCHAR), 2, '0') AS storey, SUM(ROUND(salary, -3)) AS pay, COUNT(*) FILTER (WHERE RPAD(name, 5) LIKE 'Jo%  ') AS short
FROM staff
GROUP BY storey
